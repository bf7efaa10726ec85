"""Saved web pages (RFC 2557): the text of its HTML parts, frames included; pictures and style sheets are no members."""

from email.message import Message
from typing import BinaryIO

from nearkin.formats.eml import body, check_start, field, parsed
from nearkin.formats.found import Found, Limits
from nearkin.formats.letter import properties
from nearkin.formats.prose import Prose


def read(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    page = parsed(file, Message)
    prose = Prose(limits)
    for part in page.walk():
        if not part.is_multipart() and part.get_content_type() in ("text/html", "application/xhtml+xml", "text/plain"):
            part.set_type("text/html" if "html" in part.get_content_type() else "text/plain")
            prose.line(body(part))
    told = properties({"Date": field(page, "Date")})
    title = field(page, "Subject")
    found = {"title": title} if title else {}
    return Found(prose.text(), found | ({"created": told["date"]} if told else {}))
