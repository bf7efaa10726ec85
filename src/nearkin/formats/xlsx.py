"""Excel: names and cells of sheets, then each sheet's headers, comments, text boxes and charts.

Calamine reads the cells. It holds every cell of the rectangle around those that are filled, and leaves errors out; so
sheets are rewritten for it where they need it: cells far apart are moved together, and errors (`#N/A`) become the texts
people see. A1 and XFD1048576 alone would be 17 thousand million cells. Cells and rows that do not say where they are
follow one another ([ECMA-376] part 1 §18.3.1.4 and §18.3.1.73), so it suffices to leave out where they are; only tabs
between empty cells are lost, which no person sees. An error becomes a text by its type ([ECMA-376] part 1 §18.18.11).

Comments are old ones, and threads, which are written once more as old ones for old programs. Of xlsb, comments and
headers are records: a number and a size of seven bits a byte, then the data ([MS-XLSB] §2.1.4).
"""

import re
from collections import deque
from collections.abc import Collection, Iterator
from functools import partial
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import MISSING, Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ooxml import Relationship, add_drawn_text, main_part, properties, relationships
from nearkin.formats.package_parts import LARGEST, NO_XML, XML, Parts, Pass
from nearkin.formats.sheets import add_chart, add_missing_labels, add_sheets, without_codes
from nearkin.formats.xml import events, without_hidden
from nearkin.model import Reason

SHEETS = ("worksheet", "chartsheet")
BESIDE = ("sharedStrings", "styles")
DRAWN = ("chart", "chartEx", "diagramData")
MARK = b"headerFooter"
START = re.compile(rb"<(?:[\w.-]{1,50}:)?headerFooter\b")
LONGEST_START = 64
TEXTS = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)(?:Header|Footer)[^<>]*>([^<]*)<")


def read(file: BinaryIO, limits: Limits) -> Extraction:
    parts = Parts(file, limits)
    known = properties(parts)
    prose = TextBuilder(limits)
    book = main_part(parts, "xl/workbook.xml")
    related = relationships(parts, book)
    names = _sheet_names(parts, book, related)
    listed = [relation.target for relation in related if relation.type in SHEETS]
    # Calamine reports which sheets of the book are missing.
    sheets = {sheet: names.get(sheet, sheet) for sheet in listed if parts.has(sheet)}
    for name, problem in _add_cells(file, parts, sheets, related, prose).items():
        parts.record_problem(f"sheet {name}", problem)
    labels: dict[str, None] = {}
    for sheet, name in sheets.items():
        with parts.tolerating_damage(name, prose.mark()):
            _add_header(parts, sheet, prose)
        labels |= _add_beside(parts, sheet, prose)
    add_missing_labels(labels, prose)
    return Extraction(prose.text(), known, parts.failed_parts)


def _sheet_names(parts: Parts, book: str, related: list[Relationship]) -> dict[str, str]:
    """The names by which users know the sheets, by their parts."""
    if not book.endswith(".xml"):  # of xlsb
        return {}
    names = {event.get("id"): event.get("name") for event in parts.events(book) if event.name == "sheet"}
    return {relation.target: f"sheet {names[relation.id]}" for relation in related if relation.id in names}


def _add_cells(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], related: list[Relationship], prose: TextBuilder
) -> dict[str, Problem]:
    """Add the cells, and return the sheets that failed. Without its texts, which lie in a part of their own, a book is
    nothing. Styles are no text: without them numbers stand as they are stored, dates too."""
    texts, styles = (
        [relation.target for relation in related if relation.type == kind and parts.has(relation.target)]
        for kind in BESIDE
    )
    for part in texts:
        parts.read_to_end(part)  # calamine does not look at its checksum
    undo = prose.mark()
    try:
        return _add_by_calamine(file, parts, sheets, prose)
    except Problem:
        undo()
        for part in styles:
            with parts.tolerating_damage(part):
                deque(parts.events(part), maxlen=0)
        if not any(map(parts.problem_of, styles)):
            for part in texts:  # their Problem may say more clearly what is wrong
                deque(parts.events(part), maxlen=0)
            raise
    return _add_by_calamine(file, parts, sheets, prose, plain=[part.lower() for part in styles])


