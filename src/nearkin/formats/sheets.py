"""Sheets, charts and page headers, which several formats of Office share.

Cells are read by calamine: the sheet's name, then row by row the values of its cells, with tabs between. Values are
written the same way whatever the file: 2.0 is 2, a date is ISO 8601; a cell's format is ignored. Errors in cells of
Excel's old files (`#N/A`), which calamine leaves out, are read from the file's records.

Of charts in Word, PowerPoint and Excel files, titles and text boxes come first, then names of series, categories, and
labels taken from cells (`c15:dlblRangeCache`), each once. They are kept with the chart ([ECMA-376] part 1 §21.2.2.201,
`c:strCache`; `cx:strDim` of newer charts), for those who have not the sheet it was drawn from. Values are not read.
Categories that are dates are written as those in cells are. Of a chart in an Excel file only the labels that no cell
has are added.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import Any, BinaryIO, NamedTuple

from nearkin.formats.adapter import MISSING, Problem, TextBuilder
from nearkin.formats.ooxml import add_drawn_text, relationships
from nearkin.formats.package_parts import Parts
from nearkin.model import Reason

Errors = dict[tuple[int, int], str]  # of cells, by row and column


def add_sheets(file: BinaryIO, prose: TextBuilder, errors: Sequence[Errors] = ()) -> dict[str, Problem]:
    """Add the names and cells of sheets, and return the sheets that are missing or damaged, where others are there.
    `errors`: the errors in cells that calamine shows empty, sheet by sheet."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum  # Word and PowerPoint files, read here too, need it not

    file.seek(0)
    lost: dict[str, Problem] = {}
    with _as_problems("not a readable Excel file"):
        book = CalamineWorkbook.from_filelike(file)
    sheets = book.sheets_metadata
    for number, sheet in enumerate(sheets):
        prose.line(sheet.name)
        if sheet.typ != SheetTypeEnum.WorkSheet:
            continue
        undo = prose.mark()
        try:
            with _as_problems("a damaged sheet"):
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
        detail = f"its {len(lost)} sheets are missing" if missing else f"none of its sheets can be read: {first.detail}"
        raise Problem(first.reason, detail)
    return lost


def _rows(cells: Any, errors: Errors) -> Iterator[list[Any]]:
    """The rows of a sheet with errors in their cells. Calamine gives all rows from the top, but columns from the first
    that is filled."""
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
def _as_problems(detail: str) -> Iterator[None]:
    """What calamine raises over a damaged file becomes a Problem."""
    from python_calamine import CalamineError, PasswordError, WorksheetNotFound

    try:
        yield
    except PasswordError as error:
        raise Problem(Reason.ENCRYPTED, "a password is needed") from error
    except WorksheetNotFound as error:
        raise Problem(MISSING.reason, MISSING.detail) from error
    except CalamineError as error:
        raise Problem(Reason.CORRUPT, detail) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # Rust's panic is no Exception, and has no name to import
            raise Problem(Reason.CORRUPT, detail) from error
        raise


def _add_row(row: list[Any], prose: TextBuilder) -> None:
    cells = [cell_text(value) for value in row]
    while cells and not cells[-1]:
        cells.pop()
    prose.line("\t".join(cells).lstrip("\t"))


def cell_text(value: Any) -> str:
    """A cell's value as text, the same for all formats."""
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


CHARTS = ("chart", "chartEx")  # types of relationships
LABELS = {"strCache", "strLit", "multiLvlStrCache", "strDim", "txData", "tx", "dlblRangeCache"}
NUMBERS = {"numCache", "numLit"}  # of an axis they are labels, years often; those of a series are values
POINTS = {"pt", "v"}
SHAPES = "chartUserShapes"  # text boxes drawn in a chart
PIECE = re.compile(r"[^\t\n]+")  # of a text: a cell, or a line of one
DATES = re.compile("[ymdhs]", re.IGNORECASE)  # in a number's format: the number is days since 1900
NO_DATE = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|general|standard', re.IGNORECASE)
LEAP = 60  # the 29th of February 1900, which Excel believes in


def add_drawn(parts: Parts, kind: str, part: str, prose: TextBuilder) -> None:
    """Add the text of a drawing or chart that a relationship of that kind leads to."""
    for label in add_chart(parts, kind, part, prose):
        prose.line(label)


def add_chart(parts: Parts, kind: str, part: str, prose: TextBuilder) -> dict[str, None]:
    """Add all text of a drawing or chart except its labels, and return these: cells of Excel files have most of
    them."""
    add_drawn_text(parts, part, prose)
    if kind not in CHARTS or parts.problem_of(part):
        return {}
    for relation in relationships(parts, part):
        if relation.type == SHAPES:
            add_drawn_text(parts, relation.target, prose)
    return _labels(parts, part)


def add_missing_labels(labels: dict[str, None], prose: TextBuilder) -> None:
    """Add the labels that no cell has: written into the chart, or left of cells that are gone."""
    pieces_of = {label: set(PIECE.findall(label)) for label in labels}
    wanted = set().union(*pieces_of.values())
    written = {piece[0] for piece in PIECE.finditer(prose.text()) if piece[0] in wanted} if wanted else set()
    for label, pieces in pieces_of.items():
        if not pieces <= written:
            prose.line(label)


