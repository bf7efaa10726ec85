"""`template`: boilerplate, left out of every comparison."""

import sys
from pathlib import Path
from typing import Any, Literal

import click

from nearkin.cli.options import NAME, chosen, common, emit, emit_listing, emit_one, store_option
from nearkin.cli.wording import note as tell
from nearkin.errors import UsageError
from nearkin.wording import count, safe

least_option = click.option(
    "--least",
    type=click.IntRange(3),
    default=5,
    show_default=True,
    metavar="N",
    help="Suggest text that at least N different documents contain.",
)
limit_option = click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Suggest at most N."
)
by_option = click.option("--by", metavar="NAME", help="Who decides, for the audit.  [default: your login name]")


@click.group(epilog="Example: nearkin template suggest && nearkin template add --suggestion 1")
def template() -> None:
    """Leave boilerplate out of every comparison (Forman 2005, section 4).

    A template is text that later comparisons ignore, such as a letterhead or a form. Scores, sizes and families then
    count only the rest; nothing is read again. Templates do not apply to schemes fuzzy and si, which describe a text
    only as a whole.
    """


@template.command("suggest", epilog="Example: nearkin template suggest --least 20")
@common
@least_option
@limit_option
def suggest(store: Path, form: str | None, quiet: bool, least: int, limit: int) -> None:
    """Suggest text that many otherwise different documents contain.

    Each suggestion has an excerpt, the number of documents that contain it, and the families that would probably change
    without it. Use its number in `nearkin template add --suggestion N`; it is valid until the store changes.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    suggestions = Store(store).listings.suggestions(least=least, limit=limit)
    with progress("looking for boilerplate", quiet=quiet), suggestions as listing:
        records = list(listing.items)
    form = chosen(form)
    if form != "table":
        emit_listing(listing, records, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen()
    for record in records:
        changed = count(record["families_changed"], "families") + " would change"
        screen.line(
            (f"{record['suggestion']}", "bold"),
            f"  in {count(record['documents'], 'documents')}, {record['shingles']:,} shingles; {changed}",
        )
        families = f"{' '.join(record['families'][:3])}{' …' if record['families_changed'] > 3 else ''}"
        screen.facts([("families", families), ("text", safe(record["excerpt"]))])
    if records:
        screen.note(f"To leave one out: nearkin template add --suggestion N{store_option(store)}")
    else:
        screen.line("There is no text that many otherwise different documents contain.")


@template.command("add", epilog="Example: nearkin template add --file blank-form.txt --name invoice")
@common
@click.option("--family", metavar="ID", help="The text that all members of a family have in common.")
@click.option("--file", "file", type=NAME, metavar="FILE", help="The text of a file or document.")
@click.option("--text", metavar="TEXT", help="The text itself; - for standard input.")
@click.option(
    "--suggestion",
    "suggestions",
    multiple=True,
    metavar="N",
    help="The number of a suggestion of `nearkin template suggest`, or all. May be repeated.",
)
@least_option
@limit_option
@click.option(
    "--tolerance",
    type=float,
    metavar="SHARE",
    help="With --family: the text that at least this share of members have, e.g. 0.9.  [default: 1]",
)
@click.option("--name", metavar="NAME", help="Name of the template.  [default: taken from its source]")
@by_option
@click.option("--note", metavar="TEXT", help="Reason, for the audit.")
def add(store: Path, form: str | None, quiet: bool, file: str | None, text: str | None, **options: Any) -> None:
    """Add a template; documents are matched and grouped again without its text."""
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    given = {"family": options["family"], "file": file, "text": text, "suggestion": options["suggestions"] or None}
    chosen_sources = [name for name, value in given.items() if value is not None]
    if len(chosen_sources) != 1:
        raise UsageError("Give one of --family, --file, --text and --suggestion.")
    if options["tolerance"] is not None and options["family"] is None:
        raise UsageError("--tolerance belongs to --family.")
    if not store.exists():
        Store.open(store, create=False)  # says so
    options |= {"file": file, "text": sys.stdin.buffer.read() if text == "-" else text}
    options["suggestions"] = _numbers(options["suggestions"])
    with progress("match", quiet=quiet) as report:
        names = Store(store).add_template(**options, progress=report)
    form = chosen(form)
    if form != "table":
        emit(({"name": name} for name in names), form, columns=["name"])
    elif not quiet:
        from nearkin.cli.screen import Screen

        Screen().line(f"{safe(', '.join(names))} left out of all scores from now on; families were updated.")


def _numbers(asked: tuple[str, ...]) -> list[int] | Literal["all"]:
    if asked == ("all",):
        return "all"
    if "all" in asked:
        raise UsageError("--suggestion all already includes every one; give either all or numbers.")
    for number in asked:
        if not number.isdecimal():
            raise UsageError(
                f"--suggestion must be a number shown by `nearkin template suggest`, or all, not {number}."
            )
    return [int(number) for number in asked]


@template.command("list", epilog="Example: nearkin template list")
@common
def list_(store: Path, form: str | None, quiet: bool) -> None:
    """List the templates, and how many documents contain each."""
    from nearkin.api.store import Store

    with Store(store).listings.templates() as listing:
        records = list(listing.items)
    form = chosen(form)
    if form != "table":
        emit_listing(listing, records, form)
        return
    from nearkin.cli.screen import Screen

    screen = Screen()
    for record in records:
        documents = "" if record["documents"] is None else f"in {count(record['documents'], 'documents')}, "
        by = f"by {record['by']} on {record['at'][:10]}" + (f", “{record['note']}”" if record["note"] else "")
        screen.line(
            (safe(record["name"]), "bold"),
            f"  {documents}{record['shingles']:,} shingles, {count(record['passages'], 'passages')}, {safe(by)}",
        )
        screen.facts([("", safe(record["excerpt"]) or "–")])
    if not records:
        screen.line("There are no templates.")


@template.command("remove", epilog="Example: nearkin template remove suggestion")
@click.argument("name", metavar="NAME|ID")
@common
@by_option
def remove(name: str, store: Path, form: str | None, quiet: bool, by: str | None) -> None:
    """Remove a template; documents are matched and grouped again with its text."""
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("match", quiet=quiet):
        Store(store).remove_template(name, by=by)
    form = chosen(form)
    if form != "table":
        emit_one({"removed": name}, form)
    else:
        tell(f"{name} counts again in all scores; families were updated.", quiet=quiet)
