"""What commands say in words: figures and names on the screen, and notes.

Notes are what a reader of the result should know. They go to standard error, where they spoil no output.

Text on a terminal: how wide it is, where lines are broken, and how names are shortened.

Sentences are broken between words, commands so that they can still be copied. Names that stand together are cut so that
they look unlike: what is cut out of each alone is often what differs.
"""

import re
import shutil
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

import click

from nearkin.wording import JOINERS, count, safe

if TYPE_CHECKING:
    from nearkin.model import Location
    from nearkin.query.lookup import NamedDocument
    from nearkin.query.matches import Between

HARD = "\u00a0"  # a space that is not broken at
INDENT = "  "
COMMAND = re.compile(r"""(?<=: )nearkin (?:'[^']*'|"[^"]*"|[^;'"])*""")
ARGUMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")  # quotes stay whole: a line must not end within
LEAST = 12  # columns; in fewer there is no room for three pieces
MOST_PLACES = 3  # where names differ; of more the last ones are shown


def _width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me") or char in JOINERS:
        return 0
    return 1 + (unicodedata.east_asian_width(char) in "WF")


def cells(text: str) -> int:
    """How many columns a terminal needs for a text."""
    return len(text) if text.isascii() else sum(map(_width, text))


def both_ends(text: str, most: int = 800) -> str:
    """The beginning and the end of a long passage."""
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
    """Cut a text in the middle, where a path says least; more is kept of its end."""
    if cells(text) <= width:
        return text
    room = max(width - 1, 0)
    head = upto(text, room * 2 // 5)
    return f"{head}…{ending(text, room - cells(head))}"


def upto(text: str, width: int) -> str:
    """Its beginning, in at most so many columns."""
    at = 0
    for char in text:
        width -= _width(char)
        if width < 0:
            break
        at += 1
    return text[:at]


def ending(text: str, width: int) -> str:
    """Its end, in at most so many columns."""
    tail = upto(text[::-1], width)[::-1]
    while tail and not _width(tail[0]):
        tail = tail[1:]  # a mark without its letter
    return tail


def fold_command(command: str, width: int) -> list[str]:
    """Lines that a shell takes for one: all but the last end with a backslash."""
    if cells(command) <= width:
        return [command]
    words = ARGUMENT.findall(command)
    if " ".join(words) != command:  # a lone quote, or several spaces: better one long line than another command
        return [command]
    pieces = [" ".join(words[:2])]  # nearkin and what it should do
    for word in words[2:]:  # an option stays with its value
        if pieces[-1].startswith("--") and " " not in pieces[-1] and not word.startswith("-"):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    lines = pieces[:1]
    for word in pieces[1:]:
        if cells(lines[-1]) + cells(word) + len("  \\") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(f"{INDENT}{word}")
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def fold_sentence(text: str, width: int, below: int | None = None) -> list[str]:
    """As `fold`; a command in it stays in one line where that has room for it, and is else folded as a command."""
    kept = COMMAND.sub(lambda command: command[0].replace(" ", HARD), text)
    lines: list[str] = []
    for line in fold(kept, width, below):
        room = max(width if below is None or not lines else below, 20)
        plain = line.replace(HARD, " ")
        lines += fold_command(plain, room) if HARD in line and plain.startswith("nearkin ") else [plain]
    return lines


def hard(name: str) -> str:
    """A name that is cut where it is too long, and not folded."""
    return name.replace(" ", HARD)


def apart(names: Sequence[str], width: int) -> list[str]:
    """Shorten each name to at most so many columns, as it would be alone unless another looks the same. Two names
    always differ then; of many that differ in several places some may not."""
    shown = [shortened(full, width) for full in names]
    if width < LEAST:
        return shown
    distinct = _parted(names, shown, width, ())
    if len(set(distinct)) == len(set(names)):
        return distinct
    # What told some apart gave way to what tells others: all are cut in the same places.
    return _parted(names, ["" for _ in names], width, ())


def _parted(names: Sequence[str], shown: list[str], width: int, places: tuple[int, ...]) -> list[str]:
    """Those that look the same are cut around the first letter that differs, and if they still do, the next one."""
    alike: dict[str, set[str]] = defaultdict(set)
    for full, short in zip(names, shown, strict=True):
        alike[short].add(full)
    cut_names = dict[str, str]()
    for same in alike.values():
        if len(same) > 1:
            group = sorted(same)
            letters = enumerate(zip(group[0], group[-1], strict=False))
            first = next((at for at, (a, b) in letters if a != b), len(group[0]))
            around = (*places, first)[-MOST_PLACES:]
            cut = [_around(full, around, width) for full in group]
            cut_names |= zip(group, _parted(group, cut, width, around) if len(set(cut)) > 1 else cut, strict=True)
    return [cut_names.get(full, short) for full, short in zip(names, shown, strict=True)]


def _around(name: str, places: tuple[int, ...], width: int) -> str:
    """Its beginning, a piece around each of these places, and its end."""
    room = width - 1 - len(places)  # without the …
    each = room * 2 // 5 // len(places)
    shown = upto(name, room // 5)
    end = len(shown)
    for at in places:
        begin = max(at - len(ending(name[:at], each // 3)), end)
        piece = upto(name[begin:], each)
        shown += piece if begin == end else f"…{piece}"
        end = begin + len(piece)
    left = width - cells(shown)
    return shown + (name[end:] if cells(name[end:]) <= left else f"…{ending(name[end:], left - 1)}")


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
