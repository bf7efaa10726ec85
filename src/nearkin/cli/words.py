"""Numbers and names as people read them."""

import unicodedata
from typing import TYPE_CHECKING

from nearkin.model import Location

if TYPE_CHECKING:
    from nearkin.report.between import Between

JOINERS = "\u200c\u200d"  # belong to words of some scripts and to emoji


def size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    value, unit = number / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def count(number: int, what: str = "") -> str:
    plural = {"matches": "match", "families": "family"}
    if number == 1 and what:
        what = plural.get(what, what.removesuffix("s"))
    return f"{number:,} {what}".rstrip()


def seconds(value: float) -> str:
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def share(value: float | None) -> str:
    """Never 1.000 for what is not 1."""
    if value is None:
        return "–"
    return f"{value:.3f}" if value == 1.0 or value < 0.9995 else "0.999"


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
    also = f", {answer.containing:,} of them with documents of {master} inside" if answer.containing else ""
    return f"{of}, {', '.join(kinds)} in {master}; {answer.new:,} new{also}."


def safe(text: str) -> str:
    """Without anything that could move the cursor or turn the direction of writing."""
    return "".join(char if char.isprintable() or char in JOINERS else ascii(char)[1:-1] for char in text)


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


def shortened(text: str, width: int) -> str:
    """Cut in the middle, where a path is least telling; more is kept of its end."""
    if cells(text) <= width:
        return text
    room = max(width - 1, 0)
    head = _upto(text, room * 2 // 5)
    tail = _upto(text[::-1], room - cells(head))[::-1]
    while tail and not _width(tail[0]):
        tail = tail[1:]  # a mark without its letter
    return f"{head}…{tail}"


def _upto(text: str, width: int) -> str:
    at = 0
    for char in text:
        width -= _width(char)
        if width < 0:
            break
        at += 1
    return text[:at]
