"""`folders`: which folder trees hold the same documents."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.matches import note_unfinished
from nearkin.cli.notes import no_more_than
from nearkin.cli.options import Share, common, limited
from nearkin.cli.output import chosen, emit

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.group.folders import Side
    from nearkin.query.kinship import FolderPair


@click.command(epilog="Example: nearkin folders --min-share 0.9")
@common
@click.option(
    "--min-share",
    type=Share(above_zero=True),
    default=0.5,
    show_default=True,
    help="Minimum share of B's documents that are in A.",
)
@click.option(
    "--min-documents",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    metavar="N",
    help="Minimum number of documents in B.",
)
@limited("N pairs that share most")
def folders(
    store: Path, form: str | None, quiet: bool, min_share: float, min_documents: int, limit: int | None
) -> None:
    """List pairs of folders where one contains documents of the other, largest overlap first.

    A folder counts with all its subfolders. A document of B is in A if A has one with the same bytes (same) or of the
    same family (near), which may be an edited version; the rest are only in B (only). If a folder inside another shows
    the same overlap, only the outer one is listed. Archives count as folders: notes/ may be in notes.zip!.
    """
    from nearkin.cli.progress import progress
    from nearkin.query.kinship import folder_record, list_folders
    from nearkin.query.store_view import is_scoped, opened
    from nearkin.store import runs

    with opened(store) as connection:
        note_unfinished(runs.unfinished(connection), quiet=quiet)
        scoped = is_scoped(connection)
        with progress("comparing folders", quiet=quiet):
            all_pairs = list_folders(connection, least=min_documents, share=min_share)
    found = list(no_more_than(limit, all_pairs, "first", "pairs", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show(Screen(scoped), found)
        return
    halves = [
        [
            side,
            *([f"{side}_scope"] if scoped else []),
            *(f"{side}_{what}" for what in ("documents", "same", "near", "only")),
        ]
        for side in ("a", "b")
    ]
    emit(
        (folder_record(pair, scoped=scoped) for pair in found),
        form,
        columns=[*halves[0], *halves[1], "b_in_a", "a_in_b"],
        paths=frozenset({"a", "b"}),
    )


def _show(screen: "Screen", found: "list[FolderPair]") -> None:
    from nearkin.cli.apart import apart
    from nearkin.cli.wording import cells

    if not found:
        screen.line("No two folders contain the same documents.")
    for pair in found:
        names = [screen.name(one.location) or "." for one in (pair.a, pair.b)]
        same, near = (_percent(number, pair.b.side.documents) for number in (pair.b.side.same, pair.b.side.present))
        front, between, end = f"{same} % of ", " is byte for byte in ", f"; with near copies {near} %"
        if sum(map(cells, (front, names[1], between, names[0], end))) <= screen.width:
            screen.line((f"{front}{names[1]}{between}{names[0]}{end}", "bold"))
        else:
            screen.line((front + apart(names, screen.width - len(front))[1], "bold"))
            room = screen.width - len(between) - len(end) - 1
            screen.line((f" {between}{apart(names, room)[0]}{end}", "bold"))
        a, b = apart(names, screen.width - 5)
        for one, name in ((pair.b, b), (pair.a, a)):
            screen.folded(f"{name}: {_counted(one.side)}", indent=2, style="dim")


def _percent(part: int, whole: int) -> int:
    """All is 100, and nothing else."""
    return 100 * part // whole


def _counted(side: "Side") -> str:
    """A near copy may lack what its like says: nobody should take it for the same."""
    from nearkin.cli.wording import count

    found = [
        (side.same, "the same bytes there"),
        (side.near, "only near copies there, whose text may differ"),
        (side.only, "neither"),
    ]
    told = ", ".join(f"{number:,} {'has' if number == 1 else 'have'} {what}" for number, what in found if number)
    return f"{count(side.documents, 'documents')}; {told}"
