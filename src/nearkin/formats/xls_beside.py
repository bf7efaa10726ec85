"""What stands beside the cells of Excel's old files ([MS-XLS]), which calamine does not tell: headers and footers,
comments, text boxes, labels of buttons, alt texts, WordArt, and what charts say.

Of Excel 97 to 2003 comments are text boxes too (§2.4.329 TxO); in Excel 5 and 95 they are records of their own.
"""

import struct
from collections.abc import Iterator

from nearkin.formats.adapter import Problem
from nearkin.formats.chart import add_unsaid
from nearkin.formats.code_page import codec_of_page
from nearkin.formats.page_codes import without_codes
from nearkin.formats.ppt_records import Record as Shape
from nearkin.formats.ppt_records import walk
from nearkin.formats.prose import Prose
from nearkin.formats.shape_texts import SHAPE_PROPERTIES, shape_texts
from nearkin.formats.xls_records import BEGIN, Record, records, sheets

HEADER, FOOTER, MORE_HEADERS, CODE_PAGE = 0x0014, 0x0015, 0x089C, 0x0042
BOX, CONTINUED, DRAWING, NOTE, CHART_TEXT = 0x01B6, 0x003C, 0x00EC, 0x001C, 0x100D
OLD = 0x0500  # the version of Excel 5 and 95; older ones have another beginning
OF_ALL_VIEWS = bytes(16)  # else a view that somebody named has headers of its own
MACINTOSH, OLD_MACINTOSH = 10000, 0x8000  # code pages; 0x8001 is that of Windows
GOES_ON = 0xFFFF  # instead of a row: more of the comment before


def add_beside(book: bytes, prose: Prose) -> None:
    labels: dict[str, None] = {}
    codec = _codec(book)
    for sheet in sheets(book):
        said = _Sheet(book, codec, sheet)
        for text in said.texts:
            prose.line(text.replace("\r", "\n").strip())
        labels.update(dict.fromkeys(said.labels))
    add_unsaid(labels, prose)


def _codec(book: bytes) -> str:
    """Of texts in Excel 5 and 95; nothing where texts are Unicode."""
    is_old, codec = False, "cp1252"
    for kind, at, _, _ in records(book, 0):
        if kind == BEGIN:
            is_old = book[at : at + 2] == struct.pack("<H", OLD)
        elif kind == CODE_PAGE:
            page = int.from_bytes(book[at : at + 2], "little")
            codec = codec_of_page(MACINTOSH if page == OLD_MACINTOSH else page) or "cp1252"
    return codec if is_old else ""


class _Sheet:
    """Its texts, and the labels of its charts."""

    def __init__(self, book: bytes, codec: str, sheet: Iterator[Record]) -> None:
        self._book, self._codec = book, codec
        self.texts: list[str] = []
        self.labels: list[str] = []
        notes: list[bytearray] = []
        drawn = bytearray()
        left = 0  # characters of a box that are still to come
        last = 0
        for record in sheet:
            kind, at, size, _ = record
            data = book[at : at + size] if kind in WANTED else b""
            if kind == CONTINUED and last == BOX and left:
                wide = bool(data[:1] != b"\0")
                self.texts[-1] += data[1 : 1 + left * (1 + wide)].decode("utf-16-le" if wide else "latin-1", "replace")
                left -= (size - 1) // (1 + wide)
                continue
            if kind == CONTINUED and last == DRAWING:
                drawn += data
                continue
            last, left = kind, 0
            if kind in (HEADER, FOOTER):
                self.texts.append(without_codes(self._string(data)))
            elif kind == MORE_HEADERS and data[12:28] == OF_ALL_VIEWS:
                self.texts += map(without_codes, _more_headers(data))
            elif kind == BOX and not codec and size >= 12:
                left = int.from_bytes(data[10:12], "little")
                self.texts.append("")
            elif kind == DRAWING:
                drawn += data
            elif kind == NOTE and codec:
                if notes and int.from_bytes(data[:2], "little") == GOES_ON:
                    notes[-1] += data[6:]
                else:
                    notes.append(bytearray(data[6:]))
            elif kind == CHART_TEXT:
                self.labels.append(self._short(data[2:]))
        self.texts += [note.decode(codec, "replace") for note in notes]
        self.texts += _drawn_texts(bytes(drawn))

    def _string(self, data: bytes) -> str:
        """With its length in two bytes, in one where it is no Unicode (§2.5.294)."""
        return data[1 : 1 + data[0]].decode(self._codec, "replace") if data and self._codec else _unicode(data)[0]

    def _short(self, data: bytes) -> str:
        """With its length in one byte (§2.5.240)."""
        return self._string(data) if self._codec else _unicode(data[:1] + b"\0" + data[1:])[0]


WANTED = {HEADER, FOOTER, MORE_HEADERS, BOX, CONTINUED, DRAWING, NOTE, CHART_TEXT}


def _unicode(data: bytes) -> tuple[str, bytes]:
    """A text, and what follows it."""
    if len(data) < 3:
        return "", b""
    length, wide = int.from_bytes(data[:2], "little"), data[2] & 1
    end = 3 + length * (1 + wide)
    return data[3:end].decode("utf-16-le" if wide else "latin-1", "replace"), data[end:]


def _more_headers(data: bytes) -> Iterator[str]:
    """Of even pages and the first: after how long each of the four is, those that are not empty (§2.4.137)."""
    rest = data[38:]
    for at in range(30, 38, 2):
        if data[at : at + 2] not in (b"", b"\0\0"):
            text, rest = _unicode(rest)
            yield text


def _drawn_texts(data: bytes) -> list[str]:
    """Alt texts and WordArt. Of drawings that are damaged those before the damage: they are no part of the cells."""
    found: list[str] = []
    try:
        for what, record in walk(data, Shape(0, 0, 0, len(data), holds=True)):
            if what == "start" and record.kind in SHAPE_PROPERTIES:
                found += (text.rstrip("\0") for text in shape_texts(data, record))
    except Problem:
        pass
    return found
