"""How a format is recognised where the first bytes do not say it: by text, or by what lies in a zip, OLE or compressed
file.

Mail, mailboxes, MHTML and XML are recognised by their text, and so are formats whose mark is not at the very start. A
zip file is a document (OOXML, OpenDocument, EPUB) where its main part is there and no other files lie beside it. The
second is asked only where the name does not say so: someone's folder, packed, may hold an unpacked Word file among the
rest; read as that document, all the rest would be lost.
"""

import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

from nearkin.formats.archives import is_tar_header, unpacked
from nearkin.formats.ole import opened

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
ENOUGH = 3  # different fields in the form they have in mail
CUT = 4096  # bytes: a shorter head is all of the file
SAVED = frozenset((b"snapshot-content-location",))
# The first line of a mail in a mailbox: an address and a date as asctime writes it, with a zone perhaps (Gmail), or as
# mail does. Within a mailbox an address alone is enough. Each piece goes on in one way only: with three that
# could be of any length, 4 KB of times took half a minute.
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
FLAT_DOCUMENT = re.compile(
    rb"""<office:document\s[^<>]*\boffice:mimetype=["'](application/vnd\.oasis\.[\w.-]{1,80})["']"""
)
XML_ROOT = re.compile(rb"\s*<(?:!DOCTYPE|!--|[A-Za-z_])")


def format_of_text(head: bytes, named: str) -> str | None:
    """The format of a file without a mark at its start; None where it is of none. `named`: the format of its name."""
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
        "tar"
        if len(head) >= 512 and (head[257:262] == b"ustar" or named == "tar") and is_tar_header(head[:512])
        else None
    )


def _is_pdf(head: bytes, named: str) -> bool:
    """Whether a PDF's header stands at the start of a line, where readers of PDF look for it. Texts write of PDF too:
    after text there must also be an object, and bytes that no text has. This is asked for every text: looking for one
    byte is ten times as fast as looking for a pattern, and most texts have no %."""
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
    in_form = {name for name, value in fields if name in FORMS and FORMS[name].match(value)}
    return "eml" if are_all and len(in_form) >= ENOUGH and in_form & MAIL_ONLY.keys() else None


