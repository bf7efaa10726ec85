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

    The plain one alone where it has half of the HTML's words: it says the same. Else the one of more words, or HTML if
    both have as many, and with it the other, unless that adds only a note: "this mail needs HTML", the name of a
    picture. A note has under 50 words that are not in the longer one, and under a tenth of the longer one's."""
    said, meant = (Counter(WORD.findall(text[:COMPARED].casefold())) for text in (plain, html))
    if said and 2 * (said & meant).total() >= meant.total():
        return True, False
    longer, other = (said, meant) if said.total() > meant.total() else (meant, said)
    added = (other - longer).total()
    both = added >= NOTE or (added > 0 and 10 * added >= longer.total())
    return both or longer is said, both or longer is meant