def _add_by_calamine(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], prose: TextBuilder, plain: Collection[str] = ()
) -> dict[str, Problem]:
    """Add the cells by calamine; where a sheet fails, all once more, less strictly."""
    undo = prose.mark()
    try:
        lost = add_sheets(for_calamine(file, parts, sheets, plain), prose)
        if all(problem.detail == MISSING.detail for problem in lost.values()) or not parts.can_be_rewritten:
            return lost
    except Problem as problem:
        if problem.reason is not Reason.CORRUPT or not parts.can_be_rewritten:
            raise
    undo()
    return add_sheets(for_calamine(file, parts, sheets, plain, loose=True), prose)


def _add_beside(parts: Parts, sheet: str, prose: TextBuilder) -> dict[str, None]:
    """Add comments and drawings of a sheet, and return the labels of charts, most of which some cell has."""
    labels: dict[str, None] = {}
    related = relationships(parts, sheet)
    add_comments(parts, related, prose)
    for drawing in (relation.target for relation in related if relation.type == "drawing"):
        add_drawn_text(parts, drawing, prose)
        for relation in relationships(parts, drawing):
            if relation.type in DRAWN:
                labels |= add_chart(parts, relation.type, relation.target, prose)
    return labels


def _add_header(parts: Parts, sheet: str, prose: TextBuilder) -> None:
    """Add headers and footers. They stand at the end of a sheet that may be long, and are looked for as bytes, which is
    a hundred times as fast as XML."""
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


MANY = 4 << 20  # cells: 100 MB in calamine, and a few seconds
CELL = 8  # bytes: a sheet with fewer for each cell of its rectangle is mostly empty
NO_STYLES = b"<styleSheet/>"
HEAD = 4096  # bytes in which a sheet says how large it is
DIMENSION = re.compile(rb'<(?:\w+:)?dimension\b[^>]*?\sref="\$?([A-Z]{1,3})\$?(\d{1,7}):\$?([A-Z]{1,3})\$?(\d{1,7})"')
AT = re.compile(rb"""<(?:\w+:)?c\b[^<>]{0,200}?\sr=["']([A-Z]{1,3})(\d{1,7})["']""")
CHUNK, LONGEST_TAG = 1 << 20, 300  # bytes
ANY_ERROR = re.compile(rb"t=[\"']e[\"']")
# Patterns go up to the next < at most: many tags that never end would take quadratic time.
ERROR = re.compile(rb"""(<(?:\w+:)?c\b[^<>]*?\st=)(?:"e"|'e')""")
NUMBER = re.compile(rb"""(<(?:\w+:)?c\b[^<>]*?)\st=(?:"n"|'n')""")  # a cell without a type is a number too
SPACED = re.compile(rb"(<(?:\w+:)?v>)\s+")
PLACE = re.compile(rb"""(<(?:\w+:)?(?:row|c)\b[^<>]*?)\sr=(?:"[^"<]*"|'[^'<]*')""")


def for_calamine(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], plain: Collection[str] = (), *, loose: bool = False
) -> BinaryIO:
    """The file as calamine can read its cells; the same file where no sheet needs a change.

    Errors in a book with a part of over 64 MB are left out. `sheets`: their parts, and their names if they are damaged.
    `plain`: parts whose styles are left out. `loose`: cells are mended: calamine gives up a sheet for one number with a
    space before it (` 41`), as some programs write it, or for a number that is none.
    """
    sparse: set[str] = set()
    wrong: set[str] = set()
    damaged: set[str] = set()
    named = {sheet.lower() for sheet in sheets}
    searched = parts.can_be_rewritten and all(sheet.lower().endswith(XML) for sheet in sheets)
    for sheet, name in sheets.items():
        with parts.tolerating_damage(name, partial(damaged.add, sheet.lower())):
            if _is_sparse(parts, sheet):
                sparse.add(sheet.lower())
            if searched and parts.contains(sheet, ANY_ERROR):
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
        dimension = DIMENSION.search(stream.read(HEAD))
    if dimension is None:
        cells = _measured(parts, sheet)
    else:
        left, top, right, bottom = dimension.groups()
        cells = (_column(right) - _column(left) + 1) * (int(bottom) - int(top) + 1)
    return cells > MANY and parts.size(sheet) < CELL * cells


