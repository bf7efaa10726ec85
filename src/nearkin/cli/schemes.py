"""`schemes`: every way to sign a text."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nearkin.cli.options import common
from nearkin.cli.output import chosen, emit

if TYPE_CHECKING:
    from nearkin.scheme import Known, Scheme


@click.command(epilog="Example: nearkin schemes --format json")
@common
def schemes(store: Path, form: str | None, quiet: bool) -> None:
    """List the schemes: their keys, what they estimate, their papers.

    A scheme is written NAME:key=value,... wherever one is asked for; keys left out take their defaults.
    """
    from nearkin.scheme import SCHEMES

    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        screen = Screen()
        for name, known in SCHEMES.items():
            screen.line((name, "bold"), f"  {known.estimates}")
            containment, intervals, size = told(known.scheme())
            screen.line(
                f"  tells    resemblance, {'' if containment else 'no '}containment,"
                f" {'' if intervals else 'no '}intervals; size {size}"
            )
            screen.line(f"  keys     {', '.join(known.keys)}")
            screen.line(f"  example  {known.example}")
            screen.line(f"  paper    {known.paper}")
        return
    fields = ["name", "keys", "estimates", "containment", "intervals", "size", "paper", "example"]

    def record(name: str, known: "Known") -> dict[str, Any]:
        told_of = dict(zip(("containment", "intervals", "size"), told(known.scheme()), strict=True))
        own = {"name": name, "keys": list(known.keys), "estimates": known.estimates}
        return own | told_of | {"paper": known.paper, "example": known.example}

    records = (record(name, known) for name, known in SCHEMES.items())
    emit(records, form, columns=fields, rows=lambda record: [{**record, "keys": " ".join(record["keys"])}])


def told(scheme: "Scheme") -> tuple[bool, bool, str]:
    """Cherkasova 2009, Table 1: whether it tells containment, whether estimates have intervals, and its size."""
    return scheme.contains, scheme.sampled, "fixed" if scheme.limit else "variable"
