"""Numbers and names as people read them on the screen."""

import re
import unicodedata
from typing import TYPE_CHECKING

from nearkin.model import Location
from nearkin.query.wording import JOINERS, count, safe, share, size

if TYPE_CHECKING:
    from nearkin.query.matches import Between

__all__ = ["cells", "count", "fold", "in_sum", "measured", "name", "safe", "seconds", "share", "shortened", "size"]


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
