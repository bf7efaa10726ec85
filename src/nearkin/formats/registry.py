"""The formats that are read, and how a file's format is recognised: by its content first, by its name second.

`detect` gives None for the files that the native core reads itself: plain text of any sort, HTML, binaries of no known
format. Nearly all files are of that sort, so the first test is a look at a few bytes and at the name's ending.

This is the door to the readers: each is imported when the first file of its format is met, as all of them take longer
to load than a small scan takes.

Formats that are known and not read: archives, mailboxes and documents. Each fails with the name of its format.

Nothing else would tell that a container holds documents, or that a document of such a name holds text. A binary file
of no known name has no text to miss.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import BinaryIO

from nearkin.formats.adapter import DAMAGED, Adapter, ContainerMember, Extraction, Limits, Problem
from nearkin.model import Reason
from nearkin.text.decode import without_lone_surrogates
from nearkin.text.kind import TextKind

HEAD = 4096  # bytes of a file that detect should be given


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is recognised, and where its reader is."""

    name: str
    media: str
    extensions: tuple[str, ...]
    reader: str  # module of this package and function, imported when first needed
    # The number is raised whenever text would come out differently: also where the HTML extractor has changed, which
    # epub, eml, msg and mhtml use.
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
# Endings of documents of formats that are not read. A text file of such a name is read as text.
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
    Format("odt", f"{OPEN}.text", (".odt", ".ott", ".odm", ".sxw", ".fodt"), "odf:read_text_document", 3),
    Format(
        "odp",
        f"{OPEN}.presentation",
        (".odp", ".otp", ".odg", ".sxi", ".odf", ".fodp", ".fodg"),
        "odf:read_presentation",
        3,
    ),
    Format("rtf", "application/rtf", (".rtf",), "rtf:read", 6),
    Format("epub", "application/epub+zip", (".epub",), "epub:read", 6),
    Format("eml", "message/rfc822", (".eml",), "mail:read_eml", 6),
    Format("msg", "application/vnd.ms-outlook", (".msg",), "msg:read", 7),
    Format("mbox", "application/mbox", (".mbox", ".mbx"), "mail:read_mbox", 3),
    Format("mhtml", "multipart/related", (".mht", ".mhtml"), "mail:read_mhtml", 6),
    Format("xml", "application/xml", (".xml",), "xml:read", 4),
    Format("doc", "application/msword", (".doc", ".dot"), "doc:read", 4),
    Format("ppt", "application/vnd.ms-powerpoint", (".ppt", ".pps", ".pot"), "ppt:read", 3),
    Format("ole", "application/x-ole-storage", (".wps", ".vsd", ".pub", ".mpp"), "ole:read"),
    Format("zip", "application/zip", (".zip", ".jar"), "archives:read_zip", 3),
    Format("tar", "application/x-tar", (".tar", ".tgz", ".tbz2", ".txz", ".tzst"), "archives:read_tar", 3),
    Format("gzip", "application/gzip", (".gz",), "archives:read_compressed"),
    Format("bzip2", "application/x-bzip2", (".bz2",), "archives:read_compressed"),
    Format("xz", "application/x-xz", (".xz",), "archives:read_compressed"),
    Format("zstd", "application/zstd", (".zst",), "archives:read_compressed"),
    Format("7z", "application/x-7z-compressed", (".7z",), "seven_zip:read", 2),
    Format("rar", "application/vnd.rar", (".rar",), "registry:read_unread_container"),
    Format("tnef", "application/vnd.ms-tnef", (".tnef",), "registry:read_unread_container"),
    Format("lzip", "application/lzip", (".lz",), "registry:read_unread_container"),
    Format("cab", "application/vnd.ms-cab-compressed", (".cab",), "registry:read_unread_container"),
    Format("pst", "application/vnd.ms-outlook-pst", (".pst", ".ost"), "registry:read_unread_container"),
    Format("compress", "application/x-compress", (".z",), "registry:read_unread_container"),
    Format("other", "application/octet-stream", UNREAD, "registry:read_unread_document"),
)
BY_NAME = {known.name: known for known in FORMATS}
BY_ENDING = {ending.encode(): known for known in FORMATS for ending in known.extensions}

# A file named after one of these formats is read as that format or not at all. Other names are often wrong (.doc that
# is HTML, .gz that a browser has unpacked), and then the content decides.
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

# The reader that a store notes for a file of no known format; the number is raised when more formats are known.
UNKNOWN = "none/3"
UNSEEN = "none/0"  # noted for a file that was written to since it was looked at: the next scan looks again
# The reader that is noted for files that the kernels have read; None for text, which needs no reader.
READERS: dict[int, str | None] = {
    **dict.fromkeys(TextKind),
    TextKind.BINARY: UNKNOWN,
    TextKind.UNREAD: UNKNOWN,
}
ENDINGS = frozenset(BY_ENDING)


