"""`schemes`: every way to sign a text."""

from pathlib import Path

import click

from nearkin.cli.options import common
from nearkin.cli.output import chosen, emit


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
            screen.line(f"  keys     {', '.join(known.keys)}")
            screen.line(f"  example  {known.example}")
            screen.line(f"  paper    {known.paper}")
        return
    fields = ["name", "keys", "estimates", "paper", "example"]
    records = (
        {
            "name": name,
            "keys": list(known.keys),
            "estimates": known.estimates,
            "paper": known.paper,
            "example": known.example,
        }
        for name, known in SCHEMES.items()
    )
    emit(records, form, columns=fields, rows=lambda record: [{**record, "keys": " ".join(record["keys"])}])