def _labels(parts: Parts, part: str) -> dict[str, None]:
    """The labels of a chart, each once."""
    texts: dict[str, None] = {}
    labels = points = axes = formats = 0  # how many of these elements are open
    text = number_format = own_format = ""
    since = 1900
    for event in parts.events(part):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            text += event.name if labels and points else ""
            number_format += event.name if formats else ""
        elif event.name in LABELS or (event.name in NUMBERS and axes):
            labels += change
            number_format = ""
        elif event.name == "date1904" and event.kind == "start" and event.get("val") not in ("0", "false"):
            since = 1904
        elif event.name == "cat":
            axes += change
        elif event.name == "formatCode":
            formats += change
        elif event.name in POINTS:
            points += change
            own_format = event.get("formatCode") or own_format
            if labels and event.kind == "end" and text.strip():
                is_date = DATES.search(NO_DATE.sub("", own_format or number_format))
                texts[_day(text.strip(), since) if is_date else text.strip()] = None
            text = "" if event.kind == "end" else text
            own_format = "" if event.kind == "end" else own_format
    return texts


def _day(number: str, since: int) -> str:
    """A number of days as the date that sheets show ([ECMA-376] part 1 §18.17.4.1); unchanged where it is no number."""
    try:
        days = float(number)
        if since == 1904:
            day = datetime(1904, 1, 1) + timedelta(days=days)
        else:
            day = datetime(1899, 12, 30 if days >= LEAP else 31) + timedelta(days=days)
        day = (day + timedelta(microseconds=500_000)).replace(microsecond=0)
    except (ValueError, OverflowError):
        return number
    return cell_text(day.time() if 0 <= days < 1 else day)


PAGE_CODES = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[A-Z&])')


def without_codes(text: str) -> str:
    """A header or footer of a sheet as a person sees it. &L&"Arial,Bold"&12Text has codes for a place, a font and a
    size; &P is the page's number ([ECMA-376] part 1 §18.3.1.46)."""
    return " ".join(PAGE_CODES.sub(" ", text).split())


BEGIN, END, SHEET = 0x0809, 0x000A, 0x0085
# Cells that are numbers, texts or empty, and their rows: most of a book, and each of one size.
NUMBER, TEXT, SHORT = rb"\x03\x02\x0e\0.{14}", rb"\xfd\0\x0a\0.{10}", rb"\x7e\x02\x0a\0.{10}"
BLANK, ROW = rb"\x01\x02\x06\0.{6}", rb"\x08\x02\x10\0.{16}"
CELLS = re.compile(rb"(?:" + rb"|".join((NUMBER, TEXT, SHORT, BLANK, ROW)) + rb")++", re.DOTALL)


class BiffRecord(NamedTuple):
    """A record of Excel's old files ([MS-XLS] §2.1.4): a kind, a size, the data. A sheet is a run of records between a
    beginning and its end; charts begin and end within."""

    kind: int
    start: int  # of its data
    size: int
    depth: int  # 1: of the sheet itself, 2: of a chart in it


def records(book: bytes, start: int) -> Iterator[BiffRecord]:
    """The records from a beginning to its end, except most cells."""
    depth = 0
    while start + 4 <= len(book):
        kind, size = struct.unpack_from("<HH", book, start)
        depth += (kind == BEGIN) - (kind == END)
        if depth <= 0 or start + 4 + size > len(book):
            return
        yield BiffRecord(kind, start + 4, size, depth)
        start += 4 + size
        if cells := CELLS.match(book, start):
            start = cells.end()


def sheets(book: bytes) -> list[Iterator[BiffRecord]]:
    """The records of each sheet, in the order in which the book lists the sheets."""
    starts = [
        int.from_bytes(book[record.start : record.start + 4], "little")
        for record in records(book, 0)
        if record.kind == SHEET
    ]
    left = count(len(book), -4)  # no record is shorter than its head, and sheets do not lie in one another
    return [_bounded(book, start, left) for start in starts]


def _bounded(book: bytes, start: int, left: Iterator[int]) -> Iterator[BiffRecord]:
    for record in records(book, start):
        if next(left) < 0:
            raise Problem(Reason.CORRUPT, "damaged: its sheets overlap")
        yield record


ERROR_TEXTS = {
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
ERROR_CODES = b"[" + b"".join(b"\\x%02x" % code for code in ERROR_TEXTS) + b"]"
# Any error in a cell: most books have none, and are not gone through record by record.
ANY_ERROR = re.compile(
    rb"\x05\x02\x08\0.{6}%b\x01|\x06\0.{8}\x02.%b.{3}\xff\xff" % (ERROR_CODES, ERROR_CODES), re.DOTALL
)


def errors(book: bytes) -> list[Errors]:
    """The errors in cells of each sheet, in the order in which the book lists the sheets.

    A cell that is nothing but an error is a record of its own ([MS-XLS] §2.4.24 BoolErr); one whose formula came to an
    error keeps it with the formula (§2.4.127, §2.5.133 FormulaValue). Excel 5 and 95 write both in the same way.
    """
    return [dict(_errors(book, sheet)) for sheet in sheets(book)] if ANY_ERROR.search(book) else []


def _errors(book: bytes, sheet: Iterator[BiffRecord]) -> Iterator[tuple[tuple[int, int], str]]:
    for kind, at, size, depth in sheet:
        code = None
        if kind == BOOL_ERR and size >= 8 and book[at + 7] == 1:
            code = book[at + 6]
        elif kind == FORMULA and size >= 14 and book[at + 6] == 2 and book[at + 12 : at + 14] == b"\xff\xff":
            code = book[at + 8]
        if code in ERROR_TEXTS and depth == 1:
            row, column = struct.unpack_from("<HH", book, at)
            yield (row, column), ERROR_TEXTS[code]
