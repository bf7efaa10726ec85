"""Mail (RFC 5322, MIME): header fields, the plain body or else the HTML one; attachments and embedded mail are members.

The parser's old policy is used: the new one raises over header fields that are not quite right.
"""

import email
import re
from collections.abc import Iterator
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import Message
from email.policy import compat32
from mimetypes import guess_extension
from typing import Any, BinaryIO

from nearkin.formats import letter
from nearkin.formats.found import Found, Limits, Member, Problem
from nearkin.formats.members import Counted
from nearkin.formats.prose import Prose
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import visible_text

FOLDED = re.compile(r"[\r\n]+[ \t]*")
SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
Mail = Message  # email's own name says too little here


def read(file: BinaryIO, limits: Limits) -> Found:
    mail = parsed(file)
    fields = {name: field(mail, name) for name in ("Message-ID", *letter.SEEN)}
    prose = Prose(limits)
    letter.add_fields(fields, prose)
    inline, attached = _sorted(mail)
    for part in inline:
        prose.line(body(part))
    return Found(prose.text(), letter.properties(fields), _members(attached, limits))


def parsed(file: BinaryIO) -> "Mail[str, str]":
    return email.message_from_binary_file(file, policy=compat32)


def field(mail: "Mail[Any, Any]", name: str) -> str:
    """All fields of that name, decoded (RFC 2047), on one line."""
    told = []
    for value in mail.get_all(name, []):
        try:
            told.append(str(make_header(decode_header(value))))
        except (ValueError, LookupError, UnicodeError, AttributeError):
            told.append(str(value))
    return FOLDED.sub(" ", ", ".join(told)).strip()


def body(part: "Mail[Any, Any]") -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    html = part.get_content_type() == "text/html"
    try:
        text = data.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        text = decode(data, html=html).text
    return visible_text(text.encode("utf-8", "replace")).decode() if html else text.replace("\r\n", "\n")


def _sorted(part: "Mail[Any, Any]") -> tuple[list["Mail[Any, Any]"], list["Mail[Any, Any]"]]:
    """Parts that are shown as the text, and those that are attached."""
    kind = part.get_content_type()
    if kind in SEALED or kind == "message/rfc822":
        return [], [part]
    if not part.is_multipart():
        attached = part.get_content_disposition() == "attachment" or part.get_filename()
        return ([], [part]) if attached or kind not in ("text/plain", "text/html") else ([part], [])
    inline, attachments = [], []
    for inner in part.get_payload():
        if not isinstance(inner, Message):
            continue
        shown, held = _sorted(inner)
        inline += shown
        attachments += held
    if kind == "multipart/alternative":
        plain = [part for part in inline if part.get_content_type() == "text/plain"]
        inline = plain if any(body(part).strip() for part in plain) else inline
    return inline, attachments


def _members(parts: list["Mail[Any, Any]"], limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    for number, part in enumerate(parts, 1):
        counted.begin()
        name = _name(part, number)
        if part.get_content_type() in SEALED and "signed" not in str(part.get_param("smime-type", "")):
            yield Member(name, b"", problem=Problem(Reason.ENCRYPTED, "the mail's text is encrypted"))
            continue
        data = _data(part)
        counted.spend(len(data))
        yield Member(name, data)


def _data(part: "Mail[Any, Any]") -> bytes:
    payload = part.get_payload(0) if part.is_multipart() else part
    if part.get_content_type() == "message/rfc822" and isinstance(payload, Message):
        return payload.as_bytes()
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _name(part: "Mail[Any, Any]", number: int) -> bytes:
    told = part.get_filename()
    if told:
        with suppress(ValueError, LookupError, UnicodeError):
            told = str(make_header(decode_header(told)))
        told = FOLDED.sub(" ", told).replace("\\", "/").rpartition("/")[2].strip()
    if not told:
        kind = part.get_content_type()
        ending = ".eml" if kind == "message/rfc822" else guess_extension(kind) or ""
        told = f"part-{number}{ending}"
    return told.encode("utf-8", "replace")
