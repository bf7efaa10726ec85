"""`schemes`: every way to sign a text, and how large a sample should be."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from nearkin.cli.options import FILE, common, size_of
from nearkin.cli.output import chosen, emit, emit_one
from nearkin.errors import UsageError

if TYPE_CHECKING:
    from nearkin.scheme import Known, Scheme
    from nearkin.scheme.plan import Plan

PLANNED = ("error", "resemblance", "confidence", "bytes", "window", "bits")


@click.command(epilog="Example: nearkin schemes --plan --error 0.05 --bytes 50K")
@common
@click.option("--plan", is_flag=True, help="How many samples are needed, instead of the list.")
@click.option("--error", type=float, default=0.05, show_default=True, help="How far off an estimate may be.")
@click.option("--resemblance", type=float, default=0.7, show_default=True, help="Where it must be as good as that.")
@click.option("--confidence", type=float, default=0.99, show_default=True, help="How often it must be.")
@click.option("--bytes", "length", type=size_of, metavar="SIZE", help="Length of a document, as 4K or 50K.")
@click.option("--window", type=int, default=20, show_default=True, help="Bytes of a shingle.")
@click.option("--bits", type=int, default=64, show_default=True, help="Length of the fingerprints.")
@click.option(
    "--learn",
    type=FILE,
    metavar="PATH",
    help="Print scheme fuzzy with its reference learnt from a folder, a file or a store.",
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
    """List the schemes: what they do, when to use them, what they cannot say, what they cost.

    A scheme is written NAME:key=value,... wherever one is asked for; keys left out take their defaults.
    With --plan: how large a sample must be for estimates within an error, and the specs that keep as much.
    What --learn prints can be given as it is: nearkin scan PATH --scheme "$(nearkin schemes --learn PATH)".
    """
    if learn and plan:
        raise UsageError("--learn and --plan are two questions; ask them one at a time.")
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
            raise UsageError(f"--{name} belongs to --plan; use: nearkin schemes --plan --{name} …")


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
                    ("tells", known.estimates),
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

    def record(name: str, known: "Known") -> dict[str, Any]:
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
    from nearkin.cli.words import count
    from nearkin.cli.words import size as size_in_words

    screen = Screen()
    screen.line((f"{count(plan.sample, 'samples')}", "bold cyan"), f" or more, {size_in_words(plan.signature_bytes)}")
    screen.line(
        f"  estimate a resemblance of {plan.resemblance:g} to ±{plan.error:g} in {100 * plan.confidence:g} % of cases"
    )
    screen.heading("Specs that keep as much")
    specs = [
        ("min", f"{plan.smallest}  just so many" if plan.smallest else "more than it can keep"),
        ("sketch", f"{plan.slots}  just so many" if plan.slots else "more than it can keep"),
        ("mod", f"{plan.adaptive}  at least half of `sample` are kept"),
    ]
    if plan.length is None:
        specs.append(("", "and for documents of one length: nearkin schemes --plan --bytes 50K"))
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
    facts = [("equal", f"two unlike shingles with probability under {plan.false_equality:.1e}")]
    if plan.bias is not None:
        facts.append(("bias", f"of a resemblance under {plan.bias:.1e} with probability 99.9 %"))
    screen.facts(facts)


def _learnt(path: Path) -> str:
    from nearkin.cli.unreadable import refuse_unreadable
    from nearkin.report.learning import learn_from
    from nearkin.scheme.fuzzy import Fuzzy
    from nearkin.scheme.spec import parse_spec
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    refuse_unreadable(path)
    return learn_from(path, Fuzzy.parse(parse_spec("fuzzy")), Canon.of(TextSettings())).spec


def told(scheme: "Scheme") -> tuple[bool, bool, str]:
    """Cherkasova 2009, Table 1: whether it tells containment, whether estimates have intervals, and its size."""
    return scheme.contains, scheme.sampled, "fixed" if scheme.limit else "variable"
