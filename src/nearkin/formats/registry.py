"""The formats that are read, and how a file's format is told: by its content first, by its name second.

`detect` gives None for what the native core reads itself: plain text of any sort, HTML, binaries of no known format.
Nearly all files are of that sort, so the first test is a look at a few bytes and at the name's ending.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import BinaryIO

from nearkin.formats.adapter import DAMAGED, Adapter, Found, Limits, Member, Problem
from nearkin.model import Reason

HEAD = 4096  # bytes of a file that detect should be given


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    media: str
    extensions: tuple[str, ...]
    reader: str  # module of this package and function, imported when first needed
    # Raised whenever text would come out differently: also where the HTML extractor has changed, which epub, eml, msg
    # and mhtml use.
    version: int = 1

    @property
    def extractor(self) -> str:
        return f"{self.name}/{self.version}"

    @property
    def adapter(self) -> Adapter:
        module, _, function = self.reader.partition(":")
        adapter: Adapter = getattr(import_module(f"nearkin.formats.{module}"), function)
        return adapter


OFFICE = "application/vnd.openxmlformats-officedocument"
OPEN = "application/vnd.oasis.opendocument"
# Documents by their name, of formats that are not read. What is text under such a name is read as text.
UNREAD = (
    ".wpd", ".wp", ".wp5", ".wp6", ".lwp", ".sam", ".wri", ".hwp", ".djvu", ".djv", ".chm", ".lit", ".mobi", ".azw",
    ".azw3", ".prc", ".one", ".mdb", ".accdb", ".wk1", ".wk3", ".wk4", ".123", ".qpw", ".wb3", ".indd", ".qxd", ".fm",
    ".dvi",
)  # fmt: skip

FORMATS: tuple[Format, ...] = (
    Format("pdf", "application/pdf", (".pdf",), "pdf:read", 7),
    Format("docx", f"{OFFICE}.wordprocessingml.document", (".docx", ".docm", ".dotx", ".dotm"), "docx:read", 6),
    Format(
        "pptx", f"{OFFICE}.presentationml.presentation", (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx"), "pptx:read", 5
    ),
    Format("xlsx", f"{OFFICE}.spreadsheetml.sheet", (".xlsx", ".xlsm", ".xlsb", ".xltx", ".xltm"), "xlsx:read", 7),
    Format("xls", "application/vnd.ms-excel", (".xls", ".xlt"), "xls:read", 3),
    Format("ods", f"{OPEN}.spreadsheet", (".ods", ".ots", ".fods"), "ods:read", 4),
    Format("odt", f"{OPEN}.text", (".odt", ".ott", ".odm", ".sxw", ".fodt"), "odf:read", 3),
    Format("odp", f"{OPEN}.presentation", (".odp", ".otp", ".odg", ".sxi", ".odf", ".fodp", ".fodg"), "odp:read", 3),
    Format("rtf", "application/rtf", (".rtf",), "rtf:read", 6),
    Format("epub", "application/epub+zip", (".epub",), "epub:read", 6),
    Format("eml", "message/rfc822", (".eml",), "mail:read_eml", 6),
    Format("msg", "application/vnd.ms-outlook", (".msg",), "msg:read", 7),
    Format("mbox", "application/mbox", (".mbox", ".mbx"), "mbox:read", 3),
    Format("mhtml", "multipart/related", (".mht", ".mhtml"), "mhtml:read", 6),
    Format("xml", "application/xml", (".xml",), "xml:read", 4),
    Format("doc", "application/msword", (".doc", ".dot"), "doc:read", 4),
    Format("ppt", "application/vnd.ms-powerpoint", (".ppt", ".pps", ".pot"), "ppt:read", 3),
    Format("ole", "application/x-ole-storage", (".wps", ".vsd", ".pub", ".mpp"), "ole:read"),
    Format("zip", "application/zip", (".zip", ".jar"), "archives:read_zip", 3),
    Format("tar", "application/x-tar", (".tar", ".tgz", ".tbz2", ".txz", ".tzst"), "tar:read", 3),
    Format("gzip", "application/gzip", (".gz",), "compressed:read"),
    Format("bzip2", "application/x-bzip2", (".bz2",), "compressed:read"),
    Format("xz", "application/x-xz", (".xz",), "compressed:read"),
    Format("zstd", "application/zstd", (".zst",), "compressed:read"),
    Format("7z", "application/x-7z-compressed", (".7z",), "seven_zip:read", 2),
    Format("rar", "application/vnd.rar", (".rar",), "unread:read"),
    Format("tnef", "application/vnd.ms-tnef", (".tnef",), "unread:read"),
    Format("lzip", "application/lzip", (".lz",), "unread:read"),
    Format("cab", "application/vnd.ms-cab-compressed", (".cab",), "unread:read"),
    Format("pst", "application/vnd.ms-outlook-pst", (".pst", ".ost"), "unread:read"),
    Format("compress", "application/x-compress", (".z",), "unread:read"),
    Format("other", "application/octet-stream", UNREAD, "unread_document:read"),
)
BY_NAME = {known.name: known for known in FORMATS}
BY_ENDING = {ending.encode(): known for known in FORMATS for ending in known.extensions}

# What a file with such a name must be if it is to be read at all; other names often lie (.doc that is HTML, .gz that a
# browser has unpacked), and then the content is read for what it is.
BOUND_BY_NAME = frozenset(("pdf", "docx", "pptx", "xlsx", "ods", "odt", "odp", "epub"))
MARKS = (
    (b"%PDF-", "pdf"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"PK\x07\x08", "zip"),  # the first of several volumes
    (b"PK00PK", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"{\\rtf", "rtf"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x78\x9f\x3e\x22", "tnef"),
    (b"LZIP\x01", "lzip"),
    (b"MSCF\0\0\0\0", "cab"),
    (b"!BDN", "pst"),
    (b"\x1f\x9d\x90", "compress"),
)
FIRST = frozenset(mark[0] for mark, _ in MARKS)


def detect(head: bytes, name: bytes, file: BinaryIO) -> Format | None:
    """head: the first bytes of the file, HEAD of them if there are so many; name: the last part of its path will do. A
    file of nothing but white space is of no format, whatever its name: a document without text."""
    if _is_blank(head, file):
        return None
    named = BY_ENDING.get(ending_of(name))
    told = next((told for mark, told in MARKS if head.startswith(mark)), None) if head[0] in FIRST else None
    if told is None:
        from nearkin.formats.plain_marks import told_by_text

        told = told_by_text(head, named.name if named else "")
    elif told in ("zip", "ole", "gzip", "bzip2", "xz", "zstd"):
        from nearkin.formats import detect as inside

        told = inside.told(told, named.name if named else "", file)
    if told is None and named and (b"\0" in head or (named.name in BOUND_BY_NAME and not _page(head))):
        return named
    return BY_NAME[told] if told else None


def read_with(chosen: Format, file: BinaryIO, limits: Limits) -> Found:
    """What the adapter finds. What its libraries raise over a damaged file is the file's problem, told here once."""
    adapter = chosen.adapter
    try:
        file.seek(0)
        found = adapter(file, limits)
    except ImportError:
        raise  # a library that is not installed is no fault of the file
    except Exception as error:
        raise _problem(error, chosen) from error
    if found.text is not None:
        found.text = _encodable(found.text)
    found.properties = {key: _encodable(value) for key, value in found.properties.items()}
    if found.members:
        found.members = _guarded(found.members, chosen)
    return found


