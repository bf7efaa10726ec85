"""Errors in cells of Excel's old files (`#N/A`), which calamine does not tell: where they stand, read from the records.

A cell that is nothing but an error is a record of its own ([MS-XLS] §2.4.24 BoolErr), one whose formula came to one
keeps it with the formula (§2.4.127, §2.5.133 FormulaValue). Excel 5 and 95 write both in the same way.
"""

import re
import struct
from collections.abc import Iterator
from itertools import count

from nearkin.formats.found import Problem
from nearkin.model import Reason

TOLD = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}  # §2.5.10 BErr
BEGIN, END, SHEET, BOOL_ERR, FORMULA = 0x0809, 0x000A, 0x0085, 0x0205, 0x0006
CODES = b"[" + b"".join(b"\\x%02x" % code for code in TOLD) + b"]"
# Most books have none, and are not gone through record by record.
ANY = re.compile(rb"\x05\x02\x08\0.{6}%b\x01|\x06\0.{8}\x02.%b.{3}\xff\xff" % (CODES, CODES), re.DOTALL)

Errors = dict[tuple[int, int], str]  # by row and column


def errors(book: bytes) -> list[Errors]:
    """Of each sheet, in the order in which the book lists them."""
    if not ANY.search(book):
        return []
    starts = [int.from_bytes(book[at : at + 4], "little") for kind, at, _ in _records(book, 0) if kind == SHEET]
    left = count(len(book), -4)  # no record is shorter than its head; sheets that lie in one another are no sheets
    return [dict(_errors(book, start, left)) for start in starts]


def _errors(book: bytes, start: int, left: Iterator[int]) -> Iterator[tuple[tuple[int, int], str]]:
    for kind, at, size in _records(book, start):
        if next(left) < 0:
            raise Problem(Reason.CORRUPT, "its sheets lie in one another")
        code = None
        if kind == BOOL_ERR and size >= 8 and book[at + 7] == 1:
            code = book[at + 6]
        elif kind == FORMULA and size >= 14 and book[at + 6] == 2 and book[at + 12 : at + 14] == b"\xff\xff":
            code = book[at + 8]
        if code in TOLD:
            row, column = struct.unpack_from("<HH", book, at)
            yield (row, column), TOLD[code]


def _records(book: bytes, start: int) -> Iterator[tuple[int, int, int]]:
    """Kind, place and size of what stands between a beginning and its end; charts begin and end within."""
    depth = 0
    while start + 4 <= len(book):
        kind, size = struct.unpack_from("<HH", book, start)
        depth += (kind == BEGIN) - (kind == END)
        if depth <= 0 or start + 4 + size > len(book):
            return
        if depth == 1:
            yield kind, start + 4, size
        start += 4 + size