def detect(head: bytes, name: bytes, file: BinaryIO) -> Format | None:
    """Recognise a file's format; None where the native core reads the file.

    `head` is the first bytes of the file, HEAD of them if there are so many; `name` is its path, or the last part of
    it. A file of nothing but white space is of no format, whatever its name: it is a document without text.
    """
    from nearkin.formats.detect import format_inside, format_of_text  # only in workers, and for few files

    if _is_blank(head, file):
        return None
    named = BY_ENDING.get(ending_of(name))
    name_hint = named.name if named else ""
    recognised = next((known for mark, known in MARKS if head.startswith(mark)), None) if head[0] in FIRST else None
    if recognised is None:
        recognised = format_of_text(head, name_hint)
    elif recognised in ("zip", "ole", "gzip", "bzip2", "xz", "zstd"):
        recognised = format_inside(recognised, name_hint, file)
    if recognised is None and named and (b"\0" in head or (named.name in BOUND_BY_NAME and not _is_page(head))):
        return named
    return BY_NAME[recognised] if recognised else None


def _is_blank(head: bytes, file: BinaryIO) -> bool:
    """Whether a file holds nothing but white space, and perhaps a byte order mark."""
    if head.removeprefix(codecs.BOM_UTF8).strip():  # nearly always
        return False
    file.seek(0)
    blank = not file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8).strip()
    while blank and (chunk := file.read(1 << 20)):
        blank = not chunk.strip()
    return blank


def _is_page(head: bytes) -> bool:
    start = head[:256].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<table"))


def has_ending(name: bytes) -> bool:
    """Whether a name ends as a format's names do. It is a hint that is asked for every file, so a cheap one."""
    return ending_of(name) in ENDINGS


def read_with(chosen: Format, file: BinaryIO, limits: Limits) -> Extraction:
    """Read a file with the adapter of its format. What its libraries raise over a damaged file becomes a Problem."""
    adapter = chosen.adapter
    try:
        file.seek(0)
        extraction = adapter(file, limits)
    except ImportError:
        raise  # a library that is not installed is no fault of the file
    except Exception as error:
        raise _problem(error, chosen) from error
    if extraction.text is not None:
        extraction.text = without_lone_surrogates(extraction.text)
    extraction.properties = {key: without_lone_surrogates(value) for key, value in extraction.properties.items()}
    if extraction.members:
        extraction.members = _guarded(extraction.members, chosen)
    return extraction


def _guarded(members: Iterable[ContainerMember], chosen: Format) -> Iterator[ContainerMember]:
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
    # The name of the error helps to find the cause: it may be a fault of the reader.
    return Problem(Reason.CORRUPT, f"damaged: not a readable {chosen.name} file ({type(error).__name__})")


def ending_of(name: bytes) -> bytes:
    """A name's ending with its dot, in lower case; empty where there is none of a format's length."""
    dot = name.rfind(b".", -6)
    return name[dot:].lower() if dot >= 0 else b""


CONTAINER_MARKS = (
    (b"Rar!\x1a\x07", "RAR archives are not read"),
    (b"\x78\x9f\x3e\x22", "what Outlook packs into winmail.dat (TNEF) is not read"),
    (b"LZIP", "files packed by lzip are not read"),
    (b"MSCF", "cabinets of Windows are not read"),
    (b"!BDN", "mailboxes of Outlook (PST, OST) are not read"),
    (b"\x1f\x9d", "files packed by compress are not read"),
)


def read_unread_container(file: BinaryIO, limits: Limits) -> Extraction:
    head = file.read(8)
    for mark, detail in CONTAINER_MARKS:
        if head.startswith(mark):
            raise Problem(Reason.UNSUPPORTED, detail)
    raise Problem(Reason.CORRUPT, "it is not what its name says")


DOCUMENT_HEAD = 128
DOCUMENT_MARKS = (  # place in the file, bytes that stand there, program
    (0, b"\xffWPC", "WordPerfect"),
    (0, b"WordPro", "Lotus Word Pro"),
    (0, b"1\xbe\0\0", "Microsoft Write"),
    (0, b"2\xbe\0\0", "Microsoft Write"),
    (0, b"AT&TFORM", "DjVu"),
    (0, b"ITSF", "compiled HTML help"),
    (0, b"ITOLITLS", "Microsoft Reader"),
    (60, b"BOOKMOBI", "Mobipocket and Kindle"),
    (0, b"HWP Document File", "Hangul Word Processor"),
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "OneNote"),
    (4, b"Standard Jet DB", "Access"),
    (4, b"Standard ACE DB", "Access"),
    (0, b"\0\0\2\0\6\4\6\0", "Lotus 1-2-3"),
    (0, b"\0\0\x1a\0", "Lotus 1-2-3"),
    (0, b"\x06\x06\xed\xf5", "InDesign"),
    (0, b"\xf7\x02", "TeX (DVI)"),
)


def read_unread_document(file: BinaryIO, limits: Limits) -> Extraction:
    head = file.read(DOCUMENT_HEAD)
    program = next((program for at, mark, program in DOCUMENT_MARKS if head.startswith(mark, at)), "this sort")
    raise Problem(Reason.UNSUPPORTED, f"documents of {program} are not read")
