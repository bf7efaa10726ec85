"""`sign`: the signature itself, of a document or of all in a store."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.notes import name_of, note, without_text
from nearkin.cli.options import NAME_OR_DASH, common, text_options
from nearkin.cli.output import Record, chosen, emit, emit_one, write_lines
from nearkin.settings import DEFAULT_SCHEME

if TYPE_CHECKING:
    from sqlite3 import Connection

    from nearkin.model import Location
    from nearkin.scheme import Signature

# Columns; a whole store is not read twice to find the widest.
RIGHT = {"weight": 8, "features": 8, "number": 20, "offset": 10}
LEFT = {"digest": 32, "feature": 16}


@click.command(epilog="Example: nearkin sign manual.html --scheme mod:window=20,n=100")
@click.argument("file", required=False, type=NAME_OR_DASH)
@common
@click.option(
    "--scheme",
    metavar="SPEC",
    help=f"See: nearkin schemes.  [default: {DEFAULT_SCHEME}; for a store, its last scan's]",
)
@click.option("--digest", is_flag=True, help="One line per document: a hash of its features, their number and weight.")
@text_options
def sign(
    file: str | None,
    store: Path,
    form: str | None,
    quiet: bool,
    scheme: str | None,
    digest: bool,
    raw: bool,
    ignore: tuple[str, ...] | None,
) -> None:
    """Show the signature of a document (- for standard input): one line per feature, in text order.

    The weight says how many shingles (for chunk schemes: bytes) a feature stands for; the offset counts bytes of the
    canonical text. Without FILE, every distinct text of the store is listed under the path of its first document, with
    its features in ascending order. For scheme si the signature is one number per text, or none.

    With a chunk scheme, texts with the same --digest have the same chunks.
    """
    form = chosen(form)
    if file is None:
        _sign_store(store, scheme, form, digest=digest, given=raw or ignore is not None, quiet=quiet)
        return
    from nearkin.query.lookup import find_document, from_bytes
    from nearkin.scheme import Estimator, keeps_lines, parse_scheme, place
    from nearkin.scheme import sign as sign_text
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    how = parse_scheme(scheme or DEFAULT_SCHEME)
    settings = TextSettings(raw=raw) if ignore is None else TextSettings(raw=raw, ignore=ignore)
    canon = Canon.of(settings, lines=keeps_lines(how))
    found = from_bytes("-", sys.stdin.buffer.read(), raw=raw) if file == "-" else find_document(file, store, raw=raw)
    text = canon.apply(found.text or b"")
    signature = sign_text(text, how)
    if found.text is None:
        note(f"{without_text(found)}, so it has no signature.", quiet=quiet)
    elif not len(signature):
        note(f"{name_of(found)} has no signature under {how.spec}.", quiet=quiet)
    if digest:
        _show([{"path": file, **_digest(signature)}], form)
        return
    if how.estimator is Estimator.RANGE:
        _print_number(_number(signature), form)
        return
    records: Iterable[Record] = (
        {"weight": weight, "feature": f"{feature:016x}", "offset": offset}
        for weight, feature, offset in place(text, how)
    )
    _show(records, form, columns=["weight", "feature", "offset"])


def _print_number(number: int | None, form: str) -> None:
    if form == "table":
        click.echo("none" if number is None else number)
    else:
        emit_one({"number": number}, form)


def _sign_store(store: Path, spec: str | None, form: str, *, digest: bool, given: bool, quiet: bool) -> None:
    from nearkin.cli.progress import followed, progress
    from nearkin.errors import UsageError
    from nearkin.query.signatures import stored_signatures
    from nearkin.query.store_view import is_scoped, opened
    from nearkin.scheme import Estimator

    if given:
        raise UsageError("--raw and --ignore need a FILE; the texts of a store are signed as they were scanned.")
    with progress("sign", quiet=quiet) as report, opened(store) as connection:
        scoped = is_scoped(connection)
        scheme, found = stored_signatures(connection, spec)
        signatures = followed(found, report, "sign", _contents(connection) if report else 0)
        named = ["path", *(["scope"] if scoped else [])]
        if digest:
            _show(({**_named(place, scoped), **_digest(one)} for place, one in signatures), form, scoped=scoped)
        elif scheme.estimator is Estimator.RANGE:
            numbers = ({"number": _number(one), **_named(place, scoped)} for place, one in signatures)
            _show(numbers, form, columns=["number", *named], scoped=scoped)
        else:
            _show(_features(signatures, scoped), form, columns=["weight", "feature", *named], scoped=scoped)


def _contents(connection: "Connection") -> int:
    from nearkin.store.contents import HERE

    (contents,) = connection.execute(f"SELECT count(DISTINCT t.content) {HERE}").fetchone()
    return int(contents)


def _features(signatures: "Iterable[tuple[Location, Signature]]", scoped: bool) -> Iterator[Record]:
    for location, signature in signatures:
        name = _named(location, scoped)
        for weight, feature in zip(signature.weights.tolist(), signature.features.tolist(), strict=True):
            yield {"weight": weight, "feature": f"{feature:016x}", **name}


def _named(location: "Location", scoped: bool) -> Record:
    return {"path": location.name, **({"scope": location.scope} if scoped else {})}


def _number(signature: "Signature") -> int | None:
    """Of scheme si; features are the same bits without a sign."""
    return next(iter(signature.features.astype("i8").tolist()), None)


def _digest(signature: "Signature") -> Record:
    return {"digest": signature.digest, "features": len(signature), "weight": int(signature.weights.sum())}


def _show(records: Iterable[Record], form: str, *, columns: list[str] | None = None, scoped: bool = False) -> None:
    """Line by line, as they come: a signature may be longer than memory is large."""
    columns = columns or ["digest", "features", "weight", "path", *(["scope"] if scoped else [])]
    if form != "table":
        emit(records, form, columns=columns, paths=frozenset({"path"}))
        return
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import safe, shortened

    screen = Screen(scoped)
    shown = [column for column in columns if column != "scope"]

    def line(record: Record) -> str:
        cells: list[str] = []
        for column in shown:
            value = "none" if record[column] is None else str(record[column])
            if column == "path":
                value = safe(value if "scope" not in record else f"{record['scope']}:{value}")
                value = shortened(value, screen.width - sum(len(cell) + 2 for cell in cells) - 2)
            cells.append(value.rjust(RIGHT.get(column, 0)))
        return "  " + "  ".join(cells)

    head = {column: column.ljust(LEFT.get(column, 0)) for column in columns}
    screen.line((line(head).rstrip(), "dim"))
    write_lines(line(record) for record in records)
