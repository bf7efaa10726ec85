"""Writing a report: the ending of its name says the format, and the file is written completely or not at all.

CSV, JSON lines and Parquet hold one flat table, for programs: nothing but the records that the commands give. What was
run lies beside CSV and JSON lines in FILE.about.json, and in the metadata of a Parquet table. The workbook, the page
and the load file are written by modules of their own.
"""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.errors import InputError, UsageError
from nearkin.model import View
from nearkin.query import streams
from nearkin.query.arrow_tables import document_table, family_table, identical_table, match_table
from nearkin.query.records import (
    MEMBER_PATHS,
    Name,
    Record,
    backslashed,
    copy_columns,
    copy_rows,
    document_columns,
    document_record,
    family_record,
    identical_record,
    match_columns,
    match_record,
    member_columns,
    member_rows,
    surrogate_escaped,
)
from nearkin.query.store_view import Snapshot, snapshot
from nearkin.query.totals import Totals, about, count_all
from nearkin.read.walk import explain
from nearkin.report.concordance import write_concordance
from nearkin.report.page import write_page
from nearkin.report.workbook import write_workbook
from nearkin.store.documents import each_present
from nearkin.wording import cell

if TYPE_CHECKING:
    import pyarrow as pa

FLAT = (".csv", ".jsonl", ".parquet")
ENDINGS = (".xlsx", ".html", *FLAT, ".dat")
TABLE_NAMES = ("documents", "matches", "families", "identical", "failed")
DEFAULT_TABLE = "matches"
GROUP_ROWS = 10_000  # rows of Parquet written at a time
ABOUT = b"nearkin.about"  # in a Parquet file's metadata


@dataclass(frozen=True)
class WrittenReport:
    """A report that was written."""

    path: Path
    table: str | None  # None: it has all tables
    rows: int  # records of a flat table, documents of a load file; otherwise the rows of all tables
    totals: Totals


