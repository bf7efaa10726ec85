"""HTML: the text that a person sees, and the page's properties: title, author, created, modified.

Values of meta elements come as they are written. Dates become ISO 8601 where they are dates at all; of several values
of one property the first counts.
"""

import re
from contextlib import suppress
from datetime import date, datetime
from json.encoder import encode_basestring_ascii as quoted

from nearkin import _native

DATES = ("created", "modified")
TITLE = b"title\0"
SPACES = re.compile(r"\s+")
YEAR = re.compile(r"(?!0000)[0-9]{4}(-(0[1-9]|1[0-2]))?$")
OTHER_DIGITS = re.compile(r"(?![0-9])\d")
# 1/2/2024 may be of January or of February and is left out. Old versions of LibreOffice wrote 20240102;3040500.
LOOSE = re.compile(r"([0-9]{4})[/.]?([0-9]{2})[/.]?([0-9]{2})(?:;[0-9]+)?$")


def page(html: bytes) -> tuple[bytes, dict[str, str]]:
    """A page's visible text and its properties, both UTF-8."""
    text, raw_properties = _native.page(html)
    return text, properties(raw_properties)


def properties(raw_properties: bytes) -> dict[str, str]:
    """The properties of a page, from the names and values that the kernels give, each ended by a zero byte."""
    pieces = raw_properties.decode("utf-8", "replace").split("\0")
    values: dict[str, str] = {}
    for key, value in zip(pieces[::2], pieces[1::2], strict=False):
        if key not in values and (plain := value.strip() if key == "title" else _plain(value, dated=key in DATES)):
            values[key] = plain
    return values


def properties_as_json(raw_properties: bytes) -> str | None:
    """A page's properties as they are stored. Nearly every page has a title and nothing else; one in ASCII the kernels
    write themselves. Of 53,596 pages 6,622 have another title, for which `properties` and `as_json` would take 23
    ms."""
    if raw_properties.startswith(TITLE) and raw_properties.find(b"\0", len(TITLE)) == len(raw_properties) - 1:
        title = raw_properties[len(TITLE) : -1].decode("utf-8", "replace").strip()
        return f'{{"title": {quoted(title)}}}' if title else None
    return as_json(properties(raw_properties)) if raw_properties else None


def as_json(values: dict[str, str]) -> str | None:
    """Properties as json.dumps writes them, sorted, in two thirds of the time: nearly every page has a title."""
    return f"{{{', '.join([f'{quoted(key)}: {quoted(values[key])}' for key in sorted(values)])}}}" if values else None


def _plain(value: str, *, dated: bool) -> str:
    if "&" in value:
        from html import unescape  # it loads a large table, and few properties have references

        value = unescape(value)
    value = SPACES.sub(" ", value).strip()
    return iso_date(value) if dated else value


def iso_date(value: str) -> str:
    """A date as ISO 8601, or a year, or a month; empty where it is none of these and no date of mail or HTTP either."""
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
