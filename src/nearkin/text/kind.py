"""What bytes are: told from their content first, from the name second.

Bytes to extracted text, one document at a time: what the engine's kernels do for whole batches.

Sniff, decode, keep what a reader of a page sees. Comparing, signing and the Python surface go this way; a
test holds it to what a scan stores.
"""

from dataclasses import dataclass
from enum import IntEnum

from nearkin import _native
from nearkin.text.decode import decode
from nearkin.text.html import property_json


class TextKind(IntEnum):
    EMPTY = _native.EMPTY
    TEXT = _native.TEXT
    HTML = _native.HTML
    BINARY = _native.BINARY
    OTHER = _native.OTHER  # text in an encoding that is not UTF-8
    UNREAD = _native.UNREAD  # nobody has looked: it could not be read, or a worker reads it


MEDIA: dict[int, str] = {
    TextKind.EMPTY: "text/plain",
    TextKind.TEXT: "text/plain",
    TextKind.HTML: "text/html",
    TextKind.BINARY: "application/octet-stream",
    TextKind.OTHER: "text/plain",
    TextKind.UNREAD: "application/octet-stream",
}

ENCODINGS: dict[int, str | None] = {
    TextKind.EMPTY: None,
    TextKind.TEXT: "utf-8",
    TextKind.HTML: "utf-8",
    TextKind.BINARY: None,
    TextKind.OTHER: None,  # found out when it is decoded
    TextKind.UNREAD: None,
}

# How the text is taken from the bytes. The number is raised whenever it would come out differently.
EXTRACTORS: dict[int, str] = {
    TextKind.EMPTY: "text/2",
    TextKind.TEXT: "text/2",
    TextKind.HTML: "html/5",
    TextKind.BINARY: "",
    TextKind.OTHER: "text/2",
    TextKind.UNREAD: "",
}


def named_html(path: bytes) -> bool:
    """A hint only: content decides first."""
    return _native.is_named_html(path)


def sniff(data: bytes, *, named_html: bool = False) -> TextKind:
    return TextKind(_native.sniff(data, named_html))


def is_page(text: bytes, *, named_html: bool = False) -> bool:
    return _native.is_html(text, named_html)


def plain_text(text: bytes) -> bytes:
    """JSON with the escapes of its strings undone; any other text as it is."""
    return _native.unescaped_json(text)


def visible_text(html: bytes, *, xml: bool = False) -> bytes:
    """`xml`: it is XHTML, whatever it begins with."""
    return _native.visible_text(html, xml=xml)


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Extracted:
    text: bytes | None  # UTF-8, or the bytes themselves where they are taken raw; None: no text in it
    media: str
    encoding: str | None
    problem: str | None = None  # why there is none
    extractor: str | None = None  # who took it from a format; None: it is plain
    properties: str | None = None  # JSON
    holds: bool = False  # other documents, that are not in its text: attachments, or members of an archive


def extract(data: bytes, *, named_html: bool = False, raw: bool = False) -> Extracted:
    kind = sniff(data, named_html=named_html)
    encoding = "utf-8" if kind in (TextKind.TEXT, TextKind.HTML) else None
    text: bytes | None = data
    if raw:
        return Extracted(data, MEDIA[kind], encoding)
    if kind is TextKind.OTHER:
        decoded = decode(data, html=named_html or data[:64].lstrip().startswith(b"<"))
        text, encoding = decoded.text.encode(), decoded.encoding
        # What it says it is can only be told once it is decoded.
        kind = TextKind.HTML if is_page(text, named_html=named_html) else TextKind.TEXT
    elif kind is TextKind.BINARY:
        text = None
    unmarked = text and text.removeprefix(BYTE_ORDER_MARK)
    if not unmarked or kind is not TextKind.HTML:
        return Extracted(unmarked and plain_text(unmarked), MEDIA[kind], encoding)
    shown, properties = _native.page(unmarked)
    return Extracted(shown, MEDIA[kind], encoding, properties=property_json(properties))
