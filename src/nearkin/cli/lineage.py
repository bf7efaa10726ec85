"""`lineage`: which version came from which."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import common
from nearkin.cli.output import chosen, emit

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.query.lineage import Descendant


@click.command(epilog="Example: nearkin lineage 41c0")
@click.argument("family", metavar="FAMILY|PATH")
@common
@click.option("--no-dates", is_flag=True, help="Ignore dates; order by the texts alone.")
@click.option("--family-only", is_flag=True, help="Leave out relatives below the threshold.")
def lineage(family: str, store: Path, form: str | None, quiet: bool, no_dates: bool, family_only: bool) -> None:
    """Show which version probably came from which, in a FAMILY or around a document.

    Name the family by its id (or its first digits) or by the PATH of one of its documents. Each text is placed below
    its likely source: the text, no later in date, from which it differs least, where new text counts fully and lost
    text half. New and lost are counted in distinct 20-byte windows of the extracted text; texts with the same words
    (e.g. in capitals) count none. For very long texts the numbers are estimates and marked ±.

    Dates are the document's own, else the file's. Rewritten versions below the threshold are added and marked if each
    is the other's nearest text outside its family. If a text is much nearer to another than to its source by date,
    a note says so: one of the dates may be wrong.
    """
    from nearkin.cli.progress import progress
    from nearkin.query.lineage import lineage_record, trace_lineage
    from nearkin.query.store_view import is_scoped, opened

    with progress("comparing texts", quiet=quiet), opened(store) as connection:
        scoped = is_scoped(connection)
        found = trace_lineage(connection, family, dates=not no_dates, beyond=not family_only)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show(Screen(scoped), found)
        return
    scopes = ["scope", "source_scope"] if scoped else []
    figures = ["depth", "date", "date_from", "new", "lost", "exact", "new_margin", "lost_margin", "same_words"]
    emit(
        (lineage_record(one, scoped=scoped) for one in found),
        form,
        columns=["path", "source", *scopes, *figures, "copies", "nearer", "beyond"],
        paths=frozenset({"path", "source", "nearer"}),
    )


def _show(screen: "Screen", found: "list[Descendant]") -> None:
    from nearkin.cli.apart import apart
    from nearkin.cli.wording import count, shortened

    names = [screen.name(one.location) for one in found]
    in_room: dict[int, list[str]] = {}
    for at, one in enumerate(found):
        about = "first" if one.new is None else f"+{one.new:,} -{one.lost:,}"
        if one.margins is not None:
            about = f"+{one.new:,}±{one.margins[0]:,} -{one.lost:,}±{one.margins[1]:,}"
        front = f"{one.moment.shown:<16}  {'  ' * min(one.depth, 20)}"
        room = max(screen.width - len(front) - len(about) - 2, 20)
        if room not in in_room:
            in_room[room] = apart(names, room)
        screen.line((front, "dim"), in_room[room][at], f"  {about}")
        inner = min(len(front), screen.width - 40)
        if one.copies:
            screen.folded(f"and {count(len(one.copies), 'documents')} with the same text", indent=inner, style="dim")
        if one.same_words:
            screen.folded("the same words, written differently", indent=inner, style="dim")
        if one.beyond:
            screen.folded("below the threshold: related, but not in the family", indent=inner, style="dim")
        if one.nearer is not None:
            nearer = shortened(screen.name(one.nearer), screen.width - inner - 4)
            screen.folded(f"its text is nearer to {nearer}; dates and texts disagree", indent=inner, style="dim")
    if found:
        screen.note("+ new 20-byte windows, - windows of its source that were lost")
    if any(one.margins is not None for one in found):
        screen.note("± estimated (95 %) from a sample of the windows")
