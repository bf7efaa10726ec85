"""`schemes`: every way to sign a text."""

from pathlib import Path

import click

from nearkin.cli.options import common
from nearkin.cli.output import chosen, emit, emit_one


@click.command(epilog="Example: nearkin schemes --format json")
@common
@click.option(
    "--learn",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Print scheme fuzzy with its reference learnt from a folder, a file or a store.",
)
def schemes(store: Path, form: str | None, quiet: bool, learn: Path | None) -> None:
    """List the schemes: their keys, what they estimate, their papers.

    A scheme is written NAME:key=value,... wherever one is asked for; keys left out take their defaults.
    What --learn prints can be given as it is: nearkin scan PATH --scheme "$(nearkin schemes --learn PATH)".
    """
    from nearkin.scheme import SCHEMES

    if learn:
        spec = _learnt(learn)
        if form in (None, "table"):
            click.echo(spec)
        else:
            emit_one({"scheme": spec}, form)
        return
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


def _learnt(path: Path) -> str:
    from nearkin.report.learning import learn_from
    from nearkin.scheme.fuzzy import Fuzzy
    from nearkin.scheme.spec import parse_spec
    from nearkin.settings import TextSettings
    from nearkin.text.canon import Canon

    return learn_from(path, Fuzzy.parse(parse_spec("fuzzy")), Canon.of(TextSettings())).spec
