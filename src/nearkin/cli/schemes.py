"""`schemes`: every way to sign a text, and how large a sample should be.

`sign`: the signature itself, of a document or of all in a store.
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from nearkin.cli.wording import name_of, note, without_text
from nearkin.errors import UsageError
from nearkin.settings import DEFAULT_SCHEME

if TYPE_CHECKING:
    from sqlite3 import Connection

    from nearkin.model import Location
    from nearkin.scheme import CatalogueEntry, Scheme, Signature
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
        spec = _learnt(learn)
        if form in (None, "table"):
            click.echo(spec)
        else:
            emit_one({"scheme": spec}, form)
        return
    form = chosen(form)
    if plan:
        from nearkin.scheme.plan import Plan

        _plan(Plan(error, resemblance, confidence, length, window, bits), form)
        return
    _list(form)


def _refuse_planning(ctx: click.Context) -> None:
    for name in PLANNED:
        parameter = "length" if name == "bytes" else name
        if ctx.get_parameter_source(parameter) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} goes with --plan; use: nearkin schemes --plan --{name} …")


def _list(form: str) -> None:
    from nearkin.scheme import SCHEMES

    if form == "table":
        from nearkin.cli.screen import Screen

        def yes(told: bool) -> str:
            return "" if told else "no "

        screen = Screen()
        for name, known in SCHEMES.items():
            containment, intervals, size = told(known.scheme())
            screen.line((name, "bold"))
            screen.facts(
                [
                    ("estimates", known.estimates),
                    ("has", f"{yes(containment)}containment, {yes(intervals)}intervals, signatures of {size} size"),
                    ("does", known.does),
                    ("use", known.use),
                    ("cannot", known.cannot),
                    ("cost", known.cost),
                    ("keys", ", ".join(known.keys)),
                    ("spec", known.example),
                    ("paper", known.paper),
                ]
            )
            screen.line()
        screen.note("More: docs/schemes.md. How large a sample: nearkin schemes --plan")
        return
    table = ["containment", "intervals", "size"]
    words = ["estimates", "does", "use", "cannot", "cost", "paper", "example"]
    fields = ["name", "keys", *table, *words]

    def record(name: str, known: "CatalogueEntry") -> dict[str, Any]:
        told_of = dict(zip(table, told(known.scheme()), strict=True))
        return {"name": name, "keys": list(known.keys), **told_of, **{word: getattr(known, word) for word in words}}

    records = (record(name, known) for name, known in SCHEMES.items())
    emit(records, form, columns=fields, rows=lambda record: [{**record, "keys": " ".join(record["keys"])}])


def _plan(plan: "Plan", form: str) -> None:
    if form == "table":
        _show_plan(plan)
        return
    record = {
        "error": plan.error,
        "resemblance": plan.resemblance,
        "confidence": plan.confidence,
        "sample": plan.sample,
        "signature_bytes": plan.signature_bytes,
        "bytes": plan.length,
        "min": plan.smallest,
        "sketch": plan.slots,
        "adaptive": plan.adaptive,
        "mod": plan.fixed,
        "rule": plan.rule,
        "rule_entries": plan.rule_entries,
        "bits": plan.bits,
        "false_equality": plan.false_equality,
        "bias": plan.bias,
    }
    emit_one(record, form)


def _show_plan(plan: "Plan") -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count
    from nearkin.cli.wording import size as size_in_words

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


def _learnt(path: Path) -> str:
    from nearkin.cli.wording import refuse_unreadable
    from nearkin.query.signatures import learn_from
    from nearkin.scheme.fuzzy import Fuzzy
    from nearkin.scheme.spec import parse_spec
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    refuse_unreadable(path)
    return learn_from(path, Fuzzy.parse(parse_spec("fuzzy")), Canon.of(TextSettings())).spec


def told(scheme: "Scheme") -> tuple[bool, bool, str]:
    """Cherkasova 2009, Table 1: whether it tells containment, whether estimates have intervals, and its size."""
    return scheme.contains, scheme.sampled, "fixed" if scheme.limit else "variable"


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
