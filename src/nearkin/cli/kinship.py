"""`custodians`: who holds copies or near-copies.

`folders`: which folder trees hold the same documents.

`lineage`: which version came from which.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.matches import note_unfinished
from nearkin.cli.options import Record, Share, chosen, common, emit, limited, store_option
from nearkin.cli.wording import no_more_than, note

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
    from nearkin.cli.progress import progress
    from nearkin.query.kinship import custodian_record, list_custodians
    from nearkin.query.store_view import is_scoped, opened

    with progress("comparing", quiet=quiet), opened(store) as connection:
        scoped = is_scoped(connection)
        found = list_custodians(connection, subject)
    if not any(one.known_by == "custodian" for one in found):
        command = f"nearkin scan … --custodian RULE{store_option(store)}"
        note(f"No custodians are known, only owners of files; to set them: {command}", quiet=quiet)
    form = chosen(form)
    if form == "table":
        from nearkin.cli.screen import Screen

        _show_custodians(Screen(scoped), found)
        return

    def one_row_a_document(record: Record) -> Iterator[Record]:
        for document in record["documents"]:
            yield {**record, **document}

    emit(
        (custodian_record(one, scoped=scoped) for one in found),
        form,
        columns=[
            "custodian",
            "known_by",
            "count",
            "bytes",
            "path",
            *(["scope"] if scoped else []),
            "tier",
            "resemblance",
            "exact",
        ],
        rows=one_row_a_document,
        paths=frozenset({"path"}),
    )


def _show_custodians(screen: "Screen", found: "list[Custodian]") -> None:
    from nearkin.cli.screen import apart
    from nearkin.cli.wording import count, safe, size
    from nearkin.query.wording import marked

    for one in found:
        by = " (owner of the files)" if one.known_by == "owner" else ""
        who = "unknown" if one.name is None else safe(one.name)
        screen.line((who, "bold"), f"{by}  {count(len(one.holdings), 'documents')}, {size(one.bytes)}")
        names = apart([screen.name(held.location) for held in one.holdings], screen.width - 14)
        for held, name in zip(one.holdings, names, strict=True):
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

        _show_folders(Screen(scoped), found)
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


def _show_folders(screen: "Screen", found: "list[FolderPair]") -> None:
    from nearkin.cli.screen import apart
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

        _show_lineage(Screen(scoped), found)
        return
    scopes = ["scope", "source_scope"] if scoped else []
    figures = ["depth", "date", "date_from", "new", "lost", "exact", "new_margin", "lost_margin", "same_words"]
    emit(
        (lineage_record(one, scoped=scoped) for one in found),
        form,
        columns=["path", "source", *scopes, *figures, "copies", "nearer", "beyond"],
        paths=frozenset({"path", "source", "nearer"}),
    )


def _show_lineage(screen: "Screen", found: "list[Descendant]") -> None:
    from nearkin.cli.screen import apart
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