def _fields(head: bytes) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Names and values of header fields; and whether nothing else stands before the first empty line."""
    fields: list[tuple[bytes, bytes]] = []
    lines = head.splitlines()
    for line in lines if len(head) < CUT else lines[:-1]:
        if not line:
            break
        if fields and line[:1] in (b" ", b"\t"):
            name, value = fields.pop()
            fields.append((name, value + line))
            continue
        name, colon, value = line.partition(b":")
        if not name or not colon or b" " in name:
            return fields, False
        fields.append((name.lower(), value))
    return fields, True


def _xml(head: bytes, named: str) -> str | None:
    if b"<office:document" in head and (flat := FLAT_DOCUMENT.search(head)):
        return by_media(flat[1].decode("ascii", "replace"))
    if head.startswith(XML_WIDE):
        return None if PAGE_ROOT.search(head.replace(b"\0", b"")) else "xml"
    if not XML_START.match(head) and not (named == "xml" and XML_ROOT.match(head)):
        return None
    return None if PAGE_ROOT.search(head) else "xml"


ZIPPED = frozenset(("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub"))
OLD = frozenset(("doc", "xls", "ppt", "msg"))
MAIN_PARTS = (
    ("wordprocessingml", "docx"),
    ("ms-word", "docx"),
    ("presentationml", "pptx"),
    ("ms-powerpoint", "pptx"),
    ("spreadsheetml", "xlsx"),
    ("ms-excel", "xlsx"),
)
LARGEST_LIST = 4 << 20  # of [Content_Types].xml


def format_inside(outside: str, named: str, file: BinaryIO) -> str:
    """The format of a zip, OLE or compressed file (`outside`), by what lies in it. `named`: the format of its name."""
    try:
        if outside == "zip":
            return _zip(named, file)
        if outside == "ole":
            return _ole(named, file)
        return _compressed(outside, file)
    except Exception:  # a damaged file is read by its name, and that reader says what is wrong
        if outside == "zip" and named in ZIPPED:
            return named
        return named if outside == "ole" and named in OLD else outside


def _zip(named: str, file: BinaryIO) -> str:
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        document = _document(named, archive)
        if document == "zip" or named in ZIPPED:
            return document
        return "zip" if is_archive(document, archive.NameToInfo, named_zip=named == "zip") else document


def _document(named: str, archive: zipfile.ZipFile) -> str:
    parts = archive.NameToInfo
    if "mimetype" in parts:
        with archive.open("mimetype") as stream:
            media = stream.read(200).decode("ascii", "replace").strip()
        return by_media(media)
    if "[Content_Types].xml" in parts:
        with suppress(Exception), archive.open("[Content_Types].xml") as stream:
            return _by_types(stream.read(LARGEST_LIST).decode("utf-8", "replace"))
        if named in ZIPPED:  # the list is damaged: no text is lost by that
            return named
    for place, format_name in (
        ("word/document.xml", "docx"),
        ("ppt/presentation.xml", "pptx"),
        ("xl/workbook.xml", "xlsx"),
    ):
        if place in parts:
            return format_name
    return "epub" if "META-INF/container.xml" in parts and named == "epub" else "zip"


def by_media(media: str) -> str:
    if media == "application/epub+zip":
        return "epub"
    if media.startswith(("application/vnd.oasis.opendocument.", "application/vnd.sun.xml.")):
        if "spreadsheet" in media or "calc" in media:
            return "ods"
        return "odt" if "text" in media or "writer" in media else "odp"
    return "zip"


def _by_types(types: str) -> str:
    """The format of OOXML, by the type of its main part. That ends in main+xml; the type of an embedded workbook's part
    in a Word file does not."""
    for piece in types.split("<"):
        if "main+xml" in piece or "sheet.binary.macroEnabled.main" in piece:
            for word, format_name in MAIN_PARTS:
                if word in piece:
                    return format_name
    return "zip"


def _ole(named: str, file: BinaryIO) -> str:
    file.seek(0)
    with opened(file) as storage:
        if storage.exists("EncryptedPackage") or storage.exists("\x09DRMContent"):
            return "ole"
        if storage.exists("__properties_version1.0"):
            return "msg"
        if storage.exists("Workbook") or storage.exists("Book"):
            return "xls"
        if storage.exists("WordDocument"):
            return "doc"
        return "ppt" if storage.exists("PowerPoint Document") else "ole"


def _compressed(outside: str, file: BinaryIO) -> str:
    file.seek(0)
    with unpacked(file) as stream:
        block = stream.read(512)
    return "tar" if is_tar_header(block) else outside


# Where parts of OOXML lie (ECMA-376 part 1), and those that programs add.
OOXML = (
    "[Content_Types].xml", "_rels/", "docProps/", "word/", "xl/", "ppt/", "customXml/", "customUI/", "docMetadata/",
    "userCustomization/", "[trash]/", "MsoDataStore/", "_xmlsignatures/",
)  # fmt: skip
OPEN_DOCUMENT = (
    "mimetype", "content.xml", "styles.xml", "meta.xml", "settings.xml", "manifest.rdf", "layout-cache", "current.xml",
    "META-INF/", "Pictures/", "Thumbnails/", "Configurations/", "Configurations2/", "Object ", "ObjectReplacements/",
    "Basic/", "Dialogs/", "Fonts/", "Versions/", "Media/", "media/", "VersionList.xml",
)  # fmt: skip
MAIN = {
    "docx": "word/document",
    "pptx": "ppt/presentation",
    "xlsx": "xl/workbook",
    "odt": "content.xml",
    "ods": "content.xml",
    "odp": "content.xml",
    "epub": "META-INF/container.xml",
}


def is_archive(format_name: str, parts: Iterable[str], *, named_zip: bool) -> bool:
    """Whether a zip file with parts of a format is an archive all the same. A document without its main part is
    damaged, unless its name says that it is a zip."""
    plain = [part.replace("\\", "/").lstrip("/") for part in parts]
    if named_zip and not any(part.startswith(MAIN[format_name]) for part in plain):
        return True
    if format_name == "epub":  # its pages may lie anywhere
        return False
    if format_name in ("docx", "pptx", "xlsx"):
        return not all(part.startswith(OOXML) for part in plain)
    # Formulas and charts lie in folders of any name.
    objects = tuple(part.removesuffix("content.xml") for part in plain if part.endswith("/content.xml"))
    return not all(part.startswith(OPEN_DOCUMENT + objects) for part in plain)
