"""Bytes to extracted text, one document at a time: what the engine's kernels do for whole batches.

Sniff, decode, keep what a reader of a page sees. Comparing, signing and the Python surface go this way; a
test holds it to what a scan stores.
"""

from dataclasses import dataclass

from nearkin.text.decode import decode
from nearkin.text.html import as_json, page
from nearkin.text.kind import MEDIA, TextKind, is_page, plain_text, sniff

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
    shown, properties = page(unmarked)
    return Extracted(shown, MEDIA[kind], encoding, properties=as_json(properties))
