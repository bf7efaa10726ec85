"""Formats that are told by text: mail, mbox, MHTML, XML; and those whose mark is not at the very start."""

import re

from nearkin.formats.inside import tar_block

FIELD = re.compile(rb"[!-9;-~]{1,76}:[ \t]")
# A text may well begin with "Subject: "; one that begins with header fields and has one of these is a mail.
MAIL_ONLY = frozenset(
    (
        b"received",
        b"return-path",
        b"message-id",
        b"mime-version",
        b"delivered-to",
        b"x-mozilla-status",
        b"dkim-signature",
    )
)
SAVED = frozenset((b"snapshot-content-location",))
# Each piece of it goes on in one way only: with three that could be any length, 4 KB of times took half a minute.
FROM_LINE = re.compile(rb"From (?=\S.*?\d\d:\d\d)[^\n]*+\n>?[!-9;-~]{1,76}:")
PREAMBLE = 1024  # bytes in which readers of PDF look for its header
PDF_HEADER = re.compile(rb"(?:^|[\r\n\0\x80-\xff])%PDF-\d\.\d")
PDF_OBJECT = re.compile(rb"[\r\n][ \t]{0,8}\d{1,10}[ \t]{1,8}\d{1,5}[ \t]{1,8}obj\b")
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s")
XML_WIDE = (b"\xff\xfe<\0?\0x\0", b"\xfe\xff\0<\0?\0x")
PAGE_ROOT = re.compile(rb"<(?:!doctype\s+)?(?:[\w.-]+:)?html[\s>]", re.I)
XML_ROOT = re.compile(rb"\s*<(?:!DOCTYPE|!--|[A-Za-z_])")


def told_by_text(head: bytes, named: str) -> str | None:
    first = head[0]
    if first == 0x3C or first in b"\xef\xff\xfe \t\r\n":
        if not _is_pdf(head, named):
            return _xml(head, named)
    elif first == 0x46 and FROM_LINE.match(head):  # F
        return "mbox"
    if named == "mbox" and head.startswith(b"From "):
        return "mbox"
    if 0x21 <= first <= 0x7E and FIELD.match(head):
        return _mail(head, named)
    if _is_pdf(head, named):
        return "pdf"
    return (
        "tar" if len(head) >= 512 and (head[257:262] == b"ustar" or named == "tar") and tar_block(head[:512]) else None
    )


def _is_pdf(head: bytes, named: str) -> bool:
    """A header at the start of a line, where readers of PDF look for it. Texts tell of PDF too: what comes after text
    must also have an object, and bytes that no text has. Asked for every text: one byte is looked for ten times as fast
    as a pattern, and most texts have no %."""
    if head.find(b"%", 0, PREAMBLE) < 0 or not (header := PDF_HEADER.search(head, 0, PREAMBLE)):
        return False
    if named == "pdf" or b"\0" in head:
        return True
    first = not head[: header.start()].strip(b"\xef\xbb\xbf \t\r\n")
    return PDF_OBJECT.search(head, header.end()) is not None and (first or not _is_utf8(head))


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start + 3 >= len(head)  # cut within a character
    return True


def _mail(head: bytes, named: str) -> str | None:
    fields = _fields(head)
    if named == "mhtml" or fields & SAVED or head.startswith(b"From: <Saved by "):
        return "mhtml"
    return "eml" if named == "eml" or fields & MAIL_ONLY else None


def _fields(head: bytes) -> set[bytes]:
    """Names of header fields, up to the first line that is none."""
    found: set[bytes] = set()
    for line in head.split(b"\n"):
        if line[:1] not in (b" ", b"\t"):
            name, colon, _ = line.partition(b":")
            if not colon or b" " in name:
                break
            found.add(name.lower())
    return found


def _xml(head: bytes, named: str) -> str | None:
    if head.startswith(XML_WIDE):
        return None if PAGE_ROOT.search(head.replace(b"\0", b"")) else "xml"
    if not XML_START.match(head) and not (named == "xml" and XML_ROOT.match(head)):
        return None
    return None if PAGE_ROOT.search(head) else "xml"
