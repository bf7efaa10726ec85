"""Formats that are told by text: mail, mbox, MHTML, XML; and those whose mark is not at the very start."""

import re

from nearkin.formats.inside import tar_block

FIELD = re.compile(rb"[!-9;-~]{1,76}:[ \t]")
# A text may well begin with "Subject: "; one that begins with header fields and has one of these is a mail.
MAIL_ONLY = re.compile(
    rb"^(?:Received|Return-Path|Message-ID|MIME-Version|Delivered-To|X-Mozilla-Status|DKIM-Signature):", re.I | re.M
)
FROM_LINE = re.compile(rb"From \S+.*\d\d:\d\d.*\r?\n(?:>?[!-9;-~]{1,76}:)")
SAVED_PAGE = re.compile(rb"^(?:Snapshot-Content-Location:|From: <Saved by )", re.I | re.M)
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s")
XML_WIDE = (b"\xff\xfe<\0?\0x\0", b"\xfe\xff\0<\0?\0x")
PAGE_ROOT = re.compile(rb"<(?:!doctype\s+)?(?:[\w.-]+:)?html[\s>]", re.I)
XML_ROOT = re.compile(rb"\s*<(?:!DOCTYPE|!--|[A-Za-z_])")


def told_by_text(head: bytes, named: str) -> str | None:
    first = head[0]
    if first == 0x3C or first in b"\xef\xff\xfe \t\r\n":
        if b"%PDF-" not in head[:1024]:
            return _xml(head, named)
    elif first == 0x46 and FROM_LINE.match(head):  # F
        return "mbox"
    if named == "mbox" and head.startswith(b"From "):
        return "mbox"
    if 0x21 <= first <= 0x7E and FIELD.match(head):
        return _mail(head, named)
    if b"%PDF-" in head[:1024] and (named == "pdf" or b"\0" in head or b"obj" in head):
        return "pdf"
    return (
        "tar" if len(head) >= 512 and (head[257:262] == b"ustar" or named == "tar") and tar_block(head[:512]) else None
    )


def _mail(head: bytes, named: str) -> str | None:
    fields = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    if named == "mhtml" or SAVED_PAGE.search(fields):
        return "mhtml"
    return "eml" if named == "eml" or MAIL_ONLY.search(fields) else None


def _xml(head: bytes, named: str) -> str | None:
    if head.startswith(XML_WIDE):
        return None if PAGE_ROOT.search(head.replace(b"\0", b"")) else "xml"
    if not XML_START.match(head) and not (named == "xml" and XML_ROOT.match(head)):
        return None
    return None if PAGE_ROOT.search(head) else "xml"
