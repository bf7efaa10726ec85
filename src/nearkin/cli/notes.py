"""Notes: what a reader of the result should know, on standard error, where it spoils no output."""

import shutil
import sys
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from nearkin.query.lookup import Found

Listed = TypeVar("Listed")


def note(text: str, *, quiet: bool) -> None:
    if not quiet:
        _say(text)


def _say(text: str) -> None:
    """Folded on a terminal; whatever else reads it has one line a note."""
    if not sys.stderr.isatty():
        click.echo(f"nearkin: {text}", err=True)
        return
    from nearkin.cli.folding import INDENT, fold_sentence

    wide = max(shutil.get_terminal_size().columns, 40)
    for number, line in enumerate(fold_sentence(f"nearkin: {text}", wide, wide - len(INDENT))):
        click.echo(f"{INDENT if number else ''}{line}", err=True)


def no_more_than(limit: int | None, found: Iterable[Listed], order: str, what: str, *, quiet: bool) -> Iterable[Listed]:
    """`what` is counted in the note that says that there are more, `order` tells which of them are listed."""
    if limit is None:
        return found
    some = list(islice(found, limit + 1))
    if len(some) > limit:
        from nearkin.cli.wording import count

        shown = count(limit, what)
        shown = f"{order} {shown.removeprefix('1 ')}" if limit == 1 else shown.replace(" ", f" {order} ", 1)
        note(f"Showing the {shown} only; drop --limit to see all.", quiet=quiet)
    return some[:limit]


def complain(message: str) -> None:
    """An error: told even to those who want no notes."""
    # A newline in a name must not make two lines of one sentence, nor a lone surrogate a traceback.
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)
    _say(line)


def name_of(query: "Found") -> str:
    from nearkin.cli.wording import safe

    return "standard input" if query.name == "-" else safe(query.name)


def without_text(query: "Found") -> str:
    """The beginning of a sentence: without it, that nothing was found in an image would read as an all-clear."""
    from nearkin.cli.wording import safe

    if not query.size:
        return f"{name_of(query)} is empty"
    if query.text is not None:  # punctuation, or what the settings ignore
        return f"{name_of(query)} has no words to compare"
    why = f" ({safe(query.problem)})" if query.problem else ""
    return f"{name_of(query)} has no readable text{why}"


def tell_unopened(query: "Found", *, quiet: bool) -> None:
    """Of a container or a mail with attachments: that nothing was found is said of the whole only."""
    if query.holds:
        note(f"{name_of(query)} contains other documents, which were not looked up; scan or unpack it.", quiet=quiet)
