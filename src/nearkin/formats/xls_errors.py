"""Errors in cells of Excel's old files (`#N/A`), which calamine does not tell: where they stand, read from the records.

A cell that is nothing but an error is a record of its own ([MS-XLS] §2.4.24 BoolErr), one whose formula came to one
keeps it with the formula (§2.4.127, §2.5.133 FormulaValue). Excel 5 and 95 write both in the same way.
"""

import re
import struct
from collections.abc import Iterator

from nearkin.formats.xls_records import Record, sheets

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
BOOL_ERR, FORMULA = 0x0205, 0x0006
CODES = b"[" + b"".join(b"\\x%02x" % code for code in TOLD) + b"]"
# Most books have none, and are not gone through record by record.
ANY = re.compile(rb"\x05\x02\x08\0.{6}%b\x01|\x06\0.{8}\x02.%b.{3}\xff\xff" % (CODES, CODES), re.DOTALL)

Errors = dict[tuple[int, int], str]  # by row and column


def errors(book: bytes) -> list[Errors]:
    """Of each sheet, in the order in which the book lists them."""
    return [dict(_errors(book, sheet)) for sheet in sheets(book)] if ANY.search(book) else []


def _errors(book: bytes, sheet: Iterator[Record]) -> Iterator[tuple[tuple[int, int], str]]:
    for kind, at, size, depth in sheet:
        code = None
        if kind == BOOL_ERR and size >= 8 and book[at + 7] == 1:
            code = book[at + 6]
        elif kind == FORMULA and size >= 14 and book[at + 6] == 2 and book[at + 12 : at + 14] == b"\xff\xff":
            code = book[at + 8]
        if code in TOLD and depth == 1:
            row, column = struct.unpack_from("<HH", book, at)
            yield (row, column), TOLD[code]
