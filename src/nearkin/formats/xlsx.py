"""Excel: names and cells of sheets, then each sheet's headers, comments, text boxes and charts.

Comments on cells of Excel files: old ones, and threads, which are written once more as old ones for old programs.

Of xlsb the old ones are records: a number and a size of seven bits a byte, then the data ([MS-XLSB] §2.1.4). A
comment's text is one of them, a byte of flags before it and its length.

Sheets as calamine can read them: with cells far apart moved together, and errors (`#N/A`) as the texts people see.

Calamine holds every cell of the rectangle around those that are filled, and tells nothing of errors.

A1 and XFD1048576 alone would be 17 thousand million cells. Cells and rows that do not say where they are follow one
another ([ECMA-376] part 1 §18.3.1.4 and §18.3.1.73), so it suffices to leave out where they are; what is lost are tabs
between empty cells, which no reader sees. An error is made a text by its type ([ECMA-376] part 1 §18.18.11).

Headers and footers of sheets in xlsb: one record ([MS-XLSB] §2.4 BrtBeginHeaderFooter) of flags and six texts, each
with its length in four bytes. It stands after all cells: looked for as bytes, and believed where the record that ends
it follows.
"""

import re
from collections import deque
from collections.abc import Collection, Iterator
from functools import partial
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import MISSING, Found, Limits, Problem, Prose
from nearkin.formats.ooxml import Relation, add_drawn_text, main_part, properties, relations
from nearkin.formats.sheets import add_around, add_sheets, add_unsaid, without_codes
from nearkin.formats.xml import events, without
from nearkin.formats.zip_parts import LARGEST, NO_XML, XML, Parts, Pass
from nearkin.model import Reason

OF_THREAD = "tc="  # how the authors of such copies are named ([MS-XLSX] §2.1.15)
TEXT_RECORD = 637


def add_comments(parts: Parts, kin: list[Relation], prose: Prose) -> None:
    threads = [relation.target for relation in kin if relation.type == "threadedComment"]
    for part in threads:
        add_drawn_text(parts, part, prose)
    told = bool(threads) and not any(map(parts.lacks, threads))  # else their copies say it
    for part in (relation.target for relation in kin if relation.type == "comments"):
        if not parts.there(part):
            continue
        with parts.spared(part, prose.mark()):
            if part.lower().endswith(".bin"):
                for text in _texts(parts.data(part)):
                    prose.line(text)
            else:
                _add_old(parts, part, prose, _copies(parts, part) if told else set())
        prose.end()


def _add_old(parts: Parts, part: str, prose: Prose, copies: set[str]) -> None:
    in_run = 0
    others = without(parts.events(part), lambda event, _: event.name == "comment" and event.get("authorId") in copies)
    for event in others:
        if event.kind == "text":
            prose.add(event.name if in_run else "")
        elif event.name == "t":
            in_run += 1 if event.kind == "start" else -1
        elif event.kind == "end" and event.name == "text":
            prose.end()


def _copies(parts: Parts, part: str) -> set[str]:
    """Numbers of the authors whose comments are copies of threads."""
    found: set[str] = set()
    number, fresh = -1, False
    for event in parts.events(part):
        if event.kind == "text":
            if fresh and event.name.startswith(OF_THREAD):
                found.add(str(number))
            fresh = False
        elif event.kind == "start" and event.name == "author":
            number, fresh = number + 1, True
        elif event.kind == "end" and event.name == "authors":
            break
    return found


def _texts(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        size, at = _number(data, at, 4)
        if kind == TEXT_RECORD:
            length = int.from_bytes(data[at + 1 : at + 5], "little")
            yield data[at + 5 : at + min(5 + 2 * length, size)].decode("utf-16-le", "replace")
        at += size


def _number(data: bytes, at: int, longest: int) -> tuple[int, int]:
    value = 0
    for place in range(longest):
        byte = data[at] if at < len(data) else 0
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return value, at


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


BEGIN = re.compile(rb"\xdf\x03([\x80-\xff]{0,3}[\0-\x7f])")  # its number, seven bits a byte, and its size
END = b"\xe0\x03\0"
HEADER_RECORDS = 6
NONE = 0xFFFFFFFF  # instead of a length


def binary_headers(sheet: bytes) -> Iterator[str]:
    for begin in BEGIN.finditer(sheet):
        size = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(begin[1]))
        end = begin.end() + size
        if sheet.startswith(END, end):
            yield from _header_strings(sheet[begin.end() + 2 : end])
            return


def _header_strings(data: bytes) -> Iterator[str]:
    for _ in range(HEADER_RECORDS):
        length = int.from_bytes(data[:4], "little")
        length = 0 if length == NONE else length
        yield data[4 : 4 + 2 * length].decode("utf-16-le", "replace")
        data = data[4 + 2 * length :]


