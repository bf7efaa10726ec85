"""What all mail has: a few header fields, which a reader sees above the text, the properties made of them, and mostly
the same text twice, plain and as HTML."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime

from nearkin.formats.prose import Prose

# Words, signs of numbers, and signs that say something themselves: of money, percent, arrows, ticks.
WORD = re.compile(r"[-+\u2212]?\w+|[$%\u00a2-\u00a7\u00b0\u00b1\u20a0-\u20bf\u2190-\u2bff]")
COMPARED = 1 << 20  # characters of a plain body whose words are counted
NOTE = 50  # words: what is shorter may tell no more than to get a better program
SEEN = ("From", "Reply-To", "To", "Cc", "Date", "Subject")


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

    The plain one alone where it says all that the HTML says, word for word in the same order, and perhaps more (where
    links lead to). Else the HTML, as that is what mail programs show, and with it the plain one unless that adds no
    more than a note: "this mail needs HTML"."""
    if _says_all(plain, html):
        return True, False
    return len(plain) > COMPARED or not _is_note(plain, html), True


def _says_all(plain: str, html: str) -> bool:
    said = _words(plain)
    return all(word in said for word in _words(html))  # each is looked for after the one before it


def _is_note(plain: str, html: str) -> bool:
    meant = Counter(_words(html))
    added = (Counter(_words(plain)) - meant).total()
    return not added or (added < NOTE and 10 * added < meant.total())


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in WORD.finditer(text.casefold()))
