"""What commands say in words: figures and names on the screen, and notes.

Notes are what a reader of the result should know. They go to standard error, where they spoil no output.
"""

import shutil
import sys
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import click

from nearkin.cli.layout import INDENT, fold_sentence
from nearkin.wording import count, safe

if TYPE_CHECKING:
    from nearkin.model import Location
    from nearkin.query.lookup import NamedDocument
    from nearkin.query.matches import Between


def seconds(value: float) -> str:
    """A time span: 4.2 s, or 3 min 05 s."""
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def measured(exact: bool, low: float | None, high: float | None) -> str:
    """How a score is known: exact, or estimated with its interval."""
    if exact:
        return "exact"
    if low is None or high is None:
        return "est."
    return f"est. {low:.2f}–{high:.2f}"


def in_sum(answer: "Between") -> str:
    """One sentence: what of a candidate collection is in the master already."""
    of = f"Of {count(answer.documents, 'documents')} in {safe(answer.candidate)}"
    kinds = [f"{answer.identical:,} identical", f"{answer.near:,} near", f"{answer.contained:,} contained"]
    master = safe(answer.master)
    contain = "contains" if answer.containing == 1 else "contain"
    also = f" ({answer.containing:,} of them {contain} documents of {master})" if answer.containing else ""
    return f"{of}, {', '.join(kinds)} in {master}; {answer.new:,} new{also}."


def name(location: "Location", *, scoped: bool) -> str:
    """A document's name on the screen; with its scope where paths alone are ambiguous."""
    path = safe(location.path.decode("utf-8", "backslashreplace"))
    return f"{safe(location.scope)}:{path}" if scoped else path


Listed = TypeVar("Listed")


def note(text: str, *, quiet: bool) -> None:
    """Print a note, unless the user wants none."""
    if not quiet:
        _say(text)


def _say(text: str) -> None:
    """Print a sentence on standard error: folded on a terminal, on one line for whatever else reads it."""
    if not sys.stderr.isatty():
        click.echo(f"nearkin: {text}", err=True)
        return
    wide = max(shutil.get_terminal_size().columns, 40)
    for number, line in enumerate(fold_sentence(f"nearkin: {text}", wide, wide - len(INDENT))):
        click.echo(f"{INDENT if number else ''}{line}", err=True)


def no_more_than(limit: int | None, items: Iterable[Listed], order: str, what: str, *, quiet: bool) -> Iterable[Listed]:
    """The first items, with a note if there are more: "Showing the 10 strongest matches only", where `order` is
    strongest and `what` is matches."""
    if limit is None:
        return items
    listed = list(islice(items, limit + 1))
    if len(listed) > limit:
        shown = count(limit, what)
        shown = f"{order} {shown.removeprefix('1 ')}" if limit == 1 else shown.replace(" ", f" {order} ", 1)
        note(f"Showing the {shown} only; drop --limit to see all.", quiet=quiet)
    return listed[:limit]


def complain(message: str) -> None:
    """Print an error: also for those who want no notes."""
    # A newline in a name must not make two lines of one sentence, nor a lone surrogate a traceback.
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)
    _say(line)


def name_of(query: "NamedDocument") -> str:
    """The file that was asked about, as the subject of a sentence."""
    return "standard input" if query.name == "-" else safe(query.name)


def without_text(query: "NamedDocument") -> str:
    """The beginning of a sentence that says why a file has no text: without it, that nothing in the store is like an
    image would read as an all-clear."""
    if not query.size:
        return f"{name_of(query)} is empty"
    if query.text is not None:  # punctuation, or what the settings ignore
        return f"{name_of(query)} has no words to compare"
    why = f" ({safe(query.problem)})" if query.problem else ""
    return f"{name_of(query)} has no readable text{why}"


def note_unopened(query: "NamedDocument", *, quiet: bool) -> None:
    """Note of a container, or a mail with attachments, that only the whole was looked up."""
    if query.holds:
        note(f"{name_of(query)} contains other documents, which were not looked up; scan or unpack it.", quiet=quiet)
