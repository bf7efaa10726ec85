"""What bytes are: told from their content first, from the name second."""

from enum import IntEnum

from nearkin import _native


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
