"""OpenDocument sheets: their names and cells, row by row with tabs between; then comments, text boxes, headers, charts.

Values are written as those of Excel are, however they are formatted; a cell without a type, or with an error, is
written as it is shown. Cells and rows may stand for many of the same (ODF 1.3 part 3 §19.677): empty ones cost nothing.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.odf import CELLS, CONTENT, Formulas, add_around, add_events, opened, properties
from nearkin.formats.sheets import cell_text
from nearkin.formats.xml import XmlEvent
from nearkin.model import Reason

ROWS = {"table-row", "table-rows", "table-row-group", "table-header-rows"}
NUMBERS = {"float", "percentage", "currency"}
WIDEST, LONGEST = 1 << 14, 1 << 20  # cells of a row, rows of a sheet
TOGETHER = 1000  # rows that are written at once
TIME = re.compile(r"(-?)PT(\d{1,9})H(\d{1,9})M(\d{1,9})(?:[.,](\d{1,6})\d*)?S")
OF_PAPER = {"sheet-name", "page-number", "page-count", "file-name", "date", "time"}  # fields of headers, as &P of Excel


def read(file: BinaryIO, limits: Limits) -> Extraction:
    parts = opened(file, limits)
    prose, aside = TextBuilder(limits), TextBuilder(limits)
    formulas = Formulas(parts)
    sheets = _Sheets(prose)
    add_events(formulas.insert(sheets.taken(parts.events(CONTENT))), aside, hides=_elsewhere)
    add_around(parts, aside, formulas, hides=_on_paper, names=False)
    prose.line(aside.text())
    return Extraction(prose.text(), properties(parts), parts.failed_parts)


def _elsewhere(event: XmlEvent, parent: str) -> bool:
    return parent == "document" and event.name != "body"


def _on_paper(event: XmlEvent, parent: str) -> bool:
    """Whether a header's element is hidden: fields that differ from page to page, and headers that are not shown."""
    return event.name in OF_PAPER or event.get("display") == "false"


REST, BOOK, SHEET, ROW, CELL, TEXT = range(6)  # the part that an element has in a sheet


class _Sheets:
    """Writes the cells of sheets while their events pass."""

    def __init__(self, prose: TextBuilder) -> None:
        self._prose = prose
        self._cell = self._row_event = XmlEvent("start", "", {})
        self._pieces: list[str] = []  # of the cell's text
        self._row: list[str] = []
        self._empty = 0  # empty cells since the last that is not

    def taken(self, events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
        """Take the sheets out of the events, and hand on the rest, with comments and drawings of cells."""
        around = [REST]
        for event in events:
            kind, name, _ = event
            if kind == "start":
                role = self._begun(event, around[-1])
                around.append(role)
                if role <= BOOK:
                    yield event
            elif kind == "end":
                role = around.pop()
                if role <= BOOK:
                    yield event
                elif role == CELL:
                    self._add_cell()
                elif role == TEXT and around[-1] == CELL:
                    self._pieces.append("\n")
                elif name == "table-row":
                    self._end_row()
            elif around[-1] == TEXT:
                self._pieces.append(name)
            elif around[-1] <= BOOK:
                yield event

    def _begun(self, event: XmlEvent, within: int) -> int:
        """Begin an element, and say which part it has in a sheet."""
        name = event.name
        if within in (SHEET, ROW):
            if name in CELLS:
                self._cell, self._pieces = event, []
                return CELL
            if name in ROWS:
                self._row_event = event
                return ROW
        elif within == CELL and name == "p":
            return TEXT
        elif within == TEXT and name != "annotation":
            self._pieces.append(_mark(event))
            return TEXT
        elif within == BOOK and name == "table":
            self._prose.line(event.get("name"))
            return SHEET
        return BOOK if name == "spreadsheet" else REST

    def _add_cell(self) -> None:
        count = _repeated(self._cell, "number-columns-repeated", 1 << 30)
        value = _value(self._cell, "".join(self._pieces).removesuffix("\n"))
        if not value:
            self._empty += count
            return
        if len(self._row) + count > WIDEST:
            raise Problem(Reason.TOO_LARGE, f"a row of more than {WIDEST:,} cells")
        if self._empty:
            self._row += [""] * min(self._empty, WIDEST - len(self._row) - count)
            self._empty = 0
        self._row += [value] * count

    def _end_row(self) -> None:
        count = _repeated(self._row_event, "number-rows-repeated", LONGEST)
        line = "\t".join(self._row).strip("\t")
        self._row, self._empty = [], 0
        if not line:
            return
        self._prose.line(line)
        while count > 1:
            at_once = min(count - 1, TOGETHER)
            self._prose.add(f"{line}\n" * at_once)
            count -= at_once


def _mark(event: XmlEvent) -> str:
    if event.name == "s":
        return " " * _repeated(event, ":c", 100)
    return {"tab": "\t", "line-break": "\n"}.get(event.name, "")


def _repeated(event: XmlEvent, name: str, most: int) -> int:
    """How often an element stands for itself, by the attribute of that name."""
    for key, value in event.attributes.items():
        if key.endswith(name) and value.isdecimal():
            return max(min(int(value[:10]), most), 1)
    return 1


def _value(cell: XmlEvent, shown: str) -> str:
    kinds = [value for name, value in cell.attributes.items() if name.endswith(":value-type")]
    if not kinds or "error" in kinds:
        return shown
    kind = kinds[0]
    try:
        if kind in NUMBERS:
            return cell_text(float(cell.get("value")))
        if kind == "date":
            return cell_text(datetime.fromisoformat(cell.get("date-value")))
        if kind == "boolean":
            return cell_text(cell.get("boolean-value") == "true")
    except (ValueError, OverflowError):
        return shown
    if kind == "time" and (time := TIME.fullmatch(cell.get("time-value"))):
        return cell_text(_duration(*time.groups()))
    return shown or cell.get("string-value")


def _duration(sign: str, hours: str, minutes: str, seconds: str, part: str | None) -> timedelta:
    length = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    length += timedelta(microseconds=int((part or "").ljust(6, "0")))
    return -length if sign else length