SHEETS = ("worksheet", "chartsheet")
BESIDE = ("sharedStrings", "styles")
DRAWN = ("chart", "chartEx", "diagramData")
MARK = b"headerFooter"
START = re.compile(rb"<(?:[\w.-]{1,50}:)?headerFooter\b")
LONGEST_START = 64
TEXTS = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)(?:Header|Footer)[^<>]*>([^<]*)<")


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = Parts(file, limits)
    told = properties(parts)
    prose = Prose(limits)
    book = main_part(parts, "xl/workbook.xml")
    kin = relations(parts, book)
    called = _called(parts, book, kin)
    listed = [relation.target for relation in kin if relation.type in SHEETS]
    # Calamine says which are missing of those in the book.
    sheets = {sheet: called.get(sheet, sheet) for sheet in listed if parts.has(sheet)}
    for name, problem in _add_cells(file, parts, sheets, kin, prose).items():
        parts.lack(f"sheet {name}", problem)
    labels: dict[str, None] = {}
    for sheet, name in sheets.items():
        with parts.spared(name, prose.mark()):
            _add_header(parts, sheet, prose)
        labels |= _add_beside(parts, sheet, prose)
    add_unsaid(labels, prose)
    return Found(prose.text(), told, parts.lacking)


def _called(parts: Parts, book: str, kin: list[Relation]) -> dict[str, str]:
    """What sheets are called by those who read of them, by their parts."""
    if not book.endswith(".xml"):  # of xlsb
        return {}
    names = {event.get("id"): event.get("name") for event in parts.events(book) if event.name == "sheet"}
    return {relation.target: f"sheet {names[relation.id]}" for relation in kin if relation.id in names}


def _add_cells(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], kin: list[Relation], prose: Prose
) -> dict[str, Problem]:
    """Without its texts, which lie in a part of their own, a book is nothing. Styles are no text: without them numbers
    stand as they are stored, dates too."""
    texts, styles = ([one.target for one in kin if one.type == kind and parts.has(one.target)] for kind in BESIDE)
    for part in texts:
        parts.drain(part)  # calamine does not look at its checksum
    undo = prose.mark()
    try:
        return _taken(file, parts, sheets, prose)
    except Problem:
        undo()
        for part in styles:
            with parts.spared(part):
                deque(parts.events(part), maxlen=0)
        if not any(map(parts.lacks, styles)):
            for part in texts:  # it may say more clearly what is wrong
                deque(parts.events(part), maxlen=0)
            raise
    return _taken(file, parts, sheets, prose, plain=[part.lower() for part in styles])


def _taken(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], prose: Prose, plain: Collection[str] = ()
) -> dict[str, Problem]:
    """Where a sheet gives nothing, all once more, less strictly."""
    undo = prose.mark()
    try:
        lost = add_sheets(squeezed(file, parts, sheets, plain), prose)
        if all(problem.detail == MISSING.detail for problem in lost.values()) or not parts.can_be_rewritten:
            return lost
    except Problem as problem:
        if problem.reason is not Reason.CORRUPT or not parts.can_be_rewritten:
            raise
    undo()
    return add_sheets(squeezed(file, parts, sheets, plain, loose=True), prose)


def _add_beside(parts: Parts, sheet: str, prose: Prose) -> dict[str, None]:
    """Given back are labels of charts, most of which some cell says."""
    labels: dict[str, None] = {}
    kin = relations(parts, sheet)
    add_comments(parts, kin, prose)
    for drawing in (relation.target for relation in kin if relation.type == "drawing"):
        add_drawn_text(parts, drawing, prose)
        for relation in relations(parts, drawing):
            if relation.type in DRAWN:
                labels |= add_around(parts, relation.type, relation.target, prose)
    return labels


def _add_header(parts: Parts, sheet: str, prose: Prose) -> None:
    """It stands at the end of a sheet that may be long: looked for as bytes, a hundred times as fast as XML."""
    if not sheet.lower().endswith(XML):
        if parts.size(sheet) <= LARGEST:
            for text in binary_headers(parts.data(sheet)):
                prose.line(without_codes(text))
        return
    tail = b""
    with parts.stream(sheet) as stream:
        while chunk := stream.read(1 << 16):
            window = tail + chunk
            at = window.find(MARK)
            start = START.search(window, max(at - LONGEST_START, 0)) if at >= 0 else None
            if start is None:
                tail = window[-LONGEST_START:]
                continue
            for text in TEXTS.findall(window[start.start() :] + stream.read(1 << 16)):
                prose.line(_plain(text))
            return


def _plain(text: bytes) -> str:
    pieces = [event.name for event in events(BytesIO(b"<t>" + text + b"</t>")) if event.kind == "text"]
    return without_codes("".join(pieces))
