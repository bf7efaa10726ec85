"""Sheets by calamine: the sheet's name, then row by row what stands in its cells, with tabs between.

Values are told the same way whatever the file: 2.0 is 2, a date ISO 8601; how a cell was formatted is not told.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any, BinaryIO

from nearkin.formats.adapter import Problem
from nearkin.formats.lacking import MISSING
from nearkin.formats.prose import Prose
from nearkin.formats.xls_errors import Errors
from nearkin.model import Reason


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
