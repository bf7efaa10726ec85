"""What all mail has: a few header fields, which a reader sees above the text, and the properties made of them."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from nearkin.formats.prose import Prose

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
