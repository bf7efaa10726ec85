"""Excel's old binary files ([MS-XLS]): names and cells of sheets, errors too; then the texts beside the cells.

Calamine reads the cells. It leaves out the texts beside them: headers and footers, comments, text boxes, labels of
buttons, alt texts, WordArt, and what charts say. In Excel 97 to 2003 comments are text boxes too (§2.4.329 TxO); in
Excel 5 and 95 they are records of their own.
"""

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from nearkin.formats.adapter import ContainerMember, Extraction, Limits, Problem, TextBuilder, failures_summed_up
from nearkin.formats.ole import SHAPE_PROPERTIES, OfficeRecord, codec_of_page, opened, properties, shape_texts, walk
from nearkin.formats.sheets import (
    BEGIN,
    BiffRecord,
    add_missing_labels,
    add_sheets,
    errors,
    records,
    sheets,
    without_codes,
)
from nearkin.model import Reason

DIMENSIONS = 0x0200  # how large a sheet is (§2.4.90)
MOST_CELLS, WRAP = 256 * 65536, 1 << 32  # of a sheet; calamine's numbers overflow at the second
FILE_PASS = 0x2F  # the record that says that all after it is encrypted ([MS-XLS] §2.4.117)


def read(file: BinaryIO, limits: Limits) -> Extraction:
    known, book = _properties_and_book(file)
    _check_dimensions(book)
    prose = TextBuilder(limits)
    lost = add_sheets(file, prose, errors(book))
    add_beside(book, prose)
    members = (
        ContainerMember.failed(f"sheet {name}".encode("utf-8", "replace"), problem) for name, problem in lost.items()
    )
    return Extraction(prose.text(), known, tuple(failures_summed_up(members)))


def _properties_and_book(file: BinaryIO) -> tuple[dict[str, str], bytes]:
    """Its properties, and the stream of its records."""
    book = b""
    with opened(file) as storage:
        _check_chains(storage)
        for name in ("Workbook", "Book"):  # calamine takes the first, too
            if storage.exists(name):
                stream = storage.openstream(name).read()
                if _locked(stream[: 1 << 16]):
                    raise Problem(Reason.ENCRYPTED, "a password is needed")
                book = book or stream
        return properties(storage), book


def _check_chains(storage: Any) -> None:
    """Calamine follows a chain of sectors in a circle until the memory is full, as in a file that lost some bytes."""
    starts = [storage.first_dir_sector, storage.first_mini_fat_sector]
    starts += [entry.isectStart for entry in storage.direntries if entry and entry.size >= storage.minisectorcutoff]
    starts.append(storage.root.isectStart)
    for start in starts:
        sector, steps = start, 0
        while sector < len(storage.fat) and steps <= len(storage.fat):
            sector, steps = storage.fat[sector], steps + 1
        if steps > len(storage.fat):
            raise Problem(Reason.CORRUPT, "damaged: its parts refer to one another in a circle")


def _check_dimensions(book: bytes) -> None:
    """Refuse a sheet that claims to be larger than any can be: calamine makes room for every cell, also for four
    thousand million, and its process ends."""
    for sheet in sheets(book):
        for kind, at, size, _ in sheet:
            if kind == DIMENSIONS and size >= 10:
                top, bottom, left, right = struct.unpack_from("<2I2H" if size >= 14 else "<4H", book, at)
                if (bottom - top) % WRAP * ((right - left) % WRAP) > MOST_CELLS:
                    raise Problem(Reason.CORRUPT, "damaged: a sheet claims to be larger than any can be")


def _locked(records: bytes) -> bool:
    place = 0
    while place + 4 <= len(records):
        kind = int.from_bytes(records[place : place + 2], "little")
        if kind == FILE_PASS:
            return True
        place += 4 + int.from_bytes(records[place + 2 : place + 4], "little")
    return False


HEADER, FOOTER, MORE_HEADERS, CODE_PAGE = 0x0014, 0x0015, 0x089C, 0x0042
BOX, CONTINUED, DRAWING, NOTE, CHART_TEXT = 0x01B6, 0x003C, 0x00EC, 0x001C, 0x100D
OLD = 0x0500  # the version of Excel 5 and 95; older ones have another beginning
OF_ALL_VIEWS = bytes(16)  # any other value: the headers of a view that somebody named
MACINTOSH, OLD_MACINTOSH = 10000, 0x8000  # code pages; 0x8001 is that of Windows
GOES_ON = 0xFFFF  # in place of a row: the comment before goes on


def add_beside(book: bytes, prose: TextBuilder) -> None:
    """Add the texts beside the cells."""
    labels: dict[str, None] = {}
    codec = _codec(book)
    for sheet in sheets(book):
        beside = _TextsOfSheet(book, codec, sheet)
        for text in beside.texts:
            prose.line(text.replace("\r", "\n").strip())
        labels.update(dict.fromkeys(beside.labels))
    add_missing_labels(labels, prose)


def _codec(book: bytes) -> str:
    """The codec of texts in Excel 5 and 95; empty where texts are Unicode."""
    is_old, codec = False, "cp1252"
    for kind, at, _, _ in records(book, 0):
        if kind == BEGIN:
            is_old = book[at : at + 2] == struct.pack("<H", OLD)
        elif kind == CODE_PAGE:
            page = int.from_bytes(book[at : at + 2], "little")
            codec = codec_of_page(MACINTOSH if page == OLD_MACINTOSH else page) or "cp1252"
    return codec if is_old else ""


class _TextsOfSheet:
    """The texts beside a sheet's cells, and the labels of its charts."""

    def __init__(self, book: bytes, codec: str, sheet: Iterator[BiffRecord]) -> None:
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
        """A text with its length in two bytes, in one where it is no Unicode (§2.5.294)."""
        return data[1 : 1 + data[0]].decode(self._codec, "replace") if data and self._codec else _unicode(data)[0]

    def _short(self, data: bytes) -> str:
        """A text with its length in one byte (§2.5.240)."""
        return self._string(data) if self._codec else _unicode(data[:1] + b"\0" + data[1:])[0]


WANTED = {HEADER, FOOTER, MORE_HEADERS, BOX, CONTINUED, DRAWING, NOTE, CHART_TEXT}


def _unicode(data: bytes) -> tuple[str, bytes]:
    """A text, and the bytes that follow it."""
    if len(data) < 3:
        return "", b""
    length, wide = int.from_bytes(data[:2], "little"), data[2] & 1
    end = 3 + length * (1 + wide)
    return data[3:end].decode("utf-16-le" if wide else "latin-1", "replace"), data[end:]


def _more_headers(data: bytes) -> Iterator[str]:
    """Headers and footers of even pages and the first: the lengths of the four, then those that are not empty
    (§2.4.137)."""
    rest = data[38:]
    for at in range(30, 38, 2):
        if data[at : at + 2] not in (b"", b"\0\0"):
            text, rest = _unicode(rest)
            yield text


def _drawn_texts(data: bytes) -> list[str]:
    """Alt texts and WordArt. Of damaged drawings those before the damage are read: they are no part of the cells."""
    texts: list[str] = []
    try:
        for edge, record in walk(data, OfficeRecord(0, 0, 0, len(data), holds=True)):
            if edge == "start" and record.kind in SHAPE_PROPERTIES:
                texts += (text.rstrip("\0") for text in shape_texts(data, record))
    except Problem:
        pass
    return texts
