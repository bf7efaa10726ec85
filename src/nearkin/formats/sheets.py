"""Sheets by calamine: the sheet's name, then row by row what stands in its cells, with tabs between.

Values are told the same way whatever the file: 2.0 is 2, a date ISO 8601; how a cell was formatted is not told.

Charts in Word, PowerPoint and Excel files: titles and text boxes, then names of series, categories, and labels taken
from cells (`c15:dlblRangeCache`), each once.

They are kept with the chart ([ECMA-376] part 1 §21.2.2.201, `c:strCache`; `cx:strDim` of newer charts), for those who
have not the sheet it was drawn from. Values are not read. Categories that are dates are told as those in cells are. Of
Excel files only what no cell says.

Errors in cells of Excel's old files (`#N/A`), which calamine does not tell: where they stand, read from the records.

A cell that is nothing but an error is a record of its own ([MS-XLS] §2.4.24 BoolErr), one whose formula came to one
keeps it with the formula (§2.4.127, §2.5.133 FormulaValue). Excel 5 and 95 write both in the same way.

Records of Excel's old files ([MS-XLS] §2.1.4): a kind, a size, the data. A sheet is a run of them between a
beginning and its end; charts begin and end within.

Headers and footers of Excel's sheets: what a reader sees of them, without codes.

&L&"Arial,Bold"&12Text: where, font, size; &P is the page's number ([ECMA-376] part 1 §18.3.1.46).
"""

import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import Any, BinaryIO, NamedTuple

from nearkin.formats.adapter import MISSING, Problem, Prose
from nearkin.formats.ooxml import add_drawn_text, relations
from nearkin.formats.zip_parts import Parts
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
ERROR_CODES = b"[" + b"".join(b"\\x%02x" % code for code in TOLD) + b"]"
# Most books have none, and are not gone through record by record.
ANY = re.compile(rb"\x05\x02\x08\0.{6}%b\x01|\x06\0.{8}\x02.%b.{3}\xff\xff" % (ERROR_CODES, ERROR_CODES), re.DOTALL)

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


