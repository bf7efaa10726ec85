"""A sheet of a workbook: a line of totals, a header that stays in sight, then rows; more sheets where one is full."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nearkin.query.wording import safe

ROW_LIMIT = 1_048_576
LINK_LIMIT = 65_530  # of a sheet; names beyond are written without
LONGEST_LINK = 2_079
LONGEST_TEXT = 32_767


@dataclass(frozen=True)
class Column:
    title: str
    width: float
    form: str | None = None  # of its numbers


@dataclass(frozen=True)
class Linked:
    """A name that leads to its file."""

    name: str
    uri: str | None


class Sheet:
    def __init__(
        self,
        book: Any,
        name: str,
        title: str,
        totals: str,
        columns: Sequence[Column],
        *,
        outline: bool = False,
    ) -> None:
        self._book, self._name, self._title, self._totals, self._columns = book, name, title, totals, columns
        self._outline = outline
        self._forms = [book.add_format(_look(one)) for one in columns]
        self._strong_forms = [book.add_format({"bold": True, "bg_color": "#EEF2F7", **_look(one)}) for one in columns]
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._number += 1
        self._sheet = self._book.add_worksheet(self._name + (f" {self._number}" if self._number > 1 else ""))
        self._links = 0
        title = self._book.add_format({"bold": True, "font_size": 12})
        look = {"bold": True, "bg_color": "#1F3A5F", "font_color": "white", "valign": "vcenter"}
        header = {of_numbers: self._book.add_format({**look, **_aligned(of_numbers)}) for of_numbers in (False, True)}
        self._sheet.set_row(0, 20)
        # One text over all columns, as numbers would not reach beyond their own; they are on the summary.
        name = self._title if self._number == 1 else f"{self._title} (continued)"
        self._sheet.write_string(0, 0, f"{name}:   {self._totals}", title)
        self._sheet.set_row(1, 18)
        for at, column in enumerate(self._columns):
            self._sheet.write_string(1, at, column.title, header[column.form is not None])
            self._sheet.set_column(at, at, column.width)
        self._sheet.freeze_panes(2, 0)
        self._sheet.outline_settings(True, False, True, False)  # a family's own line stands above its documents
        self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)
        self._sheet.repeat_rows(0, 1)
        self._next = 2

    def row(self, values: Sequence[Any], *, level: int = 0, folded: bool = False) -> None:
        """`level` 1 belongs to the row of level 0 above it; `folded`: these rows are hidden until asked for."""
        if self._next == ROW_LIMIT:
            self.end()
            self._begin()
        strong = self._outline and not level
        if level or folded:
            how = {"level": level, "hidden": folded and level > 0, "collapsed": folded and not level}
            self._sheet.set_row(self._next, None, None, how)
        forms = self._strong_forms if strong else self._forms
        for kept in ("row_info", "row_sizes"):  # xlsxwriter keeps what was set for rows that it has long written
            getattr(self._sheet, kept, {}).pop(self._next - 2, None)
        for at, value in enumerate(values):
            self._write(at, value, forms[at], strong=strong)
        self._next += 1

    def _write(self, at: int, value: Any, form: Any, *, strong: bool) -> None:
        match value:
            case None:
                if strong:
                    self._sheet.write_blank(self._next, at, None, form)
            case bool():
                self._sheet.write_boolean(self._next, at, value, form)
            case int() | float():
                self._sheet.write_number(self._next, at, value, form)
            case datetime():
                self._sheet.write_datetime(self._next, at, value, form)
            case Linked(name, uri) if uri and self._links < LINK_LIMIT and len(uri) <= LONGEST_LINK:
                self._links += 1
                # xlsxwriter makes Windows paths of file:; a scheme in capitals is the same scheme, and left alone.
                self._sheet.write_url(self._next, at, uri.replace("file:", "FILE:", 1), None, _text(name))
            case Linked(name, _):
                self._sheet.write_string(self._next, at, _text(name), form)
            case _:
                # Always as text: a name that begins like a formula is none.
                self._sheet.write_string(self._next, at, _text(str(value)), form)

    def end(self) -> None:
        self._sheet.autofilter(1, 0, max(self._next - 1, 1), len(self._columns) - 1)


def _text(value: str) -> str:
    return safe(value)[:LONGEST_TEXT]


def _look(column: Column) -> dict[str, Any]:
    return {**_aligned(column.form is not None), **({"num_format": column.form} if column.form else {})}


def _aligned(numbers: bool) -> dict[str, Any]:
    return {"align": "right"} if numbers else {"align": "left", "indent": 1}
