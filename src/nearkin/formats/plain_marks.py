"""Formats that are told by text: mail, mbox, MHTML, XML; and those whose mark is not at the very start."""

import re

from nearkin.formats.detect import by_media, tar_block

FIELD = re.compile(rb"[!-9;-~]{1,76}:[ \t]")
# A text may well begin with "Subject: ", a note with "Received: 5 boxes". A mail begins with nothing but fields, some
# of which are in the form that they have in mail, and one at least of a sort that nothing else has.
MAIL_ONLY = {
    b"received": rb"(?:from|by|\(|with) .{0,2000};.{0,40}\d:\d\d",
    b"return-path": rb"<[^<>\s]*>",
    b"message-id": rb"<[^<>]+>",
    b"mime-version": rb"1\.0",
    b"delivered-to": rb"\S+@\S+",
    b"x-mozilla-status": rb"[0-9a-f]{4}",
    b"dkim-signature": rb"\S+=",
}
IN_MAIL = MAIL_ONLY | {
    b"from": rb".{0,500}[@<]",
    b"sender": rb".{0,500}[@<]",
    b"reply-to": rb".{0,500}[@<]",
    b"to": b"",
    b"cc": b"",
    b"subject": b"",
    b"references": rb"<",
    b"in-reply-to": rb"<",
    b"date": rb".{0,40}\d:\d\d",
    b"content-type": rb"[\w.-]+/[\w.-]+",
    b"content-transfer-encoding": rb"[\w-]+\s*$",
    b"list-id": rb".{0,500}<",
    b"newsgroups": b"",
    b"path": rb"\S+!",
}
FORMS = {name: re.compile(rb"\s*" + form, re.IGNORECASE | re.DOTALL) for name, form in IN_MAIL.items()}
ENOUGH = 3  # different fields that are in form
CUT = 4096  # bytes: what is shorter is all of the file
SAVED = frozenset((b"snapshot-content-location",))
# The first line of a mail in a mailbox: an address and a date as asctime writes it, with a zone perhaps (Gmail), or as
# mail does. Within a mailbox an address alone will do. Each piece goes on in one way only: with three that could be any
# length, 4 KB of times took half a minute.
DAY, MONTH = rb"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
TIME, ZONE = rb"\d{1,2}:\d\d(?::\d\d)?", rb"(?: [A-Z]{1,5}| [+-]\d{4})"
DATE = (
    DAY + rb"(?: " + MONTH + rb" {1,2}\d{1,2} " + TIME + ZONE + rb"{0,2} \d{4}" + ZONE + rb"?"
    rb"|, {1,2}\d{1,2} " + MONTH + rb" \d{2,4} " + TIME + ZONE + rb"{0,2})"
)  # fmt: skip
DATED = rb"\S{1,320}(?: at \S{1,320})? {1,4}" + DATE + rb"(?: remote from \S{1,320})?"
BEGINS_MAIL = re.compile(rb"From {1,2}(?:" + DATED + rb"|\S{1,320}@\S{1,320})[ \t]{0,9}\r?\n")
NAMED_MAILBOX = re.compile(rb"From \S[^\n]*\n>?[!-9;-~]{1,76}:")
FROM_LINE = re.compile(rb"From {1,2}" + DATED + rb"[ \t]{0,9}\r?\n>?[!-9;-~]{1,76}:")
PREAMBLE = 1024  # bytes in which readers of PDF look for its header
PDF_HEADER = re.compile(rb"(?:^|[\r\n\0\x80-\xff])%PDF-\d\.\d")
PDF_OBJECT = re.compile(rb"[\r\n][ \t]{0,8}\d{1,10}[ \t]{1,8}\d{1,5}[ \t]{1,8}obj\b")
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s")
XML_WIDE = (b"\xff\xfe<\0?\0x\0", b"\xfe\xff\0<\0?\0x")
PAGE_ROOT = re.compile(rb"<(?:!doctype\s+)?(?:[\w.-]+:)?html[\s>]", re.I)
FLAT = re.compile(rb"""<office:document\s[^<>]*\boffice:mimetype=["'](application/vnd\.oasis\.[\w.-]{1,80})["']""")
XML_ROOT = re.compile(rb"\s*<(?:!DOCTYPE|!--|[A-Za-z_])")


def told_by_text(head: bytes, named: str) -> str | None:
    first = head[0]
    if first == 0x3C or first in b"\xef\xff\xfe \t\r\n":
        if not _is_pdf(head, named):
            return _xml(head, named)
    elif first == 0x46 and FROM_LINE.match(head):  # F
        return "mbox"
    if named == "mbox" and NAMED_MAILBOX.match(head):
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
    fields, are_all = _fields(head)
    if named == "mhtml" or any(name in SAVED for name, _ in fields) or head.startswith(b"From: <Saved by "):
        return "mhtml"
    if named == "eml":
        return "eml"
    right = {name for name, value in fields if name in FORMS and FORMS[name].match(value)}
    return "eml" if are_all and len(right) >= ENOUGH and right & MAIL_ONLY.keys() else None


def _fields(head: bytes) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Names and values of header fields; and whether nothing else stands there up to the first empty line."""
    found: list[tuple[bytes, bytes]] = []
    lines = head.splitlines()
    for line in lines if len(head) < CUT else lines[:-1]:
        if not line:
            break
        if found and line[:1] in (b" ", b"\t"):
            name, value = found.pop()
            found.append((name, value + line))
            continue
        name, colon, value = line.partition(b":")
        if not name or not colon or b" " in name:
            return found, False
        found.append((name.lower(), value))
    return found, True


def _xml(head: bytes, named: str) -> str | None:
    if b"<office:document" in head and (flat := FLAT.search(head)):
        return by_media(flat[1].decode("ascii", "replace"))
    if head.startswith(XML_WIDE):
        return None if PAGE_ROOT.search(head.replace(b"\0", b"")) else "xml"
    if not XML_START.match(head) and not (named == "xml" and XML_ROOT.match(head)):
        return None
    return None if PAGE_ROOT.search(head) else "xml"
