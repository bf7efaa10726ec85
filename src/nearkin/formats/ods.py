"""OpenDocument sheets: their names and cells, row by row with tabs between; then comments, text boxes, headers, charts.

Values are told as those of Excel are, whatever is shown; a cell without a type, or with an error, by the text that it
shows. Cells and rows may stand for many of the same (ODF 1.3 part 3 §19.677): empty ones cost nothing.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.odf import CONTENT, add_around, add_events, opened, properties
from nearkin.formats.odf_object import CELLS, Formulas
from nearkin.formats.prose import Prose
from nearkin.formats.sheets import told
from nearkin.formats.xml_events import Event
from nearkin.model import Reason

ROWS = {"table-row", "table-rows", "table-row-group", "table-header-rows"}
NUMBERS = {"float", "percentage", "currency"}
WIDEST, LONGEST = 1 << 14, 1 << 20  # cells of a row, rows of a sheet
TOGETHER = 1000  # rows
TIME = re.compile(r"(-?)PT(\d{1,9})H(\d{1,9})M(\d{1,9})(?:[.,](\d{1,6})\d*)?S")
OF_PAPER = {"sheet-name", "page-number", "page-count", "file-name", "date", "time"}  # fields of headers, as &P of Excel


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose, aside = Prose(limits), Prose(limits)
    formulas = Formulas(parts)
    sheets = _Sheets(prose)
    add_events(formulas.drawn(sheets.taken(parts.events(CONTENT))), aside, hides=_elsewhere)
    add_around(parts, aside, formulas, hides=_on_paper, names=False)
    prose.line(aside.text())
    return Found(prose.text(), properties(parts), parts.lacking)


def _elsewhere(event: Event, parent: str) -> bool:
    return parent == "document" and event.name != "body"


def _on_paper(event: Event, parent: str) -> bool:
    """Of what paper shows: what differs from page to page, and headers that are not shown."""
    return event.name in OF_PAPER or event.get("display") == "false"


REST, BOOK, SHEET, ROW, CELL, TEXT = range(6)  # what an element is to the sheets


class _Sheets:
    def __init__(self, prose: Prose) -> None:
        self._prose = prose
        self._cell = self._of_row = Event("start", "", {})
        self._pieces: list[str] = []  # of the cell's text
        self._row: list[str] = []
        self._empty = 0  # cells since the last that is not

    def taken(self, events: Iterator[Event]) -> Iterator[Event]:
        """Sheets are taken out; the rest is given on, with what hangs on their cells."""
        around = [REST]
        for event in events:
            kind, name, _ = event
            if kind == "start":
                what = self._begun(event, around[-1])
                around.append(what)
                if what <= BOOK:
                    yield event
            elif kind == "end":
                what = around.pop()
                if what <= BOOK:
                    yield event
                elif what == CELL:
                    self._add_cell()
                elif what == TEXT and around[-1] == CELL:
                    self._pieces.append("\n")
                elif name == "table-row":
                    self._end_row()
            elif around[-1] == TEXT:
                self._pieces.append(name)
            elif around[-1] <= BOOK:
                yield event

    def _begun(self, event: Event, within: int) -> int:
        name = event.name
        if within in (SHEET, ROW):
            if name in CELLS:
                self._cell, self._pieces = event, []
                return CELL
            if name in ROWS:
                self._of_row = event
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
        many = _many(self._cell, "number-columns-repeated", 1 << 30)
        value = _value(self._cell, "".join(self._pieces).removesuffix("\n"))
        if not value:
            self._empty += many
            return
        if len(self._row) + many > WIDEST:
            raise Problem(Reason.TOO_LARGE, f"a row of more than {WIDEST:,} cells")
        if self._empty:
            self._row += [""] * min(self._empty, WIDEST - len(self._row) - many)
            self._empty = 0
        self._row += [value] * many

    def _end_row(self) -> None:
        many = _many(self._of_row, "number-rows-repeated", LONGEST)
        line = "\t".join(self._row).strip("\t")
        self._row, self._empty = [], 0
        if not line:
            return
        self._prose.line(line)
        while many > 1:
            some = min(many - 1, TOGETHER)
            self._prose.add(f"{line}\n" * some)
            many -= some


def _mark(event: Event) -> str:
    if event.name == "s":
        return " " * _many(event, ":c", 100)
    return {"tab": "\t", "line-break": "\n"}.get(event.name, "")


def _many(event: Event, name: str, most: int) -> int:
    for key, value in event.attributes.items():
        if key.endswith(name) and value.isdecimal():
            return max(min(int(value[:10]), most), 1)
    return 1


def _value(cell: Event, shown: str) -> str:
    kinds = [value for name, value in cell.attributes.items() if name.endswith(":value-type")]
    if not kinds or "error" in kinds:
        return shown
    kind = kinds[0]
    try:
        if kind in NUMBERS:
            return told(float(cell.get("value")))
        if kind == "date":
            return told(datetime.fromisoformat(cell.get("date-value")))
        if kind == "boolean":
            return told(cell.get("boolean-value") == "true")
    except (ValueError, OverflowError):
        return shown
    if kind == "time" and (time := TIME.fullmatch(cell.get("time-value"))):
        return told(_duration(*time.groups()))
    return shown or cell.get("string-value")


def _duration(sign: str, hours: str, minutes: str, seconds: str, part: str | None) -> timedelta:
    length = timedelta(hours=int(hours), minutes=int(minutes), seconds=int(seconds))
    length += timedelta(microseconds=int((part or "").ljust(6, "0")))
    return -length if sign else length
