"""A workbook as in Forman 2005, Figures 5 and 6: identical files apart, families with their documents folded under
them, and the totals above each.

Rows are written as they come (xlsxwriter's constant memory). The date in the file is the run's, so that the same store
makes the same bytes.
"""

import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nearkin.model import Location
from nearkin.query import streams
from nearkin.query.totals import Totals
from nearkin.query.wording import count, how, kind_of, said_of, size
from nearkin.report.about import COUNTED, lines
from nearkin.report.sheet import Column, Linked, Sheet
from nearkin.report.snapshot import Snapshot
from nearkin.report.zip_target import ZipTarget
from nearkin.store.documents import each_present

OPEN = 10  # sets and families whose documents are shown at once; the others are folded
COUNT, MOMENT = "#,##0", "yyyy-mm-dd hh:mm:ss"
# Cells hold what was measured. Only what is 1 is shown as 1, so what would be rounded up to it is said to be below.
SHARE = '[<=0.9999]0.0000;[<1]">0.9999";0.0000'
PERCENT = '[<=0.999]0.0%;[<1]">99.9%";0.0%'
OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def write_workbook(snapshot: Snapshot, totals: Totals, told: dict[str, Any], path: Path, *, links: bool) -> int:
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import FileCreateError

    rooms = tempfile.mkdtemp(prefix="nearkin-")  # one that is cut short leaves nothing there either
    try:
        with ZipTarget(path) as file:
            book = Workbook(file, {**OPTIONS, "tmpdir": rooms})
            try:
                when = _moment_of(told["date"])
                book.set_properties({"title": "nearkin report", "comments": told["scheme"], "created": when})
                _Book(book, snapshot, totals, links=links).write(told, when)
                book.close()
            except FileCreateError as error:
                raise error.args[0] from None
            finally:
                for sheet in book.worksheets():
                    with suppress(OSError):
                        sheet.row_data_fh.close()  # of a book that was not closed; its rows wait there
    finally:
        shutil.rmtree(rooms, ignore_errors=True)
    return totals.identical + totals.families + totals.matches + totals.failed