def _guarded(members: Iterable[Member], chosen: Format) -> Iterator[Member]:
    try:
        yield from members
    except Exception as error:
        raise _problem(error, chosen) from error


def _problem(error: Exception, chosen: Format) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, MemoryError):
        return Problem(Reason.TOO_LARGE, "it needs more memory than it may have")
    if isinstance(error, RecursionError):
        return Problem(Reason.TOO_LARGE, "it is nested too deeply")
    if isinstance(error, EOFError):
        return Problem(Reason.CORRUPT, DAMAGED)
    # The name of the error is for those who look for the cause: it may be a fault of the reader.
    return Problem(Reason.CORRUPT, f"damaged: not a readable {chosen.name} file ({type(error).__name__})")


def _encodable(text: str) -> str:
    """Without lone surrogates, which no encoding of Unicode can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def ending_of(name: bytes) -> bytes:
    """With its dot, in lower case; empty where there is none of a format's length."""
    dot = name.rfind(b".", -6)
    return name[dot:].lower() if dot >= 0 else b""


def _is_blank(head: bytes, file: BinaryIO) -> bool:
    if head.removeprefix(codecs.BOM_UTF8).strip():  # nearly always
        return False
    file.seek(0)
    white = not file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8).strip()
    while white and (some := file.read(1 << 20)):
        white = not some.strip()
    return white


def _page(head: bytes) -> bool:
    start = head[:256].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<table"))
