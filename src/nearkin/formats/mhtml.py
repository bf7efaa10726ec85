"""Saved web pages (RFC 2557): the text of its HTML parts, frames included; pictures and style sheets are no members."""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits
from nearkin.formats.letter import properties
from nearkin.formats.mail import check_start, decoded, field
from nearkin.formats.mail_parser import parsed
from nearkin.formats.prose import Prose
from nearkin.text.html import page

SHOWN = ("text/html", "application/xhtml+xml", "text/plain")


def read(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    saved = parsed(file)
    prose = Prose(limits)
    own: dict[str, str] = {}  # of the first page that says something of itself
    for part in saved.walk():
        if not part.is_multipart() and part.get_content_type() in SHOWN:
            text = decoded(part)
            if "html" in part.get_content_type():
                shown, told = page(text.encode("utf-8", "replace"))
                text, own = shown.decode(), own or told
            prose.line(text)
    date = properties({"Date": field(saved, "Date")}).get("date", "")
    known = {"title": field(saved, "Subject"), "created": date}
    return Found(prose.text(), {key: value for key, value in known.items() if value} | own)
