"""HTML: the text that a reader of a page sees, and the page's properties: title, author, created, modified.

The kernels give the values of meta elements as they are written. Dates become ISO 8601 and are left out if they are no
dates; of several values of one property the first counts.
"""

import json
import re
from contextlib import suppress
from datetime import date, datetime

from nearkin import _native

DATES = ("created", "modified")
SPACES = re.compile(r"\s+")
YEAR = re.compile(r"(?!0000)[0-9]{4}(-(0[1-9]|1[0-2]))?$")
OTHER_DIGITS = re.compile(r"(?![0-9])\d")
# 1/2/2024 may be of January or of February: told by nobody. LibreOffice wrote 20240102;3040500 once.
LOOSE = re.compile(r"([0-9]{4})[/.]?([0-9]{2})[/.]?([0-9]{2})(?:;[0-9]+)?$")


def page(html: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the visible text of a page in UTF-8, and its properties."""
    text, raw = _native.page(html)
    return text, properties(raw)


def property_json(raw: bytes) -> str | None:
    """Return the JSON of a page's properties as the store holds it, from the keys and values of `_native.page`."""
    written = _native.page_json(raw)
    return (read_json(raw) if written is None else written) or None


def fill_property_json(batch: _native.Batch) -> None:
    """Have a batch write the properties of its pages as JSON. The kernels write those of nearly every page, a title;
    only dates and character references are read here."""
    _native.fill_property_json(batch, [read_json(raw) for raw in _native.properties_for_python(batch)])


def read_json(raw: bytes) -> str:
    """Return the JSON of any page's properties; empty without any."""
    values = properties(raw)
    return json.dumps(values, sort_keys=True) if values else ""


def properties(raw: bytes) -> dict[str, str]:
    """Read keys and values as `_native.page` gives them: key, NUL, value, NUL …"""
    pieces = raw.decode("utf-8", "replace").split("\0")
    values: dict[str, str] = {}
    for key, value in zip(pieces[::2], pieces[1::2], strict=False):
        if key not in values and (plain := value.strip() if key == "title" else _plain(value, dated=key in DATES)):
            values[key] = plain
    return values


def _plain(value: str, *, dated: bool) -> str:
    if "&" in value:
        from html import unescape

        value = unescape(value)
    value = SPACES.sub(" ", value).strip()
    return iso_date(value) if dated else value


def iso_date(value: str) -> str:
    """As ISO 8601, as a year or a month; nothing where it is none of these and no date of mail or HTTP either."""
    if OTHER_DIGITS.search(value):  # Python reads the figures of all scripts
        return ""
    if YEAR.match(value):
        return value
    with suppress(ValueError):
        return date.fromisoformat(value).isoformat()
    with suppress(ValueError):
        return datetime.fromisoformat(value).isoformat()
    if loose := LOOSE.match(value):
        with suppress(ValueError):
            return date(int(loose[1]), int(loose[2]), int(loose[3])).isoformat()
    return iso_mail_date(value)


def iso_mail_date(value: str) -> str:
    """A date of mail or HTTP as ISO 8601; empty where it is none."""
    from email.utils import parsedate_to_datetime  # it loads sockets, and few pages have such dates

    with suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(value).isoformat()
    return ""
