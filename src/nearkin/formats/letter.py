"""What all mail has: a few header fields, which a reader sees above the text, the properties made of them, and mostly
the same text twice, plain and as HTML."""

import re
from collections import Counter
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from nearkin.formats.prose import Prose

WORD = re.compile(r"\w+")
COMPARED = 1 << 20  # characters of a plain body and of the HTML
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


def stands_for(plain: str, html: str) -> bool:
    """The plain body says what the HTML does: half of its words at the least. Others tell to get a better program."""
    said, meant = (Counter(WORD.findall(text[:COMPARED].casefold())) for text in (plain, html))
    return bool(said) and 2 * (said & meant).total() >= meant.total()
