"""What bytes are, and the text in them, one document at a time: sniff, decode, keep what a person sees of a page.

The kind is recognised by the content first, by the name second. Scans do the same for whole batches in the engine's
kernels; comparing, signing and the Python API go this way. A test holds it to what a scan stores.
"""

from dataclasses import dataclass
from enum import IntEnum

from nearkin import _native
from nearkin.text.decode import decode
from nearkin.text.html import property_json


class TextKind(IntEnum):
    """What the bytes of a document are."""

    EMPTY = _native.EMPTY
    TEXT = _native.TEXT
    HTML = _native.HTML
    BINARY = _native.BINARY
    OTHER = _native.OTHER  # text in an encoding that is not UTF-8
    UNREAD = _native.UNREAD  # not looked at: it could not be read, or a worker reads it


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
    TextKind.OTHER: None,  # known when it is decoded
    TextKind.UNREAD: None,
}

# The extractor that takes the text from the bytes. Its number is raised whenever text would come out differently.
EXTRACTORS: dict[int, str] = {
    TextKind.EMPTY: "text/2",
    TextKind.TEXT: "text/2",
    TextKind.HTML: "html/5",
    TextKind.BINARY: "",
    TextKind.OTHER: "text/2",
    TextKind.UNREAD: "",
}


def named_html(path: bytes) -> bool:
    """Whether a name is that of an HTML page. It is only a hint: content decides first."""
    return _native.is_named_html(path)


def sniff(data: bytes, *, named_html: bool = False) -> TextKind:
    return TextKind(_native.sniff(data, named_html))


def is_page(text: bytes, *, named_html: bool = False) -> bool:
    return _native.is_html(text, named_html)


def plain_text(text: bytes) -> bytes:
    """The text with the escapes of JSON strings undone, if it is JSON; any other text unchanged."""
    return _native.unescaped_json(text)


def visible_text(html: bytes, *, xml: bool = False) -> bytes:
    """What a person sees of a page. `xml`: it is XHTML, whatever it begins with."""
    return _native.visible_text(html, xml=xml)


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one document, and what is known of it."""

    text: bytes | None  # UTF-8, or the raw bytes where they are asked for; None where there is no text
    media: str
    encoding: str | None
    problem: str | None = None  # why there is no text
    extractor: str | None = None  # the reader that took it from a format; None where it is plain
    properties: str | None = None  # JSON
    holds: bool = False  # it holds other documents that are not in its text: attachments, or members of an archive


def extract(data: bytes, *, named_html: bool = False, raw: bool = False) -> Extracted:
    """Extract the text of a plain document or a page."""
    kind = sniff(data, named_html=named_html)
    encoding = "utf-8" if kind in (TextKind.TEXT, TextKind.HTML) else None
    text: bytes | None = data
    if raw:
        return Extracted(data, MEDIA[kind], encoding)
    if kind is TextKind.OTHER:
        decoded = decode(data, html=named_html or data[:64].lstrip().startswith(b"<"))
        text, encoding = decoded.text.encode(), decoded.encoding
        # Whether it is a page shows only once it is decoded.
        kind = TextKind.HTML if is_page(text, named_html=named_html) else TextKind.TEXT
    elif kind is TextKind.BINARY:
        text = None
    unmarked = text and text.removeprefix(BYTE_ORDER_MARK)
    if not unmarked or kind is not TextKind.HTML:
        return Extracted(unmarked and plain_text(unmarked), MEDIA[kind], encoding)
    shown, properties = _native.page(unmarked)
    return Extracted(shown, MEDIA[kind], encoding, properties=property_json(properties))