def add_sheets(file: BinaryIO, prose: Prose, errors: Sequence[Errors] = ()) -> dict[str, Problem]:
    """The names of sheets that are missing or damaged are given back, where others are there. errors: what stands in
    cells that calamine shows empty, sheet by sheet."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    file.seek(0)
    lost: dict[str, Problem] = {}
    with _told_as_problems("not a readable Excel file"):
        book = CalamineWorkbook.from_filelike(file)
    sheets = book.sheets_metadata
    for number, sheet in enumerate(sheets):
        prose.line(sheet.name)
        if sheet.typ != SheetTypeEnum.WorkSheet:
            continue
        undo = prose.mark()
        try:
            with _told_as_problems("a damaged sheet"):
                wrong = errors[number] if number < len(errors) else {}
                for row in _rows(book.get_sheet_by_name(sheet.name), wrong):
                    _add_row(row, prose)
        except Problem as problem:
            if problem.reason is Reason.TOO_LARGE:
                raise
            undo()
            lost[sheet.name] = Problem(problem.reason, problem.detail)
    if lost and len(lost) == len(sheets):
        first = next(iter(lost.values()))
        missing = first.detail == MISSING.detail
        said = f"its {len(lost)} sheets are missing" if missing else f"none of its sheets can be read: {first.detail}"
        raise Problem(first.reason, said)
    return lost


def _rows(cells: Any, errors: Errors) -> Iterator[list[Any]]:
    """Calamine gives all rows from the top, but columns from the first that is filled."""
    if not errors:
        yield from cells.iter_rows()
        return
    left = cells.start[1] if cells.start else 0
    placed: dict[int, list[tuple[int, str]]] = {}
    for (row, column), error in errors.items():
        placed.setdefault(row, []).append((column - left, error))
    for number, row in enumerate(cells.iter_rows()):
        for column, error in placed.get(number, ()):
            if 0 <= column < len(row) and row[column] == "":
                row[column] = error
        yield row


@contextmanager
def _told_as_problems(said: str) -> Iterator[None]:
    from python_calamine import CalamineError, PasswordError, WorksheetNotFound

    try:
        yield
    except PasswordError as error:
        raise Problem(Reason.ENCRYPTED, "a password is needed") from error
    except WorksheetNotFound as error:
        raise Problem(MISSING.reason, MISSING.detail) from error
    except CalamineError as error:
        raise Problem(Reason.CORRUPT, said) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust: no Exception, and no name to import
            raise Problem(Reason.CORRUPT, said) from error
        raise


def _add_row(row: list[Any], prose: Prose) -> None:
    said = [told(value) for value in row]
    while said and not said[-1]:
        said.pop()
    prose.line("\t".join(said).lstrip("\t"))


def told(value: Any) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return str(value)
    return str(value)


CHARTS = ("chart", "chartEx")  # as relations name them
LABELS = {"strCache", "strLit", "multiLvlStrCache", "strDim", "txData", "tx", "dlblRangeCache"}
NUMBERS = {"numCache", "numLit"}  # of an axis: years, often. Those of a series are values.
POINTS = {"pt", "v"}
SHAPES = "chartUserShapes"  # text boxes drawn in a chart
PIECE = re.compile(r"[^\t\n]+")  # of a text: a cell, or a line of one
DATES = re.compile("[ymdhs]", re.IGNORECASE)  # in the form of a number: it is days since 1900
NO_FORM = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|general|standard', re.IGNORECASE)
LEAP = 60  # the 29th of February 1900, which Excel believes in


def add_drawn(parts: Parts, kind: str, part: str, prose: Prose) -> None:
    """What a relation of that kind leads to."""
    for label in add_around(parts, kind, part, prose):
        prose.line(label)


def add_around(parts: Parts, kind: str, part: str, prose: Prose) -> dict[str, None]:
    """All but its labels, which are given back: of Excel files the cells say most of them."""
    add_drawn_text(parts, part, prose)
    if kind not in CHARTS or parts.lacks(part):
        return {}
    for relation in relations(parts, part):
        if relation.type == SHAPES:
            add_drawn_text(parts, relation.target, prose)
    return _labels(parts, part)


def add_unsaid(labels: dict[str, None], prose: Prose) -> None:
    """Those that no cell says: written into the chart, or left of cells that are gone."""
    unsaid = {label: set(PIECE.findall(label)) for label in labels}
    wanted = set().union(*unsaid.values())
    said = {piece[0] for piece in PIECE.finditer(prose.text()) if piece[0] in wanted} if wanted else set()
    for label, pieces in unsaid.items():
        if not pieces <= said:
            prose.line(label)


def _labels(parts: Parts, part: str) -> dict[str, None]:
    found: dict[str, None] = {}
    labels = points = axes = forms = 0
    said = form = own = ""
    since = 1900
    for event in parts.events(part):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            said += event.name if labels and points else ""
            form += event.name if forms else ""
        elif event.name in LABELS or (event.name in NUMBERS and axes):
            labels += change
            form = ""
        elif event.name == "date1904" and event.kind == "start" and event.get("val") not in ("0", "false"):
            since = 1904
        elif event.name == "cat":
            axes += change
        elif event.name == "formatCode":
            forms += change
        elif event.name in POINTS:
            points += change
            own = event.get("formatCode") or own
            if labels and event.kind == "end" and said.strip():
                is_date = DATES.search(NO_FORM.sub("", own or form))
                found[_day(said.strip(), since) if is_date else said.strip()] = None
            said = "" if event.kind == "end" else said
            own = "" if event.kind == "end" else own
    return found


def _day(said: str, since: int) -> str:
    """A number of days as sheets tell a date ([ECMA-376] part 1 §18.17.4.1); as it is where it is none."""
    try:
        days = float(said)
        if since == 1904:
            day = datetime(1904, 1, 1) + timedelta(days=days)
        else:
            day = datetime(1899, 12, 30 if days >= LEAP else 31) + timedelta(days=days)
        day = (day + timedelta(microseconds=500_000)).replace(microsecond=0)
    except (ValueError, OverflowError):
        return said
    return told(day.time() if 0 <= days < 1 else day)


PAGE_CODES = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[A-Z&])')


def without_codes(text: str) -> str:
    return " ".join(PAGE_CODES.sub(" ", text).split())
