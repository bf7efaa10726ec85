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
    from nearkin.cli.unreadable import refuse_unreadable
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