def _measured(parts: Parts, sheet: str) -> int:
    """How many cells a sheet has up to its last row and column, where it does not say how large it is."""
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


OF_THREAD = "tc="  # how names of authors of copies of threads begin ([MS-XLSX] §2.1.15)
TEXT_RECORD = 637


def add_comments(parts: Parts, related: list[Relationship], prose: TextBuilder) -> None:
    threads = [relation.target for relation in related if relation.type == "threadedComment"]
    for part in threads:
        add_drawn_text(parts, part, prose)
    threads_read = bool(threads) and not any(map(parts.problem_of, threads))  # otherwise their copies are read
    for part in (relation.target for relation in related if relation.type == "comments"):
        if not parts.has_named(part):
            continue
        with parts.tolerating_damage(part, prose.mark()):
            if part.lower().endswith(".bin"):
                for text in _binary_comments(parts.data(part)):
                    prose.line(text)
            else:
                _add_old(parts, part, prose, _copies(parts, part) if threads_read else set())
        prose.end()


def _add_old(parts: Parts, part: str, prose: TextBuilder, copies: set[str]) -> None:
    in_run = 0
    old_comments = without_hidden(
        parts.events(part), lambda event, _: event.name == "comment" and event.get("authorId") in copies
    )
    for event in old_comments:
        if event.kind == "text":
            prose.add(event.name if in_run else "")
        elif event.name == "t":
            in_run += 1 if event.kind == "start" else -1
        elif event.kind == "end" and event.name == "text":
            prose.end()


def _copies(parts: Parts, part: str) -> set[str]:
    """The numbers of the authors whose comments are copies of threads."""
    copies: set[str] = set()
    number, at_name = -1, False
    for event in parts.events(part):
        if event.kind == "text":
            if at_name and event.name.startswith(OF_THREAD):
                copies.add(str(number))
            at_name = False
        elif event.kind == "start" and event.name == "author":
            number, at_name = number + 1, True
        elif event.kind == "end" and event.name == "authors":
            break
    return copies


def _binary_comments(data: bytes) -> Iterator[str]:
    """Comments of xlsb. A comment's text is one record: a byte of flags, the length, the text."""
    at = 0
    while at < len(data):
        kind, at = _number(data, at, 2)
        size, at = _number(data, at, 4)
        if kind == TEXT_RECORD:
            length = int.from_bytes(data[at + 1 : at + 5], "little")
            yield data[at + 5 : at + min(5 + 2 * length, size)].decode("utf-16-le", "replace")
        at += size


def _number(data: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place after it."""
    value = 0
    for place in range(longest):
        byte = data[at] if at < len(data) else 0
        at += 1
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            break
    return value, at


BEGIN = re.compile(rb"\xdf\x03([\x80-\xff]{0,3}[\0-\x7f])")  # the record's number and its size
END = b"\xe0\x03\0"
HEADER_RECORDS = 6
NO_TEXT = 0xFFFFFFFF  # in place of a length


def binary_headers(sheet: bytes) -> Iterator[str]:
    """Headers and footers of a sheet of xlsb: one record ([MS-XLSB] §2.4 BrtBeginHeaderFooter) of flags and six texts,
    each with its length in four bytes. The record stands after all cells: it is looked for as bytes, and taken for it
    where the record that ends it follows."""
    for begin in BEGIN.finditer(sheet):
        size, start = _number(sheet, begin.start(1), 4)
        if sheet.startswith(END, start + size):
            yield from _header_strings(sheet[start + 2 : start + size])
            return


def _header_strings(data: bytes) -> Iterator[str]:
    for _ in range(HEADER_RECORDS):
        length = int.from_bytes(data[:4], "little")
        length = 0 if length == NO_TEXT else length
        yield data[4 : 4 + 2 * length].decode("utf-16-le", "replace")
        data = data[4 + 2 * length :]
