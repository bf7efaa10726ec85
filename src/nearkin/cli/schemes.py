"""`schemes`: every way to sign a text, and how large a sample should be; `sign`: the signature of a document or of all
in a store."""

import sys
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from nearkin.cli.options import (
    FILE,
    NAME_OR_DASH,
    Record,
    chosen,
    common,
    emit,
    emit_one,
    size_of,
    text_options,
    write_lines,
)
from nearkin.cli.wording import name_of, note, shortened, without_text
from nearkin.errors import UsageError
from nearkin.settings import DEFAULT_SCHEME, TextSettings
from nearkin.wording import count, safe
from nearkin.wording import size as size_in_words

if TYPE_CHECKING:
    from nearkin.scheme.plan import Plan

PLANNED = ("error", "resemblance", "confidence", "bytes", "window", "bits")


@click.command(epilog="Example: nearkin schemes --plan --error 0.05 --bytes 50K")
@common
@click.option("--plan", is_flag=True, help="Show how many samples are needed, instead of the list.")
@click.option("--error", type=float, default=0.05, show_default=True, help="With --plan: largest error allowed.")
@click.option(
    "--resemblance", type=float, default=0.7, show_default=True, help="With --plan: the resemblance to be estimated."
)
@click.option(
    "--confidence",
    type=float,
    default=0.99,
    show_default=True,
    help="With --plan: how often the estimate must be that good.",
)
@click.option(
    "--bytes", "length", type=size_of, metavar="SIZE", help="With --plan: length of a document, e.g. 4K or 50K."
)
@click.option("--window", type=int, default=20, show_default=True, help="With --plan: bytes per shingle.")
@click.option("--bits", type=int, default=64, show_default=True, help="With --plan: bits per fingerprint.")
@click.option(
    "--learn",
    type=FILE,
    metavar="PATH",
    help="Print a fuzzy scheme whose reference is learnt from a folder, a file or a store.",
)
@click.pass_context
def schemes(
    ctx: click.Context,
    store: Path,
    form: str | None,
    quiet: bool,
    plan: bool,
    error: float,
    resemblance: float,
    confidence: float,
    length: int | None,
    window: int,
    bits: int,
    learn: Path | None,
) -> None:
    """List the schemes: what each does, when to use it, its limits and its cost.

    Write a scheme as NAME:key=value,...; keys you leave out take their defaults. --plan shows how large a sample must
    be for a given error, and which schemes keep that many. The output of --learn can be used directly:
    nearkin scan PATH --scheme "$(nearkin schemes --learn PATH)".
    """
    if learn and plan:
        raise UsageError("Use either --learn or --plan, not both.")
    if not plan:
        _refuse_planning(ctx)
    if learn:
        from nearkin.api.schemes import learn_reference_from

        spec = learn_reference_from(learn)
        if form in (None, "table"):
            click.echo(spec)
        else:
            emit_one({"scheme": spec}, form)
        return
    form = chosen(form)
    if plan:
        from nearkin.api.schemes import plan_record, plan_schemes

        planned = plan_schemes(
            error=error, resemblance=resemblance, confidence=confidence, length=length, window=window, bits=bits
        )
        if form == "table":
            _show_plan(planned)
        else:
            emit_one(plan_record(planned), form)
        return
    _list(form)


def _refuse_planning(ctx: click.Context) -> None:
    for name in PLANNED:
        parameter = "length" if name == "bytes" else name
        if ctx.get_parameter_source(parameter) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} goes with --plan; use: nearkin schemes --plan --{name} …")


def _list(form: str) -> None:
    from nearkin.api.schemes import SchemeDescription, list_schemes

    if form != "table":
        columns = [field.name for field in fields(SchemeDescription)]
        records = map(asdict, list_schemes())
        emit(records, form, columns=columns, rows=lambda record: [{**record, "keys": " ".join(record["keys"])}])
        return
    from nearkin.cli.screen import Screen

    screen = Screen()
    for scheme in list_schemes():
        containment, intervals = ("" if has else "no " for has in (scheme.containment, scheme.intervals))
        screen.line((scheme.name, "bold"))
        screen.facts(
            [
                ("estimates", scheme.estimates),
                ("has", f"{containment}containment, {intervals}intervals, signatures of {scheme.size} size"),
                ("does", scheme.does),
                ("use", scheme.use),
                ("cannot", scheme.cannot),
                ("cost", scheme.cost),
                ("keys", ", ".join(scheme.keys)),
                ("spec", scheme.example),
                ("paper", scheme.paper),
            ]
        )
        screen.line()
    screen.note("More: docs/schemes.md. How large a sample: nearkin schemes --plan")


