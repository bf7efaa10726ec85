"""Which format a zip, OLE or compressed file is: told by what lies in it."""

import zipfile
from contextlib import suppress
from typing import BinaryIO

from nearkin.formats.ole import opened
from nearkin.formats.package import is_archive

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


def told(outside: str, named: str, file: BinaryIO) -> str:
    try:
        if outside == "zip":
            return _zip(named, file)
        if outside == "ole":
            return _ole(named, file)
        return _compressed(outside, file)
    except Exception:  # a damaged one is read by its name, and that reader says what is wrong
        if outside == "zip" and named in ZIPPED:
            return named
        return named if outside == "ole" and named in OLD else outside


def _zip(named: str, file: BinaryIO) -> str:
    file.seek(0)
    with zipfile.ZipFile(file) as archive:
        told = _document(named, archive)
        if told == "zip" or named in ZIPPED:
            return told
        return "zip" if is_archive(told, archive.NameToInfo, named_zip=named == "zip") else told


def _document(named: str, archive: zipfile.ZipFile) -> str:
    parts = archive.NameToInfo
    if "mimetype" in parts:
        with archive.open("mimetype") as stream:
            media = stream.read(200).decode("ascii", "replace").strip()
        return by_media(media)
    if "[Content_Types].xml" in parts:
        with suppress(Exception), archive.open("[Content_Types].xml") as stream:
            return _by_types(stream.read(LARGEST_LIST).decode("utf-8", "replace"))
        if named in ZIPPED:  # the list is damaged, which costs no text
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
    """The main part's type ends in main+xml; an embedded workbook's part in a Word file does not."""
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
    from nearkin.formats.unpacked import unpacked

    file.seek(0)
    with unpacked(file) as stream:
        block = stream.read(512)
    return "tar" if tar_block(block) else outside


def tar_block(block: bytes) -> bool:
    """The checksum of the first header is right (POSIX.1-2017 pax, ustar header block)."""
    if len(block) < 512 or not block[0]:
        return False
    try:
        told = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return told == sum(block) - sum(block[148:156]) + 8 * 32
