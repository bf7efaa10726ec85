"""Sheets by calamine: the sheet's name, then row by row what stands in its cells, with tabs between.

Values are told the same way whatever the file: 2.0 is 2, a date ISO 8601; how a cell was formatted is not told.
"""

from datetime import date, datetime, time, timedelta
from typing import Any, BinaryIO

from nearkin.formats.found import Problem
from nearkin.formats.prose import Prose
from nearkin.model import Reason


def add_sheets(file: BinaryIO, prose: Prose) -> list[str]:
    """The names of sheets that are missing are given back, where others are there."""
    from python_calamine import CalamineWorkbook, PasswordError, SheetTypeEnum, WorksheetNotFound

    file.seek(0)
    missing: list[str] = []
    try:
        book = CalamineWorkbook.from_filelike(file)
        for sheet in book.sheets_metadata:
            prose.line(sheet.name)
            if sheet.typ != SheetTypeEnum.WorkSheet:
                continue
            try:
                cells = book.get_sheet_by_name(sheet.name)
            except WorksheetNotFound:
                missing.append(sheet.name)
                continue
            for row in cells.iter_rows():
                _add_row(row, prose)
    except PasswordError as error:
        raise Problem(Reason.ENCRYPTED, "a password is needed") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust: no Exception, and no name to import
            raise Problem(Reason.CORRUPT, f"the reader of sheets gave up: {error}") from error
        raise
    if missing and len(missing) == len(book.sheets_metadata):
        raise Problem(Reason.CORRUPT, f"its {len(missing)} sheets are missing")
    return missing


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
