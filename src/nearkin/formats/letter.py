"""What all mail has: a few header fields, which a reader sees above the text, the properties made of them, and mostly
the same text twice, plain and as HTML."""

import re
from collections import Counter
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from nearkin.formats.prose import Prose

WORD = re.compile(r"\w+")
COMPARED = 1 << 20  # characters of a plain body and of the HTML
NOTE = 50  # words: what is shorter may tell no more than to get a better program
SEEN = ("From", "To", "Cc", "Date", "Subject")


def add_fields(fields: Mapping[str, str], prose: Prose) -> None:
    for name in SEEN:
        if fields.get(name):
            prose.line(f"{name}: {fields[name]}")
    prose.add("\n")


def properties(fields: Mapping[str, str]) -> dict[str, str]:
    found = {name.lower(): fields[name] for name in ("Message-ID", *SEEN) if fields.get(name)}
    if "date" in found:
        found["date"] = _iso(found["date"])
    return {name: value for name, value in found.items() if value}


def _iso(date: str) -> str:
    try:
        return parsedate_to_datetime(date).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def shown(plain: str, html: str) -> tuple[bool, bool]:
    """Whether the plain body is the mail's text, and whether the HTML is.

    The plain one alone where the HTML adds no more than a note to it: the name of a picture, a line below. Else the
    HTML, and with it the plain one unless that adds no more: "this mail needs HTML"."""
    said, meant = (Counter(WORD.findall(text[:COMPARED].casefold())) for text in (plain, html))
    if _is_note(meant - said, said):
        return True, False
    return not _is_note(said - meant, meant), True


def _is_note(added: Counter[str], to: Counter[str]) -> bool:
    return not added or (added.total() < NOTE and 10 * added.total() < to.total())
