"""Records of Excel's old files ([MS-XLS] §2.1.4): a kind, a size, the data. A sheet is a run of them between a
beginning and its end; charts begin and end within."""

import re
import struct
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from nearkin.formats.adapter import Problem
from nearkin.model import Reason

BEGIN, END, SHEET = 0x0809, 0x000A, 0x0085
# Cells that are numbers, texts or empty, and their rows: most of a book, and each of one size.
NUMBER, TEXT, SHORT = rb"\x03\x02\x0e\0.{14}", rb"\xfd\0\x0a\0.{10}", rb"\x7e\x02\x0a\0.{10}"
BLANK, ROW = rb"\x01\x02\x06\0.{6}", rb"\x08\x02\x10\0.{16}"
CELLS = re.compile(rb"(?:" + rb"|".join((NUMBER, TEXT, SHORT, BLANK, ROW)) + rb")++", re.DOTALL)


class Record(NamedTuple):
    kind: int
    start: int  # of its data
    size: int
    depth: int  # 1: of the sheet itself, 2: of a chart in it


def records(book: bytes, start: int) -> Iterator[Record]:
    """From a beginning to its end, but for most cells."""
    depth = 0
    while start + 4 <= len(book):
        kind, size = struct.unpack_from("<HH", book, start)
        depth += (kind == BEGIN) - (kind == END)
        if depth <= 0 or start + 4 + size > len(book):
            return
        yield Record(kind, start + 4, size, depth)
        start += 4 + size
        if cells := CELLS.match(book, start):
            start = cells.end()


def sheets(book: bytes) -> list[Iterator[Record]]:
    """In the order in which the book lists them."""
    starts = [
        int.from_bytes(book[one.start : one.start + 4], "little") for one in records(book, 0) if one.kind == SHEET
    ]
    left = count(len(book), -4)  # no record is shorter than its head; sheets that lie in one another are no sheets
    return [_bounded(book, start, left) for start in starts]


def _bounded(book: bytes, start: int, left: Iterator[int]) -> Iterator[Record]:
    for record in records(book, start):
        if next(left) < 0:
            raise Problem(Reason.CORRUPT, "damaged: its sheets overlap")
        yield record
