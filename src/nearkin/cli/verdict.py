"""`verdict`: what people decided about pairs and families."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import Record, chosen, common, emit_listing, emit_one, store_option
from nearkin.cli.wording import apart, hard
from nearkin.cli.wording import note as tell
from nearkin.errors import UsageError
from nearkin.wording import count, safe

if TYPE_CHECKING:
    from nearkin.query.verdicts import Consequence

WORDS = ("same", "version", "not-similar", "template", "keep")

by_option = click.option("--by", metavar="NAME", help="Who decides, for the audit.  [default: your login name]")


@click.group(epilog="Example: nearkin verdict set manual-1.txt manual-2.txt not-similar")
def verdict() -> None:
    """Record lasting decisions about a pair of documents or a family.

    Verdicts refer to the bytes of the documents, so they survive new scans, moves and other settings.
    """


@verdict.command(
    "set",
    epilog="Example: nearkin verdict set 41c0 keep manuals/manual-3.txt --note 'the signed one'",
)
@click.argument("words", nargs=-1, required=True, metavar="(A B | FAMILY) VERDICT")
@common
@by_option
@click.option("--note", metavar="TEXT", help="Reason, for the audit.")
def set_(words: tuple[str, ...], store: Path, form: str | None, quiet: bool, by: str | None, note: str | None) -> None:
    """Decide what two documents A and B, or a FAMILY, are.

    VERDICT is one of: same, version, not-similar, template, keep PATH. FAMILY is an id shown by
    `nearkin families`, or its first digits.

    Pairs that are not-similar, or share only a template, no longer link families and are no longer listed.
    A later verdict replaces an earlier one; the audit keeps both.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    subject, ruling, keep = _understood(words)
    with progress("group", quiet=quiet):
        consequence = Store(store).set_verdict(subject, ruling, keep=keep, by=by, note=note)
    form = chosen(form)
    if form != "table":
        about = {"family": subject, "a": None, "b": None} if isinstance(subject, str) else _pair(subject)
        families = {f"families_{name}": getattr(consequence, name) for name in ("ended", "changed", "founded")}
        record = {**about, "verdict": ruling, "keep": keep, "replaced": consequence.replaced, **families}
        emit_one(record, form, paths=frozenset({"a", "b", "keep"}))
    elif not quiet:
        _show_consequence(subject, ruling, keep, consequence)
    if ruling == "template":
        shared, family = ("they share", subject) if isinstance(subject, str) else ("that a family shares", "ID")
        command = f"nearkin template add --family {family}{store_option(store)}"
        tell(f"To leave the text {shared} out of every comparison: {command}", quiet=quiet)


def _show_consequence(
    subject: str | tuple[str, str], ruling: str, keep: str | None, consequence: "Consequence"
) -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    pair = [] if isinstance(subject, str) else [*subject]
    names = [hard(safe(name)) for name in (*pair, *([keep] if keep else []))]
    shown = apart(names, screen.width - len("    and :"))
    about_whom = " and ".join(shown[: len(pair)]) or f"family {subject}"
    verdict = " ".join([ruling, *shown[len(pair) :]])
    instead = f", instead of {safe(consequence.replaced)}" if consequence.replaced else ""
    screen.folded(f"{about_whom}: {verdict}{instead}")
    changes = [name for name in ("ended", "changed", "founded") if getattr(consequence, name)]
    if changes:
        screen.note(", ".join(f"{count(getattr(consequence, name), 'families')} {name}" for name in changes))
    elif ruling != "keep":
        screen.note("No family changed.")


def _pair(subject: tuple[str, str]) -> Record:
    return {"family": None, "a": subject[0], "b": subject[1]}


def _understood(words: tuple[str, ...]) -> tuple[str | tuple[str, str], str, str | None]:
    """Subject, verdict, and which document to keep."""
    match words:
        case (a, b, "keep", path):
            return (a, b), "keep", path
        case (family, "keep", path):
            return family, "keep", path
        case (a, b, ruling) if ruling in WORDS and ruling != "keep":
            return (a, b), ruling, None
        case (family, ruling) if ruling in WORDS and ruling != "keep":
            return family, ruling, None
        case (_, "keep"):
            raise UsageError("Name the document to keep: nearkin verdict set FAMILY keep PATH, or A B keep PATH")
    known = ", ".join(WORDS[:-1])
    raise UsageError(f"Use: nearkin verdict set A B VERDICT, or FAMILY VERDICT; verdicts are {known}, keep PATH.")


@verdict.command("list", epilog="Example: nearkin verdict list --format csv > verdicts.csv")
@common
def list_(store: Path, form: str | None, quiet: bool) -> None:
    """List the verdicts with their documents, latest first."""
    from nearkin.api.store import Store

    with Store(store).listings.verdicts() as listing:
        form = chosen(form)
        if form == "table":
            _show(list(listing.records()))
        else:
            emit_listing(listing, listing.items, form)


def _show(records: list[Record]) -> None:
    from nearkin.cli.screen import Screen

    screen = Screen()
    if not records:
        screen.line("There are no verdicts yet.")
        return

    def about(record: Record) -> str:
        paths = [hard(safe(path)) for path in record["paths"]]
        if record["about"] == "pair":
            return "\n".join(paths) or "documents that are gone"
        kept = [hard(f"keep {safe(record['keep'])}")] if record["keep"] else []
        more = f"{count(len(paths), 'documents')}, first\n{paths[0]}" if paths else "documents that are gone"
        return "\n".join([f"family {record['family']}", more, *kept])

    screen.columns(
        ["id", "verdict", "by", "at", "about"],
        (
            [
                str(record["id"]),
                record["verdict"],
                safe(record["by"]),
                record["at"][:16].replace("T", " "),
                _noted(about(record), record),
            ]
            for record in records
        ),
        right=(0,),
        folding=True,
    )


def _noted(text: str, record: Record) -> str:
    return f"{text}\n“{safe(record['note'])}”" if record["note"] else text


@verdict.command("clear", epilog="Example: nearkin verdict clear manual-1.txt manual-2.txt")
@click.argument("words", nargs=-1, metavar="[A B | FAMILY]")
@common
@by_option
@click.option("--id", "number", type=int, metavar="N", help="The verdict with this number in `nearkin verdict list`.")
def clear(
    words: tuple[str, ...], store: Path, form: str | None, quiet: bool, by: str | None, number: int | None
) -> None:
    """Remove the verdict on a pair or a family."""
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    if (number is None) != (len(words) in (1, 2)) or len(words) > 2:
        raise UsageError("Name the verdict to clear: A B, FAMILY, or --id N.")
    if number is not None:
        subject: str | tuple[str, str] | int = number
    else:
        subject = words[0] if len(words) == 1 else (words[0], words[1])
    with progress("group", quiet=quiet):
        cleared = Store(store).clear_verdict(subject, by=by)
    form = chosen(form)
    if form != "table":
        emit_one({"cleared": cleared}, form)
    elif not quiet:
        from nearkin.cli.screen import Screen

        Screen().line(f"{count(cleared, 'verdicts')} cleared.")
