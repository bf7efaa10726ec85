"""`trace`: where the passages of a file went."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nearkin.cli.options import NAME_OR_DASH, chosen, common, emit
from nearkin.cli.wording import both_ends, note, note_unopened, shortened, without_text
from nearkin.errors import InputError
from nearkin.wording import count, safe, share

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
    from nearkin.api.store import Store
    from nearkin.cli.progress import progress

    form = chosen(form)
    with Store(store).tracing() as tracer:
        query = tracer.read_bytes("-", sys.stdin.buffer.read()) if file == "-" else tracer.read(file)
        if query.text is None:
            note(f"{without_text(query)}; so there is nothing to trace.", quiet=quiet)
        note_unopened(query, quiet=quiet)
        with progress("looking for passages", quiet=quiet):
            traced = tracer.trace(query, min_length=min_length, quick=quick)
    if form == "table":
        _show(traced, tracer.readable(query), scoped=tracer.scoped)
    else:
        records = (tracer.record(document, traced) for document in traced.documents)
        emit(records, form, columns=tracer.columns, paths=frozenset({"path"}))
        contain = "contains" if len(traced.documents) == 1 else "together contain"
        held = f"{count(len(traced.documents), 'documents')} {contain} {traced.share:.1%} of it."
        none = "No text that could be searched contains" if traced.unseen else "No document contains"
        note(held if traced.documents else f"{none} a passage of it.", quiet=quiet)
        for unseen in traced.unseen:
            note(unseen, quiet=quiet)
    if exit_code and (query.holds or query.problem or traced.unseen) and not traced.documents:
        return InputError.exit_code  # no all-clear for what nobody looked into
    return int(exit_code and bool(traced.documents))


def _show(traced: "Trace", text: "Readable", *, scoped: bool) -> None:
    from nearkin.cli.screen import Screen

    screen = Screen(scoped)
    if not traced.documents:
        none = "No text that could be searched contains" if traced.unseen else "No document of the store contains"
        screen.line(f"{none} a passage of it of {traced.least:,} characters.")
        for unseen in traced.unseen:
            screen.folded(f"{unseen}.")
        return
    contain = "contains" if len(traced.documents) == 1 else "together contain"
    held = f"{contain} {share(traced.share)} of it, in passages of at least {traced.least:,} characters"
    screen.folded(f"{count(len(traced.documents), 'documents')} {held}", style="bold")
    for document in traced.documents:
        screen.line()
        screen.line(
            (share(document.share), "bold cyan"), f"  {shortened(screen.name(document.location), screen.width - 7)}"
        )
        longest = sorted(document.passages, key=lambda passage: (passage.a_start - passage.a_end, passage))[:SHOWN]
        for passage in sorted(longest):
            place = f"{passage.a_start:,}–{passage.a_end:,} at {passage.b_start:,}–{passage.b_end:,}"
            words = safe(" ".join(both_ends(text.inside(passage.a_start, passage.a_end)).split()))
            front = f"       {place}  "
            screen.line((front, "dim"), shortened(words, max(screen.width - len(front), 20)))
        if len(document.passages) > SHOWN:
            screen.note(f"     and {len(document.passages) - SHOWN:,} shorter")
        if not document.passages:
            screen.note("       the same words; no text is stored to show their places")
    if traced.unseen:
        screen.line()
    for unseen in traced.unseen:
        screen.folded(f"{unseen}.")
