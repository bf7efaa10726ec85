"""Sheets as calamine can read them: with cells far apart moved together, and errors (`#N/A`) as the texts people see.

Calamine holds every cell of the rectangle around those that are filled, and tells nothing of errors.

A1 and XFD1048576 alone would be 17 thousand million cells. Cells and rows that do not say where they are follow one
another ([ECMA-376] part 1 §18.3.1.4 and §18.3.1.73), so it suffices to leave out where they are; what is lost are tabs
between empty cells, which no reader sees. An error is made a text by its type ([ECMA-376] part 1 §18.18.11).
"""

import re
from collections.abc import Collection
from functools import partial
from typing import BinaryIO

from nearkin.formats.zip_parts import NO_XML, XML, Parts, Pass

MANY = 4 << 20  # cells: 100 MB in calamine, and a few seconds
CELL = 8  # bytes: a sheet that has fewer for each cell of its rectangle is empty for the most part
NO_STYLES = b"<styleSheet/>"
HEAD = 4096  # bytes in which a sheet says how large it is
DIMENSION = re.compile(rb'<(?:\w+:)?dimension\b[^>]*?\sref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"')
AT = re.compile(rb"""<(?:\w+:)?c\b[^<>]{0,200}?\sr=["']([A-Z]{1,3})(\d{1,7})["']""")
CHUNK, LONGEST_TAG = 1 << 20, 300  # bytes
SOME = re.compile(rb"t=[\"']e[\"']")
# Up to the next < at most: many tags that never end would take quadratic time.
ERROR = re.compile(rb"""(<(?:\w+:)?c\b[^<>]*?\st=)(?:"e"|'e')""")
NUMBER = re.compile(rb"""(<(?:\w+:)?c\b[^<>]*?)\st=(?:"n"|'n')""")  # which it is where nothing is said
SPACED = re.compile(rb"(<(?:\w+:)?v>)\s+")
PLACE = re.compile(rb"""(<(?:\w+:)?(?:row|c)\b[^<>]*?)\sr=(?:"[^"<]*"|'[^'<]*')""")


def squeezed(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], plain: Collection[str] = (), *, loose: bool = False
) -> BinaryIO:
    """The same file where no sheet needs it; its cells are all that is to be read from it. Errors in a book with a part
    of over 64 MB are not told. sheets: their parts, and what they are called if they are damaged. plain: parts whose
    styles are left out. loose: cells need not be as they should: calamine gives up a sheet for one number with a space
    before it (` 41`), as programs write them, or for what is no number."""
    sparse: set[str] = set()
    wrong: set[str] = set()
    damaged: set[str] = set()
    named = {sheet.lower() for sheet in sheets}
    searched = parts.can_be_rewritten and all(sheet.lower().endswith(XML) for sheet in sheets)
    for sheet, called in sheets.items():
        with parts.spared(called, partial(damaged.add, sheet.lower())):
            if _is_sparse(parts, sheet):
                sparse.add(sheet.lower())
            if searched and parts.contains(sheet, SOME):
                wrong.add(sheet.lower())

    def changed(name: str, data: bytes) -> bytes:
        if name in damaged:
            return NO_XML  # calamine does not look at its checksum
        if name in plain:
            return NO_STYLES
        data = PLACE.sub(rb"\1", data) if name in sparse else data
        if loose and name in named:
            data = SPACED.sub(rb"\1", NUMBER.sub(rb"\1", data))
        return ERROR.sub(rb'\1"str"', data) if name in wrong else data

    return parts.rewritten(changed) if sparse or wrong or plain or loose or (damaged and searched) else file


def _is_sparse(parts: Parts, sheet: str) -> bool:
    with parts.stream(sheet) as stream:
        told = DIMENSION.search(stream.read(HEAD))
    if told is None:
        cells = _measured(parts, sheet)
    else:
        left, top, right, bottom = told.groups()
        cells = (_column(right) - _column(left) + 1) * (int(bottom) - int(top) + 1)
    return cells > MANY and parts.size(sheet) < CELL * cells


def _measured(parts: Parts, sheet: str) -> int:
    """Of a sheet that does not say how large it is: up to its last row and column."""
    right, bottom, tail = 0, 0, b""
    with parts.stream(sheet, Pass.SEARCH) as stream:
        while chunk := stream.read(CHUNK):
            for column, row in AT.findall(tail + chunk):
                right, bottom = max(right, _column(column)), max(bottom, int(row))
            tail = chunk[-LONGEST_TAG:]
    return right * bottom


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number
