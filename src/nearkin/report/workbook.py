"""The workbook (.xlsx), as in Forman 2005, Figures 5 and 6.

Identical files stand apart; families have their documents folded under them; each sheet has its totals at the top. Rows
are written as they come (xlsxwriter's constant memory), and a full sheet is followed by another. The date in the file
is that of the run, so that the same store makes the same bytes.
"""

import io
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nearkin.model import Location
from nearkin.query import streams
from nearkin.query.store_view import Snapshot
from nearkin.query.totals import COUNTED, Totals, lines
from nearkin.store.documents import each_present
from nearkin.wording import count, how, kind_of, safe, said_of, size

ROW_LIMIT = 1_048_576
LINK_LIMIT = 65_530  # of a sheet; names beyond are written without
LONGEST_LINK = 2_079
LONGEST_TEXT = 32_767
OPEN = 10  # sets and families whose documents are shown at once; the others are folded
COUNT, MOMENT = "#,##0", "yyyy-mm-dd hh:mm:ss"
# Cells hold the measured values. Only 1 is shown as 1: values that would be rounded up to it are shown as below it.
SHARE = '[<=0.9999]0.0000;[<1]">0.9999";0.0000'
PERCENT = '[<=0.999]0.0%;[<1]">99.9%";0.0%'
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
SUMMARY_FORMS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 18, "font_color": "#1F3A5F"},
    "heading": {"bold": True, "bg_color": "#1F3A5F", "font_color": "white"},
    "top": {"valign": "top", "text_wrap": True},
    "value": {"valign": "top", "text_wrap": True, "align": "left"},
    "count": {"num_format": COUNT, "align": "left", "valign": "top"},
    "number": {"align": "left", "valign": "top"},
    "moment": {"num_format": MOMENT + ' "UTC"', "align": "left", "valign": "top"},
}


@dataclass(frozen=True)
class SheetColumn:
    """A column of a sheet."""

    title: str
    width: float
    form: str | None = None  # number format; None: text


@dataclass(frozen=True)
class Linked:
    """A name that is a link to its file."""

    name: str
    uri: str | None


def write_workbook(snapshot: Snapshot, totals: Totals, facts: dict[str, Any], path: Path, *, links: bool) -> int:
    """Write a workbook and return the number of rows. `facts`: what was run, from `about`."""
    from xlsxwriter import Workbook  # only a workbook needs it, and it loads slowly
    from xlsxwriter.exceptions import FileCreateError

    folder = tempfile.mkdtemp(prefix="nearkin-")  # our own, so that a failure leaves nothing behind
    try:
        with ZipTarget(path) as file:
            book = Workbook(file, {**OPTIONS, "tmpdir": folder})
            try:
                when = _moment_of(facts["date"])
                book.set_properties({"title": "nearkin report", "comments": facts["scheme"], "created": when})
                _Book(book, snapshot, totals, links=links).write(facts, when)
                book.close()
            except FileCreateError as error:
                raise error.args[0] from None
            finally:
                for sheet in book.worksheets():
                    with suppress(OSError):
                        sheet.row_data_fh.close()  # of a book that was not closed, whose rows wait there
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return totals.identical + totals.families + totals.matches + totals.failed


