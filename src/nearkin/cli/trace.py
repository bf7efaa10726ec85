"""`trace`: where the passages of a file went."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import NAME_OR_DASH, chosen, common, emit
from nearkin.cli.wording import note, tell_unopened, without_text
from nearkin.errors import InputError

if TYPE_CHECKING:
    from nearkin.query.lookup import Readable
    from nearkin.query.trace import Trace

SHOWN = 3  # passages of a document on the screen; JSON has all


@click.command(epilog="Example: nearkin trace contract.txt --min-length 80")
@click.argument("file", type=NAME_OR_DASH)
@common
@click.option(
    "--min-length",
    type=click.IntRange(20),
    default=100,
    show_default=True,
    metavar="N",
    help="Look for passages of at least N characters; a shorter FILE is looked for as a whole.",
)
@click.option(
    "--quick", is_flag=True, help="Look only at documents that share a stored feature; may miss short passages."
)
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 1 if a document contains a passage, with 3 if that cannot be told for sure.",
)
def trace(file: str, store: Path, form: str | None, quiet: bool, min_length: int, quick: bool, exit_code: bool) -> int:
    """List every stored document that contains a passage of FILE (- for standard input).

    Each is listed with its passages, their places in FILE (a) and in the document (b), and the share of FILE that it
    contains; a total gives the share of FILE found in any of them. FILE may be the path of a stored document, which is
    then listed too. Passages are verified on the stored texts; without stored texts, copies are found by their digests.
    """
    from nearkin.cli.progress import progress
    from nearkin.query.lookup import Readable, find_document, from_bytes
    from nearkin.query.records import traced_record
    from nearkin.query.store_view import connected, is_scoped
    from nearkin.query.trace import trace as follow
    from nearkin.query.wording import count
    from nearkin.store import runs
    from nearkin.text.canon import Canon

    form = chosen(form)
    with connected(store) as connection:
        raw = Canon.parse(runs.canon_of(connection, runs.last(connection))).raw
        query = (
            from_bytes("-", sys.stdin.buffer.read(), raw=raw) if file == "-" else find_document(file, store, raw=raw)
        )
        if query.text is None:
            note(f"{without_text(query)}; so there is nothing to trace.", quiet=quiet)
        tell_unopened(query, quiet=quiet)
        with progress("looking for passages", quiet=quiet):
            found = follow(connection, store, query.text or b"", query.digest, least=min_length, quick=quick)
        scoped = is_scoped(connection)
    if form == "table":
        _show(found, Readable.of(query.text or b"", Canon(raw, frozenset())), scoped=scoped)
    else:
        records = (traced_record(one, found, scoped=scoped) for one in found.documents)
        columns = ["path", *(["scope"] if scoped else []), "share", "share_of_all", "passages"]
        emit(records, form, columns=columns, paths=frozenset({"path"}))
        contain = "contains" if len(found.documents) == 1 else "together contain"
        held = f"{count(len(found.documents), 'documents')} {contain} {found.share:.1%} of it."
        none = "No text that could be searched contains" if found.unseen else "No document contains"
        note(held if found.documents else f"{none} a passage of it.", quiet=quiet)
        for unseen in found.unseen:
            note(unseen, quiet=quiet)
    if exit_code and (query.holds or query.problem or found.unseen) and not found.documents:
        return InputError.exit_code  # no all-clear for what nobody looked into
    return int(exit_code and bool(found.documents))


def _show(found: "Trace", text: "Readable", *, scoped: bool) -> None:
    from nearkin.cli.screen import Screen
    from nearkin.cli.wording import both_ends, count, safe, share, shortened

    screen = Screen(scoped)
    if not found.documents:
        none = "No text that could be searched contains" if found.unseen else "No document of the store contains"
        screen.line(f"{none} a passage of it of {found.least:,} characters.")
        for unseen in found.unseen:
            screen.folded(f"{unseen}.")
        return
    contain = "contains" if len(found.documents) == 1 else "together contain"
    held = f"{contain} {share(found.share)} of it, in passages of at least {found.least:,} characters"
    screen.folded(f"{count(len(found.documents), 'documents')} {held}", style="bold")
    for one in found.documents:
        screen.line()
        screen.line((share(one.share), "bold cyan"), f"  {shortened(screen.name(one.location), screen.width - 7)}")
        longest = sorted(one.passages, key=lambda passage: (passage.a_start - passage.a_end, passage))[:SHOWN]
        for passage in sorted(longest):
            place = f"{passage.a_start:,}–{passage.a_end:,} at {passage.b_start:,}–{passage.b_end:,}"
            said = safe(" ".join(both_ends(text.inside(passage.a_start, passage.a_end)).split()))
            front = f"       {place}  "
            screen.line((front, "dim"), shortened(said, max(screen.width - len(front), 20)))
        if len(one.passages) > SHOWN:
            screen.note(f"     and {len(one.passages) - SHOWN:,} shorter")
        if not one.passages:
            screen.note("       the same words; no text is stored to show their places")
    if found.unseen:
        screen.line()
    for unseen in found.unseen:
        screen.folded(f"{unseen}.")
