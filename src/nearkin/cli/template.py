"""`template`: boilerplate, left out of every comparison."""

import sys
from pathlib import Path
from typing import Any, Literal

import click

from nearkin.cli.options import NAME, Record, chosen, common, emit, emit_one, store_option
from nearkin.cli.wording import note as tell
from nearkin.errors import InputError, UsageError

SUGGESTED = ["suggestion", "documents", "shingles", "families_changed", "families", "passages", "excerpt"]
LISTED = [
    "id",
    "name",
    "source",
    "tolerance",
    "documents",
    "shingles",
    "passages",
    "excerpt",
    "by",
    "note",
    "at",
]

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
    from nearkin.cli.progress import progress
    from nearkin.query.store_view import opened
    from nearkin.query.templates import list_suggestions

    with progress("looking for boilerplate", quiet=quiet), opened(store) as connection:
        records = [one.record() for one in list_suggestions(connection, least=least, limit=limit)]
    form = chosen(form)
    if form != "table":
        emit(records, form, columns=SUGGESTED, rows=_one_cell_of_families)
        return
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count, safe

    screen = Screen()
    for one in records:
        changed = count(one["families_changed"], "families") + " would change"
        screen.line(
            (f"{one['suggestion']}", "bold"),
            f"  in {count(one['documents'], 'documents')}, {one['shingles']:,} shingles; {changed}",
        )
        families = f"{' '.join(one['families'][:3])}{' …' if one['families_changed'] > 3 else ''}"
        screen.facts([("families", families), ("text", safe(one["excerpt"]))])
    if records:
        screen.note(f"To leave one out: nearkin template add --suggestion N{store_option(store)}")
    else:
        screen.line("There is no text that many otherwise different documents contain.")


def _one_cell_of_families(record: Record) -> list[Record]:
    return [{**record, "families": " ".join(record["families"])}]


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
        from nearkin.query.store_view import opened

        with opened(store):
            pass
    if file is not None:
        options |= {"text": _text_of(file, store), "source": "file", "name": options["name"] or _unnumbered(file)}
    elif text is not None:
        options["text"] = sys.stdin.buffer.read() if text == "-" else text
    options["suggestions"] = _numbers(options["suggestions"])
    with progress("match", quiet=quiet) as report:
        names = Store(store).add_template(**options, progress=report)
    form = chosen(form)
    if form != "table":
        emit(({"name": name} for name in names), form, columns=["name"])
    elif not quiet:
        from nearkin.cli.screen import Screen
        from nearkin.cli.wording import safe

        Screen().line(f"{safe(', '.join(names))} left out of all scores from now on; families were updated.")


def _text_of(file: str, store: Path) -> bytes:
    """As extracted; raw bytes where the store's texts are."""
    from nearkin.query.lookup import find_document
    from nearkin.query.store_view import opened
    from nearkin.store import runs

    with opened(store) as connection:
        raw = runs.canon_of(connection, runs.last(connection)) == "raw"
    found = find_document(file, store, raw=raw)
    if found.text is None:
        raise InputError(f"{file} has no readable text.")
    return found.text


def _unnumbered(file: str) -> str:
    name = Path(file).name
    return f"file-{name}" if name.isdigit() else name


def _numbers(asked: tuple[str, ...]) -> list[int] | Literal["all"]:
    if asked == ("all",):
        return "all"
    if "all" in asked:
        raise UsageError("--suggestion all already includes every one; give either all or numbers.")
    for one in asked:
        if not one.isdecimal():
            raise UsageError(f"--suggestion must be a number shown by `nearkin template suggest`, or all, not {one}.")
    return [int(one) for one in asked]


@template.command("list", epilog="Example: nearkin template list")
@common
def list_(store: Path, form: str | None, quiet: bool) -> None:
    """List the templates, and how many documents contain each."""
    from nearkin.query.store_view import opened
    from nearkin.query.templates import template_records

    with opened(store) as connection:
        records = template_records(connection)
    form = chosen(form)
    if form != "table":
        emit(records, form, columns=LISTED)
        return
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import count, safe

    screen = Screen()
    for one in records:
        documents = "" if one["documents"] is None else f"in {count(one['documents'], 'documents')}, "
        said = f"by {one['by']} on {one['at'][:10]}" + (f", “{one['note']}”" if one["note"] else "")
        screen.line(
            (safe(one["name"]), "bold"),
            f"  {documents}{one['shingles']:,} shingles, {count(one['passages'], 'passages')}, {safe(said)}",
        )
        screen.facts([("", safe(one["excerpt"]) or "–")])
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