class _Book:
    """Writes the sheets."""

    def __init__(self, book: Any, snapshot: Snapshot, totals: Totals, *, links: bool) -> None:
        self.book, self.snapshot, self.totals, self.links = book, snapshot, totals, links

    def write(self, facts: dict[str, Any], when: datetime) -> None:
        self._summary(facts, when)
        self._identical()
        self._families()
        self._matches()
        self._failed()

    def _name(self, location: Location) -> Linked:
        path = location.path.decode("utf-8", "backslashreplace")
        name = f"{location.scope}:{path}" if self.snapshot.scoped else path
        return Linked(name, self.snapshot.uri(location) if self.links else None)

    def _summary(self, facts: dict[str, Any], when: datetime) -> None:
        sheet = self.book.add_worksheet("Summary")
        form = {name: self.book.add_format(how) for name, how in SUMMARY_FORMS.items()}
        sheet.set_column(0, 0, 46, form["top"])
        sheet.set_column(1, 1, 96, form["value"])
        sheet.hide_gridlines(2)
        sheet.set_row(0, 28)
        sheet.write_string(0, 0, "nearkin report", form["title"])
        row = 2
        for heading, rows in (
            ("What was found", [(name, self.totals.counts[key]) for key, name in COUNTED.items()]),
            ("What was run", lines(facts)),
            ("What the numbers mean", list(facts["measures"].items())),
        ):
            sheet.write_string(row, 0, heading, form["heading"])
            sheet.write_blank(row, 1, None, form["heading"])
            for name, value in rows:
                row += 1
                sheet.write_string(row, 0, name[:1].upper() + name[1:], form["top"])
                if name == "Date of the run":
                    sheet.write_datetime(row, 1, when, form["moment"])
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    sheet.write_number(row, 1, value, form["count" if isinstance(value, int) else "number"])
                else:
                    sheet.write_string(row, 1, str(value), form["value"])
            row += 2
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)

    def _identical(self) -> None:
        totals = self.totals
        of_bytes = f"{count(totals.bytes_sets, 'sets')} with the same bytes   {count(totals.bytes_files, 'files')}"
        of_words = f"{count(totals.words_sets, 'sets')} with the same words   {count(totals.words_files, 'files')}"
        head = f"{of_bytes}   {size(totals.overhead)} overhead;   {of_words}"
        columns = (
            SheetColumn("Set #", 8, COUNT),
            SheetColumn("# Files", 8, COUNT),
            SheetColumn("Overhead B", 13, COUNT),
            SheetColumn("File size", 12, COUNT),
            SheetColumn("Filename", 70),
            SheetColumn("Same", 9),
            SheetColumn("Modified (UTC)", 19, MOMENT),
        )
        sheet = Sheet(self.book, "A identical", "A. Identical files", head, columns)
        for number, copies in enumerate(streams.identical_in_full(self.snapshot), 1):
            folded, group = number > OPEN, copies.group
            for at, place in enumerate(group.documents):
                first = [number, len(group.documents), group.overhead] if at == 0 else [None, None, None]
                values = [
                    copies.sizes[at],
                    self._name(place),
                    group.tier if at == 0 else None,
                    moment(copies.modified[at]),
                ]
                sheet.row([*first, *values], level=min(at, 1), folded=folded)
        sheet.end()

    def _families(self) -> None:
        totals = self.totals
        head = (
            f"{count(totals.families, 'families')}   {count(totals.family_documents, 'files')}"
            f"   {size(totals.family_bytes)}"
        )
        columns = (
            SheetColumn("Family #", 9, COUNT),
            SheetColumn("Total size", 12, COUNT),
            SheetColumn("# Files", 8, COUNT),
            SheetColumn("Links", 8, COUNT),
            SheetColumn("Type", 16),
            SheetColumn("% Similar", 10, PERCENT),
            SheetColumn("File size", 12, COUNT),
            SheetColumn("Filename", 70),
            SheetColumn("Resemblance (mean; to pivot)", 27, SHARE),
            SheetColumn("Verdict", 12),
            SheetColumn("Family id", 19),
            SheetColumn("Measured", 10),
        )
        sheet = Sheet(self.book, "B families", "B. Families", head, columns, outline=True)
        for number, listed in enumerate(streams.families_in_full(self.snapshot), 1):
            family, folded = listed.family, number > OPEN
            mean = [family.mean_resemblance, family.verdict, family.id, how(listed.exact)]
            own = [number, family.bytes, len(family.documents), family.links, kind_of(family), listed.share]
            sheet.row([*own, None, None, *mean], folded=folded)
            for member, links, share, bytes_ in zip(
                family.documents, listed.links, listed.shares, listed.sizes, strict=True
            ):
                role = "pivot" if member.pivot else str(member.role)
                kept = "keep" if family.keep == member.location else None
                values = [links, role, None if member.pivot else share, bytes_, self._name(member.location)]
                sheet.row(
                    [None, None, None, *values, member.to_pivot, kept, None, said_of(member)],
                    level=1,
                    folded=folded,
                )
        sheet.end()

    def _matches(self) -> None:
        columns = (
            SheetColumn("Resemblance", 12, SHARE),
            SheetColumn("A in B", 9, SHARE),
            SheetColumn("B in A", 9, SHARE),
            SheetColumn("% Similar", 10, PERCENT),
            SheetColumn("Shared bytes", 13, COUNT),
            SheetColumn("Measured", 10),
            SheetColumn("Low", 8, SHARE),
            SheetColumn("High", 8, SHARE),
            SheetColumn("Verdict", 10),
            SheetColumn("Payload", 9, SHARE),
            SheetColumn("Payload measured", 17),
            SheetColumn("Payload low", 12, SHARE),
            SheetColumn("Payload high", 12, SHARE),
            SheetColumn("A", 60),
            SheetColumn("B", 60),
        )
        sheet = Sheet(self.book, "C matches", "C. Matches", count(self.totals.matches, "matches"), columns)
        for match in streams.matches(self.snapshot):
            scores = [match.resemblance, match.a_in_b, match.b_in_a]
            similar = streams.of_the_smaller(match.a_in_b, match.b_in_a)
            measured = [how(match.exact), match.low, match.high, match.verdict]
            payload = [match.payload, how(match.payload_exact), match.payload_low, match.payload_high]
            names = [self._name(match.a), self._name(match.b)]
            sheet.row([*scores, similar, match.shared_bytes, *measured, *payload, *names])
        sheet.end()

    def _failed(self) -> None:
        columns = (
            SheetColumn("Reason", 14),
            SheetColumn("Detail", 60),
            SheetColumn("File size", 12, COUNT),
            SheetColumn("Modified (UTC)", 19, MOMENT),
            SheetColumn("Filename", 80),
        )
        head = count(self.totals.failed, "documents")
        sheet = Sheet(self.book, "D failed", "D. Failed documents", head, columns)
        for failed in each_present(self.snapshot.connection, failed=True):
            sheet.row([failed.reason, failed.detail, failed.size, moment(failed.mtime_ns), self._name(failed.location)])
        sheet.end()


