"""Numbers and names as people read them on the screen.

Notes: what a reader of the result should know, on standard error, where it spoils no output.

Files and folders that are there and cannot be read: wrong input, and said before anything is made of them.
"""

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from nearkin.errors import InputError
from nearkin.model import Location
from nearkin.query.wording import JOINERS, count, safe, share, size

if TYPE_CHECKING:
    from nearkin.query.lookup import NamedDocument
    from nearkin.query.matches import Between

__all__ = ["cells", "count", "fold", "in_sum", "measured", "name", "safe", "seconds", "share", "shortened", "size"]


class ReaderLeftError(Exception):
    """The reader of the output has closed it: `| head` has all it wanted."""


def seconds(value: float) -> str:
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def measured(exact: bool, low: float | None, high: float | None) -> str:
    if exact:
        return "exact"
    if low is None or high is None:
        return "est."
    return f"est. {low:.2f}–{high:.2f}"


def in_sum(answer: "Between") -> str:
    """What of a candidate collection is in the master already."""
    of = f"Of {count(answer.documents, 'documents')} in {safe(answer.candidate)}"
    kinds = [f"{answer.identical:,} identical", f"{answer.near:,} near", f"{answer.contained:,} contained"]
    master = safe(answer.master)
    contain = "contains" if answer.containing == 1 else "contain"
    also = f" ({answer.containing:,} of them {contain} documents of {master})" if answer.containing else ""
    return f"{of}, {', '.join(kinds)} in {master}; {answer.new:,} new{also}."


def name(location: Location, *, scoped: bool) -> str:
    path = safe(location.path.decode("utf-8", "backslashreplace"))
    return f"{safe(location.scope)}:{path}" if scoped else path


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me") or char in JOINERS:
        return 0
    return 1 + (unicodedata.east_asian_width(char) in "WF")


def cells(text: str) -> int:
    """How many columns a terminal needs for it."""
    return len(text) if text.isascii() else sum(map(_width, text))


def both_ends(text: str, most: int = 800) -> str:
    """What is shown of a long passage begins and ends as it does."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 :]}"


def fold(text: str, width: int, below: int | None = None) -> list[str]:
    """Lines of at most so many columns, broken between words; words that are longer stay whole. Lines below the first
    may have another width. Spaces at the beginning stay."""
    lines, left = [""], max(width, 20)
    for gap, word in re.findall(r"( *)([^ ]+)", text):
        if lines[-1].strip() and len(gap) + cells(word) > left:
            lines.append(word)
            left = max(width if below is None else below, 20) - cells(word)
        else:
            lines[-1] += gap + word
            left -= len(gap) + cells(word)
    return lines


def shortened(text: str, width: int) -> str:
    """Cut in the middle, where a path is least telling; more is kept of its end."""
    if cells(text) <= width:
        return text
    room = max(width - 1, 0)
    head = upto(text, room * 2 // 5)
    return f"{head}…{ending(text, room - cells(head))}"


def upto(text: str, width: int) -> str:
    at = 0
    for char in text:
        width -= _width(char)
        if width < 0:
            break
        at += 1
    return text[:at]


def ending(text: str, width: int) -> str:
    tail = upto(text[::-1], width)[::-1]
    while tail and not _width(tail[0]):
        tail = tail[1:]  # a mark without its letter
    return tail


Listed = TypeVar("Listed")


def note(text: str, *, quiet: bool) -> None:
    if not quiet:
        _say(text)


def _say(text: str) -> None:
    """Folded on a terminal; whatever else reads it has one line a note."""
    if not sys.stderr.isatty():
        click.echo(f"nearkin: {text}", err=True)
        return
    from nearkin.cli.screen import INDENT, fold_sentence

    wide = max(shutil.get_terminal_size().columns, 40)
    for number, line in enumerate(fold_sentence(f"nearkin: {text}", wide, wide - len(INDENT))):
        click.echo(f"{INDENT if number else ''}{line}", err=True)


def no_more_than(limit: int | None, found: Iterable[Listed], order: str, what: str, *, quiet: bool) -> Iterable[Listed]:
    """`what` is counted in the note that says that there are more, `order` tells which of them are listed."""
    if limit is None:
        return found
    some = list(islice(found, limit + 1))
    if len(some) > limit:
        shown = count(limit, what)
        shown = f"{order} {shown.removeprefix('1 ')}" if limit == 1 else shown.replace(" ", f" {order} ", 1)
        note(f"Showing the {shown} only; drop --limit to see all.", quiet=quiet)
    return some[:limit]


def complain(message: str) -> None:
    """An error: told even to those who want no notes."""
    # A newline in a name must not make two lines of one sentence, nor a lone surrogate a traceback.
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)
    _say(line)


def name_of(query: "NamedDocument") -> str:

    return "standard input" if query.name == "-" else safe(query.name)


def without_text(query: "NamedDocument") -> str:
    """The beginning of a sentence: without it, that nothing was found in an image would read as an all-clear."""

    if not query.size:
        return f"{name_of(query)} is empty"
    if query.text is not None:  # punctuation, or what the settings ignore
        return f"{name_of(query)} has no words to compare"
    why = f" ({safe(query.problem)})" if query.problem else ""
    return f"{name_of(query)} has no readable text{why}"


def tell_unopened(query: "NamedDocument", *, quiet: bool) -> None:
    """Of a container or a mail with attachments: that nothing was found is said of the whole only."""
    if query.holds:
        note(f"{name_of(query)} contains other documents, which were not looked up; scan or unpack it.", quiet=quiet)


def refuse_unreadable(*paths: Path) -> None:
    """Where none of them can be opened; one that can is enough to go on with, as a scan does."""
    told = ""
    for path in paths:
        try:
            if path.is_dir():
                with os.scandir(path):
                    return
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))  # a FIFO is refused later, not waited for
            return
        except OSError as error:
            told = told or f"Cannot read {path}: {(error.strerror or str(error)).lower()}."
    raise InputError(told)
