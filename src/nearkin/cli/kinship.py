"""`custodians`, `folders`, `lineage`: who holds copies, which folders hold the same, which version came from which."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.matches import note_unfinished
from nearkin.cli.options import Share, chosen, common, emit_listing, limited, store_option
from nearkin.cli.wording import apart, cells, no_more_than, note, shortened
from nearkin.wording import count, marked, safe, size

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.group.folders import Side
    from nearkin.query.kinship import Custodian, FolderPair
    from nearkin.query.lineage import Descendant


@click.command(epilog="Example: nearkin custodians manual-1.txt")
@click.argument("subject", metavar="FILE|FAMILY")
@common
def custodians(subject: str, store: Path, form: str | None, quiet: bool) -> None:
    """List who holds copies or near-copies of a document, or members of a family.

    FILE is a document of the store, named by its path there or on disk; FAMILY is an id, or its first digits.
    `scan --custodian RULE` sets the custodians; otherwise the owner of the file, or of the archive or mail it is in,
    counts. Near-copies are those that reach the scan's thresholds.
    """
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with progress("comparing", quiet=quiet), Store(store).listings.custodians(subject) as listing:
        custodians = list(listing.items)
    if not any(custodian.known_by == "custodian" for custodian in custodians):
        command = f"nearkin scan … --custodian RULE{store_option(store)}"
        note(f"No custodians are known, only owners of files; to set them: {command}", quiet=quiet)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_custodians(Screen(listing.scoped), custodians)
    else:
        emit_listing(listing, custodians, form)


def _show_custodians(screen: "Screen", custodians: "list[Custodian]") -> None:
    for custodian in custodians:
        by = " (owner of the files)" if custodian.known_by == "owner" else ""
        who = "unknown" if custodian.name is None else safe(custodian.name)
        about = f"{count(len(custodian.holdings), 'documents')}, {size(custodian.bytes)}"
        screen.line((who, "bold"), f"{by}  {about}")
        names = apart([screen.name(held.location) for held in custodian.holdings], screen.width - 14)
        for held, name in zip(custodian.holdings, names, strict=True):
            how = f"near {marked(held.resemblance, held.exact)}" if held.tier == "near" else held.tier
            screen.line((f"  {how:<10}  ", "dim"), name)


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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    with Store(store).listings.folders(min_share=min_share, min_documents=min_documents) as listing:
        note_unfinished(listing, quiet=quiet)
        with progress("comparing folders", quiet=quiet):
            all_pairs = listing.items
    pairs = list(no_more_than(limit, all_pairs, "first", "pairs", quiet=quiet))
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_folders(Screen(listing.scoped), pairs)
    else:
        emit_listing(listing, pairs, form)


def _show_folders(screen: "Screen", pairs: "list[FolderPair]") -> None:
    if not pairs:
        screen.line("No two folders contain the same documents.")
    for pair in pairs:
        names = [screen.name(folder.location) or "." for folder in (pair.a, pair.b)]
        same, near = (_percent(number, pair.b.side.documents) for number in (pair.b.side.same, pair.b.side.present))
        front, between, end = f"{same} % of ", " is byte for byte in ", f"; with near copies {near} %"
        if sum(map(cells, (front, names[1], between, names[0], end))) <= screen.width:
            screen.line((f"{front}{names[1]}{between}{names[0]}{end}", "bold"))
        else:
            screen.line((front + apart(names, screen.width - len(front))[1], "bold"))
            room = screen.width - len(between) - len(end) - 1
            screen.line((f" {between}{apart(names, room)[0]}{end}", "bold"))
        a, b = apart(names, screen.width - 5)
        for folder, name in ((pair.b, b), (pair.a, a)):
            screen.folded(f"{name}: {_counted(folder.side)}", indent=2, style="dim")


def _percent(part: int, whole: int) -> int:
    """A percentage that is 100 only where it is all."""
    return 100 * part // whole


def _counted(side: "Side") -> str:
    """Counts of a folder's documents. A near copy may lack what the other says: nobody should take it for the same."""
    counts = [
        (side.same, "the same bytes there"),
        (side.near, "only near copies there, whose text may differ"),
        (side.only, "neither"),
    ]
    counted = ", ".join(f"{number:,} {'has' if number == 1 else 'have'} {what}" for number, what in counts if number)
    return f"{count(side.documents, 'documents')}; {counted}"


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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    lineages = Store(store).listings.lineage(family, dates=not no_dates, beyond=not family_only)
    with progress("comparing texts", quiet=quiet), lineages as listing:
        descendants = list(listing.items)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_lineage(Screen(listing.scoped), descendants)
    else:
        emit_listing(listing, descendants, form)


def _show_lineage(screen: "Screen", descendants: "list[Descendant]") -> None:
    names = [screen.name(descendant.location) for descendant in descendants]
    in_room: dict[int, list[str]] = {}
    for at, document in enumerate(descendants):
        about = "first" if document.new is None else f"+{document.new:,} -{document.lost:,}"
        if document.margins is not None:
            about = f"+{document.new:,}±{document.margins[0]:,} -{document.lost:,}±{document.margins[1]:,}"
        front = f"{document.moment.shown:<16}  {'  ' * min(document.depth, 20)}"
        room = max(screen.width - len(front) - len(about) - 2, 20)
        if room not in in_room:
            in_room[room] = apart(names, room)
        screen.line((front, "dim"), in_room[room][at], f"  {about}")
        inner = min(len(front), screen.width - 40)
        if document.copies:
            screen.folded(
                f"and {count(len(document.copies), 'documents')} with the same text", indent=inner, style="dim"
            )
        if document.same_words:
            screen.folded("the same words, written differently", indent=inner, style="dim")
        if document.beyond:
            screen.folded("below the threshold: related, but not in the family", indent=inner, style="dim")
        if document.nearer is not None:
            nearer = shortened(screen.name(document.nearer), screen.width - inner - 4)
            screen.folded(f"its text is nearer to {nearer}; dates and texts disagree", indent=inner, style="dim")
    if descendants:
        screen.note("+ new 20-byte windows, - windows of its source that were lost")
    if any(document.margins is not None for document in descendants):
        screen.note("± estimated (95 %) from a sample of the windows")