def moment(nanoseconds: int) -> datetime | None:
    """Return a date that a spreadsheet can hold: from 1900 to 9999, without a zone. None: it is unknown or out of
    range."""
    if not nanoseconds:
        return None
    try:
        date = datetime(1970, 1, 1) + timedelta(seconds=nanoseconds // 1_000_000_000)
    except OverflowError:
        return None
    return date if date.year >= 1900 else None


def _moment_of(text: str) -> datetime:
    date = datetime.fromisoformat(text).replace(microsecond=0)
    return date.astimezone(UTC).replace(tzinfo=None) if date.tzinfo else date


class Sheet:
    """A sheet: a line of totals, a header that stays in sight, then rows; it goes on in another sheet when it is
    full."""

    def __init__(
        self,
        book: Any,
        name: str,
        title: str,
        totals: str,
        columns: Sequence[SheetColumn],
        *,
        outline: bool = False,
    ) -> None:
        self._book, self._name, self._title, self._totals, self._columns = book, name, title, totals, columns
        self._outline = outline
        self._forms = [book.add_format(_look(column)) for column in columns]
        self._strong_forms = [
            book.add_format({"bold": True, "bg_color": "#EEF2F7", **_look(column)}) for column in columns
        ]
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
        # One text over all columns: numbers in cells would be cut at their column. The summary has them as numbers.
        name = self._title if self._number == 1 else f"{self._title} (continued)"
        self._sheet.write_string(0, 0, f"{name}:   {self._totals}", title)
        self._sheet.set_row(1, 18)
        for at, column in enumerate(self._columns):
            self._sheet.write_string(1, at, column.title, header[column.form is not None])
            self._sheet.set_column(at, at, column.width)
        self._sheet.freeze_panes(2, 0)
        self._sheet.outline_settings(True, False, True, False)  # a family's own row stands above its documents
        self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)
        self._sheet.repeat_rows(0, 1)
        self._next = 2

    def row(self, values: Sequence[Any], *, level: int = 0, folded: bool = False) -> None:
        """Write a row. A row of level 1 belongs to the row of level 0 above it; `folded` rows are hidden at first."""
        if self._next == ROW_LIMIT:
            self.end()
            self._begin()
        strong = self._outline and not level
        if level or folded:
            how = {"level": level, "hidden": folded and level > 0, "collapsed": folded and not level}
            self._sheet.set_row(self._next, None, None, how)
        forms = self._strong_forms if strong else self._forms
        for kept in ("row_info", "row_sizes"):  # xlsxwriter keeps the settings of rows that it has written
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
                # xlsxwriter turns file: into Windows paths; a scheme in capitals is the same scheme, and stays as it
                # is.
                self._sheet.write_url(self._next, at, uri.replace("file:", "FILE:", 1), None, _text(name))
            case Linked(name, _):
                self._sheet.write_string(self._next, at, _text(name), form)
            case _:
                # Always as text: a name may begin like a formula.
                self._sheet.write_string(self._next, at, _text(str(value)), form)

    def end(self) -> None:
        self._sheet.autofilter(1, 0, max(self._next - 1, 1), len(self._columns) - 1)


def _text(value: str) -> str:
    return safe(value)[:LONGEST_TEXT]


def _look(column: SheetColumn) -> dict[str, Any]:
    return {**_aligned(column.form is not None), **({"num_format": column.form} if column.form else {})}


def _aligned(numbers: bool) -> dict[str, Any]:
    return {"align": "right"} if numbers else {"align": "left", "indent": 1}


class ZipTarget(io.BufferedWriter):
    """The file that a ZIP archive is written to. It reports a full disk once, and nothing when it is closed.

    A ZipFile that is given up writes its end when it is collected, perhaps after the file was closed, and Python prints
    the error of that on the screen.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path, "w"))
        self._over = False  # failed or closed
        self._place = 0  # position that is reported after that

    def write(self, data: Any) -> int:
        self._place += len(data)
        return self._once(super().write, data) or len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        self._place = place
        return self._once(super().seek, place, whence) or place

    def tell(self) -> int:
        return self._once(super().tell) or self._place

    def flush(self) -> None:
        self._once(super().flush)

    def close(self) -> None:
        try:
            self._once(super().close)
        finally:
            self._over = True
            self.raw.close()

    def _once(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        """Run an operation unless one has failed or the file is closed."""
        if self._over:
            return None
        try:
            return operation(*arguments)
        except OSError:
            self._over = True
            raise