def _show_plan(plan: "Plan") -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    screen.line((f"{count(plan.sample, 'samples')}", "bold cyan"), f" or more, {size_in_words(plan.signature_bytes)}")
    screen.line(
        f"  estimate a resemblance of {plan.resemblance:g} to ±{plan.error:g} in {100 * plan.confidence:g} % of cases"
    )
    screen.heading("Schemes that keep as many")
    specs = [
        ("min", f"{plan.smallest}  exactly that many" if plan.smallest else "more than it can keep"),
        ("sketch", f"{plan.slots}  exactly that many" if plan.slots else "more than it can keep"),
        ("mod", f"{plan.adaptive}  keeps at least half of `sample`"),
    ]
    if plan.length is None:
        specs.append(("", "for documents of a given length: nearkin schemes --plan --bytes 50K"))
    elif plan.modulus == 1:
        specs.append(("", f"{plan.fixed}  all shingles of {size_in_words(plan.length)}: exact"))
    else:
        specs.append(("", f"{plan.fixed}  on average, of {size_in_words(plan.length)}"))
    screen.facts(specs)
    screen.heading("Rule of thumb", "S bytes make S/n features (Cherkasova 2009)")
    rules = [("mod", "n=100 for documents of 1 to 4 kB, n=500 for 50 kB")]
    if plan.length is not None:
        rules = [("mod", f"{plan.rule}  {count(plan.rule_entries or 0, 'features')} of {size_in_words(plan.length)}")]
    screen.facts(rules)
    screen.heading("Fingerprints", f"of {plan.bits} bits (Broder 1997 §4.1)")
    facts = [("collisions", f"two different shingles collide with a probability below {plan.false_equality:.1e}")]
    if plan.bias is not None:
        facts.append(("bias", f"of a resemblance is below {plan.bias:.1e} in 99.9 % of cases"))
    screen.facts(facts)


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
    from nearkin.api.schemes import sign_document

    data = sys.stdin.buffer.read() if file == "-" else None
    ignored = TextSettings().ignore if ignore is None else ignore
    signed = sign_document(store, file, scheme, data, raw=raw, ignore=ignored)
    if signed.document.text is None:
        note(f"{without_text(signed.document)}, so it has no signature.", quiet=quiet)
    elif not len(signed.signature):
        note(f"{name_of(signed.document)} has no signature under {signed.spec}.", quiet=quiet)
    if digest:
        _show([{"path": file, **signed.digest()}], form)
    elif signed.has_number:
        _print_number(signed.number, form)
    else:
        _show(signed.features(), form, columns=["weight", "feature", "offset"])


def _print_number(number: int | None, form: str) -> None:
    if form == "table":
        click.echo("none" if number is None else number)
    else:
        emit_one({"number": number}, form)


def _sign_store(store: Path, spec: str | None, form: str, *, digest: bool, given: bool, quiet: bool) -> None:
    from nearkin.api.store import Store
    from nearkin.cli.progress import followed, progress

    if given:
        raise UsageError("--raw and --ignore need a FILE; the texts of a store are signed as they were scanned.")
    with progress("sign", quiet=quiet) as report, Store(store).listings.signatures(spec) as listing:
        signatures = followed(listing.items, report, "sign", listing.count() if report else 0)
        named = ["path", *(["scope"] if listing.scoped else [])]
        if digest:
            _show(listing.records(signatures), form, columns=listing.columns, scoped=listing.scoped)
        elif listing.has_numbers:
            _show(listing.numbers(signatures), form, columns=["number", *named], scoped=listing.scoped)
        else:
            _show(listing.features(signatures), form, columns=["weight", "feature", *named], scoped=listing.scoped)


def _show(records: Iterable[Record], form: str, *, columns: list[str] | None = None, scoped: bool = False) -> None:
    """Print records as they come, line by line: a signature may be longer than memory is large."""
    columns = columns or ["digest", "features", "weight", "path", *(["scope"] if scoped else [])]
    if form != "table":
        emit(records, form, columns=columns, paths=frozenset({"path"}))
        return
    from nearkin.cli.screen import Screen

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
