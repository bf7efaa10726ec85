"""`sign`: the signature itself."""

import sys
from pathlib import Path

import click

from nearkin.cli.options import common, text_options
from nearkin.cli.output import chosen, emit, emit_one
from nearkin.settings import DEFAULT_SCHEME


@click.command(epilog="Example: nearkin sign manual.html --scheme mod:window=20,n=100")
@click.argument("file", type=click.Path(allow_dash=True))
@common
@click.option("--scheme", default=DEFAULT_SCHEME, show_default=True, metavar="SPEC", help="See: nearkin schemes.")
@text_options
def sign(
    file: str,
    store: Path,
    form: str | None,
    quiet: bool,
    scheme: str,
    raw: bool,
    ignore: tuple[str, ...] | None,
) -> None:
    """Show the signature of a document (- for standard input): one line a feature, in the order of the text.

    Weight is what a feature stands for, in shingles or bytes; the offset counts bytes of the canonical text. Of
    scheme si it is the number; a text of which it keeps nothing has none.
    """
    from nearkin.report.lookup import find_document, from_bytes
    from nearkin.scheme import Estimator, keeps_lines, parse_scheme, place
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    how = parse_scheme(scheme)
    text = TextSettings(raw=raw) if ignore is None else TextSettings(raw=raw, ignore=ignore)
    canon = Canon.of(text, lines=keeps_lines(how))
    found = from_bytes("-", sys.stdin.buffer.read(), raw=raw) if file == "-" else find_document(file, store, raw=raw)
    form = chosen(form)
    if how.estimator is Estimator.RANGE:
        from nearkin.scheme import sign as signature_of

        numbers = signature_of(canon.apply(found.text or b""), how).features.astype("i8").tolist()
        _print_number(numbers[0] if numbers else None, form)
        return
    features = place(canon.apply(found.text or b""), how)
    records = (
        {"weight": weight, "feature": f"{feature:016x}", "offset": offset} for weight, feature, offset in features
    )
    if form == "table":
        from nearkin.cli.screen import Screen

        rows = ([str(record["weight"]), str(record["feature"]), str(record["offset"])] for record in records)
        Screen().columns(["weight", "feature", "offset"], rows, right=(0,))
    else:
        emit(records, form, columns=["weight", "feature", "offset"])


def _print_number(number: int | None, form: str) -> None:
    if form == "table":
        click.echo("none" if number is None else number)
    else:
        emit_one({"number": number}, form)