def refuse_unknown(path: Path, *, table: str | None, links: bool) -> None:
    """Refuse, before anything is done, an unknown ending or table, a table where there is no choice, and a folder that
    does not exist."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f'Do not know how to write "{path}"; a report ends with {", ".join(ENDINGS)}.')
    if table is not None and ending not in FLAT:
        raise UsageError(f"A {ending} report has all tables; --table goes with {', '.join(FLAT)}.")
    if table is not None and table not in TABLE_NAMES:
        raise UsageError(f"There is no table {table!r}; known are: {', '.join(TABLE_NAMES)}.")
    if links and ending not in (".xlsx", ".html"):
        raise UsageError("Links to files go with .xlsx and .html only; leave out --links.")
    if not path.parent.is_dir():
        raise InputError(f"Cannot write {path}: there is no folder {path.parent}.")


def write_report(store: Path, path: Path, *, table: str | None = None, links: bool = False) -> WrittenReport:
    """Write a report on the last run of a store."""
    refuse_unknown(path, table=table, links=links)
    with snapshot(store) as view, written_beside(path) as part:
        totals = count_all(view)
        rows = _write(view, totals, part, path, table or DEFAULT_TABLE, links=links)
    flat = path.suffix.lower() in FLAT
    return WrittenReport(path, (table or DEFAULT_TABLE) if flat else None, rows, totals)


def _write(view: Snapshot, totals: Totals, part: Path, path: Path, table: str, *, links: bool) -> int:
    facts = about(view, totals)
    match path.suffix.lower():
        case ".xlsx":
            return write_workbook(view, totals, facts, part, links=links)
        case ".html":
            return write_page(view, totals, facts, part, links=links)
        case ".parquet":
            return write_parquet(view, table, part, facts | {"table": table})
        case ".dat":
            rows = write_concordance(view, part)
            facts |= {"table": "load file"}
        case ending:
            rows = (write_csv if ending == ".csv" else write_json_lines)(view, table, part)
            facts |= {"table": table}
    with written_beside(path.with_name(f"{path.name}.about.json")) as beside:
        beside.write_text(json.dumps(facts | {"rows": rows}, indent=2) + "\n", encoding="ascii")
    return rows


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """Give a path to write to; the file takes the place of `path` when all went well. A link stays a link: its target
    is replaced."""
    try:
        path = path.resolve() if path.is_symlink() else path
        if path.is_dir():
            raise InputError(f"Cannot write {path}: it is a folder.")
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            yield part
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        # Libraries word errors in their own way: "error writing bytes to file. Detail: …".
        why = explain(error) if error.errno is None else os.strerror(error.errno).lower()
        raise InputError(f"Cannot write {path}: {why}.") from error


def _document_rows(record: Record) -> Iterable[Record]:
    return [{**record, "properties": json.dumps(record["properties"]) if record["properties"] else None}]


@dataclass(frozen=True)
class ExportTable:
    """A flat table: its records, and how a record becomes rows of CSV."""

    records: Callable[[Snapshot, Name], Iterator[Record]]
    columns: Callable[..., list[str]]  # by whether paths need their scopes
    rows: Callable[[Record], Iterable[Record]] = lambda record: [record]
    paths: frozenset[str] = frozenset({"path"})


def _documents(failed: bool) -> Callable[[Snapshot, Name], Iterator[Record]]:
    return lambda snapshot, name: (
        document_record(document, scoped=snapshot.scoped, name=name)
        for document in each_present(snapshot.connection, failed=failed)
    )


TABLES = {
    "documents": ExportTable(_documents(failed=False), document_columns, _document_rows, frozenset({"path", "parent"})),
    "matches": ExportTable(
        lambda snapshot, name: (
            match_record(match, scoped=snapshot.scoped, name=name) for match in streams.matches(snapshot)
        ),
        match_columns,
        paths=frozenset({"a", "b"}),
    ),
    "families": ExportTable(
        lambda snapshot, name: (
            family_record(family, scoped=snapshot.scoped, name=name) for family in streams.families(snapshot)
        ),
        partial(member_columns, View.CHAIN),
        member_rows,
        MEMBER_PATHS,
    ),
    "identical": ExportTable(
        lambda snapshot, name: (
            identical_record(group, scoped=snapshot.scoped, name=name) for group in streams.identical(snapshot)
        ),
        copy_columns,
        copy_rows,
        frozenset({"group", "path"}),
    ),
    "failed": ExportTable(_documents(failed=True), document_columns, _document_rows, frozenset({"path", "parent"})),
}


def write_csv(snapshot: Snapshot, table: str, path: Path) -> int:
    """Write a table and return the number of records; a record may be several rows. Paths are their own bytes, and no
    cell is a formula."""
    export, count = TABLES[table], 0
    header = export.columns(scoped=snapshot.scoped)
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for record in export.records(snapshot, surrogate_escaped):
            count += 1
            for row in export.rows(record):
                writer.writerow([cell(row.get(column), is_path=column in export.paths) for column in header])
    return count


def write_json_lines(snapshot: Snapshot, table: str, path: Path) -> int:
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for record in TABLES[table].records(snapshot, surrogate_escaped):
            count += 1
            file.write(json.dumps(record) + "\n")
    return count


def write_parquet(snapshot: Snapshot, table: str, path: Path, facts: dict[str, Any]) -> int:
    from pyarrow.parquet import ParquetWriter  # only Parquet needs pyarrow, which loads slowly

    schema = _arrow(table, [], scoped=snapshot.scoped).schema.with_metadata({ABOUT: json.dumps(facts)})
    records, count = TABLES[table].records(snapshot, backslashed), 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := list(islice(records, GROUP_ROWS)):
            count += len(batch)
            writer.write_table(_arrow(table, batch, scoped=snapshot.scoped).cast(schema))
    return count


def _arrow(table: str, records: list[Record], *, scoped: bool) -> "pa.Table":
    makers: dict[str, Callable[..., pa.Table]] = {
        "documents": document_table,
        "failed": document_table,
        "matches": match_table,
        "families": family_table,
        "identical": identical_table,
    }
    return makers[table](records, scoped=scoped)
