"""`folders`: which folder trees hold the same documents."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.listing import note_unfinished
from nearkin.cli.notes import no_more_than
from nearkin.cli.options import common, limited
from nearkin.cli.output import chosen, emit

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.report.folders import FolderPair


@click.command(epilog="Example: nearkin folders --min-share 0.9")
@common
@click.option(
    "--min-share", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True, help="Of B in A."
)
@click.option("--min-documents", type=click.IntRange(1), default=2, show_default=True, help="In one tree at least.")
@limited("N pairs that share most")
def folders(
    store: Path, form: str | None, quiet: bool, min_share: float, min_documents: int, limit: int | None
) -> None:
    """List pairs of folder trees of which one lives in the other, those that share most first.

    A tree is a folder with all below it. A document of B lives in A if A has one of the same bytes (same), or of the
    same family (near); only is the rest. Of trees around one another only the outer ones are listed, where these hold
    the same just as well. Archives count as folders: notes/ may live in notes.zip!.
    """
    from nearkin.report.folders import folder_record, list_folders
    from nearkin.report.reading import is_scoped, opened
    from nearkin.store import runs

    with opened(store) as connection:
        note_unfinished(runs.unfinished(connection), quiet=quiet)
        scoped = is_scoped(connection)
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
    from nearkin.cli.words import cells, count, shortened

    if not found:
        screen.line("No two folder trees hold the same documents.")
    for pair in found:
        a, b = pair.a, pair.b
        names = [screen.name(one.location) or "." for one in (a, b)]
        percent = 100 if not b.side.only else min(int(100 * b.side.share), 99)
        room = screen.width - len(f"{percent} % of  lives in ")
        if sum(map(cells, names)) <= room:
            screen.line((f"{percent} % of {names[1]} lives in {names[0]}", "bold"))
        else:
            screen.line((f"{percent} % of {shortened(names[1], screen.width - 9)}", "bold"))
            screen.line((f"  lives in {shortened(names[0], screen.width - 11)}", "bold"))
        for one, name in ((b, names[1]), (a, names[0])):
            told = (
                f"{shortened(name, screen.width - 4)}: {count(one.side.documents, 'documents')},"
                f" {one.side.same:,} of the same bytes, {one.side.near:,} near; {one.side.only:,} only there"
            )
            screen.folded(told, indent=2, style="dim")