class _Book:
    def __init__(self, book: Any, snapshot: Snapshot, totals: Totals, *, links: bool) -> None:
        self.book, self.snapshot, self.totals, self.links = book, snapshot, totals, links

    def write(self, told: dict[str, Any], when: datetime) -> None:
        self._summary(told, when)
        self._identical()
        self._families()
        self._matches()
        self._failed()

    def _name(self, location: Location) -> Linked:
        path = location.path.decode("utf-8", "backslashreplace")
        name = f"{location.scope}:{path}" if self.snapshot.scoped else path
        return Linked(name, self.snapshot.uri(location) if self.links else None)

    def _summary(self, told: dict[str, Any], when: datetime) -> None:
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
            ("What was run", lines(told)),
            ("What the numbers mean", list(told["measures"].items())),
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
            Column("Set #", 8, COUNT),
            Column("# Files", 8, COUNT),
            Column("Overhead B", 13, COUNT),
            Column("File size", 12, COUNT),
            Column("Filename", 70),
            Column("Same", 9),
            Column("Modified (UTC)", 19, MOMENT),
        )
        sheet = Sheet(self.book, "A identical", "A. Identical files", head, columns)
        for number, one in enumerate(streams.identical_in_full(self.snapshot), 1):
            folded, group = number > OPEN, one.group
            for at, place in enumerate(group.documents):
                first = [number, len(group.documents), group.overhead] if at == 0 else [None, None, None]
                values = [one.sizes[at], self._name(place), group.tier if at == 0 else None, moment(one.modified[at])]
                sheet.row([*first, *values], level=min(at, 1), folded=folded)
        sheet.end()

    def _families(self) -> None:
        totals = self.totals
        head = (
            f"{count(totals.families, 'families')}   {count(totals.family_documents, 'files')}"
            f"   {size(totals.family_bytes)}"
        )
        columns = (
            Column("Family #", 9, COUNT),
            Column("Total size", 12, COUNT),
            Column("# Files", 8, COUNT),
            Column("Links", 8, COUNT),
            Column("Type", 16),
            Column("% Similar", 10, PERCENT),
            Column("File size", 12, COUNT),
            Column("Filename", 70),
            Column("Resemblance (mean; to pivot)", 27, SHARE),
            Column("Verdict", 12),
            Column("Family id", 19),
            Column("Measured", 10),
        )
        sheet = Sheet(self.book, "B families", "B. Families", head, columns, outline=True)
        for number, one in enumerate(streams.families_in_full(self.snapshot), 1):
            family, folded = one.family, number > OPEN
            mean = [family.mean_resemblance, family.verdict, family.id, how(one.exact)]
            own = [number, family.bytes, len(family.documents), family.links, kind_of(family), one.share]
            sheet.row([*own, None, None, *mean], folded=folded)
            for member, links, share, bytes_ in zip(family.documents, one.links, one.shares, one.sizes, strict=True):
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
            Column("Resemblance", 12, SHARE),
            Column("A in B", 9, SHARE),
            Column("B in A", 9, SHARE),
            Column("% Similar", 10, PERCENT),
            Column("Shared bytes", 13, COUNT),
            Column("Measured", 10),
            Column("Low", 8, SHARE),
            Column("High", 8, SHARE),
            Column("Verdict", 10),
            Column("Payload", 9, SHARE),
            Column("Payload measured", 17),
            Column("Payload low", 12, SHARE),
            Column("Payload high", 12, SHARE),
            Column("A", 60),
            Column("B", 60),
        )
        sheet = Sheet(self.book, "C matches", "C. Matches", count(self.totals.matches, "matches"), columns)
        for one in streams.matches(self.snapshot):
            scores = [one.resemblance, one.a_in_b, one.b_in_a]
            similar = streams.of_the_smaller(one.a_in_b, one.b_in_a)
            measured = [how(one.exact), one.low, one.high, one.verdict]
            payload = [one.payload, how(one.payload_exact), one.payload_low, one.payload_high]
            names = [self._name(one.a), self._name(one.b)]
            sheet.row([*scores, similar, one.shared_bytes, *measured, *payload, *names])
        sheet.end()

    def _failed(self) -> None:
        columns = (
            Column("Reason", 14),
            Column("Detail", 60),
            Column("File size", 12, COUNT),
            Column("Modified (UTC)", 19, MOMENT),
            Column("Filename", 80),
        )
        head = count(self.totals.failed, "documents")
        sheet = Sheet(self.book, "D failed", "D. Failed documents", head, columns)
        for one in each_present(self.snapshot.connection, failed=True):
            sheet.row([one.reason, one.detail, one.size, moment(one.mtime_ns), self._name(one.location)])
        sheet.end()


SUMMARY_FORMS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 18, "font_color": "#1F3A5F"},
    "heading": {"bold": True, "bg_color": "#1F3A5F", "font_color": "white"},
    "top": {"valign": "top", "text_wrap": True},
    "value": {"valign": "top", "text_wrap": True, "align": "left"},
    "count": {"num_format": COUNT, "align": "left", "valign": "top"},
    "number": {"align": "left", "valign": "top"},
    "moment": {"num_format": MOMENT + ' "UTC"', "align": "left", "valign": "top"},
}


def moment(nanoseconds: int) -> datetime | None:
    """As spreadsheets count days: from 1900 to 9999, without a zone. None where a date is not known or not one."""
    if not nanoseconds:
        return None
    try:
        found = datetime(1970, 1, 1) + timedelta(seconds=nanoseconds // 1_000_000_000)
    except OverflowError:
        return None
    return found if found.year >= 1900 else None


def _moment_of(text: str) -> datetime:
    found = datetime.fromisoformat(text).replace(microsecond=0)
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found
