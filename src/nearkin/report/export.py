"""Reports, by the ending of their file's name; each is written whole, or not at all.

Flat tables: the records of the commands as CSV, JSON lines and Parquet, one after another.

They are for programs, so nothing stands in them but their rows; what was run lies beside them, in FILE.about.json, and
in Parquet in the metadata of the table.

Files that are there whole or not at all: written beside, then renamed.
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
from nearkin.query.records import (
    MEMBER_PATHS,
    Name,
    Record,
    backslashed,
    cell,
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
from nearkin.query.totals import Totals
from nearkin.read.walk import explain
from nearkin.store.documents import each_present

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 10_000  # rows of Parquet written at a time
ABOUT = b"nearkin.about"  # in a Parquet file's metadata


def _document_rows(record: Record) -> Iterable[Record]:
    return [{**record, "properties": json.dumps(record["properties"]) if record["properties"] else None}]


@dataclass(frozen=True)
class Flat:
    """One table: its records, and how they are rows of CSV."""

    records: Callable[[Snapshot, Name], Iterator[Record]]
    columns: Callable[..., list[str]]  # by whether paths need their scopes
    rows: Callable[[Record], Iterable[Record]] = lambda record: [record]
    paths: frozenset[str] = frozenset({"path"})


def _documents(failed: bool) -> Callable[[Snapshot, Name], Iterator[Record]]:
    return lambda snapshot, name: (
        document_record(one, scoped=snapshot.scoped, name=name)
        for one in each_present(snapshot.connection, failed=failed)
    )


TABLES = {
    "documents": Flat(_documents(failed=False), document_columns, _document_rows, frozenset({"path", "parent"})),
    "matches": Flat(
        lambda snapshot, name: (
            match_record(one, scoped=snapshot.scoped, name=name) for one in streams.matches(snapshot)
        ),
        match_columns,
        paths=frozenset({"a", "b"}),
    ),
    "families": Flat(
        lambda snapshot, name: (
            family_record(one, scoped=snapshot.scoped, name=name) for one in streams.families(snapshot)
        ),
        partial(member_columns, View.CHAIN),
        member_rows,
        MEMBER_PATHS,
    ),
    "identical": Flat(
        lambda snapshot, name: (
            identical_record(one, scoped=snapshot.scoped, name=name) for one in streams.identical(snapshot)
        ),
        copy_columns,
        copy_rows,
        frozenset({"group", "path"}),
    ),
    "failed": Flat(_documents(failed=True), document_columns, _document_rows, frozenset({"path", "parent"})),
}


def write_csv(snapshot: Snapshot, table: str, path: Path) -> int:
    """How many records; one of them may be several rows. Names are their own bytes, and no cell is a formula."""
    flat, count = TABLES[table], 0
    header = flat.columns(scoped=snapshot.scoped)
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for record in flat.records(snapshot, surrogate_escaped):
            count += 1
            for row in flat.rows(record):
                writer.writerow([cell(row.get(column), is_path=column in flat.paths) for column in header])
    return count


def write_json_lines(snapshot: Snapshot, table: str, path: Path) -> int:
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for record in TABLES[table].records(snapshot, surrogate_escaped):
            count += 1
            file.write(json.dumps(record) + "\n")
    return count


def write_parquet(snapshot: Snapshot, table: str, path: Path, told: dict[str, Any]) -> int:
    from pyarrow.parquet import ParquetWriter

    schema = _arrow(table, [], scoped=snapshot.scoped).schema.with_metadata({ABOUT: json.dumps(told)})
    records, count = TABLES[table].records(snapshot, backslashed), 0
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while some := list(islice(records, GROUP_ROWS)):
            count += len(some)
            writer.write_table(_arrow(table, some, scoped=snapshot.scoped).cast(schema))
    return count


def _arrow(table: str, records: list[Record], *, scoped: bool) -> "pa.Table":
    from nearkin.query.arrow_tables import document_table, family_table, identical_table, match_table

    makers: dict[str, Callable[..., pa.Table]] = {
        "documents": document_table,
        "failed": document_table,
        "matches": match_table,
        "families": family_table,
        "identical": identical_table,
    }
    return makers[table](records, scoped=scoped)


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """Where to write; it takes the place of `path` when all went well. A link stays one, its target is replaced."""
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
        # Libraries have words of their own: "error writing bytes to file. Detail: …".
        said = explain(error) if error.errno is None else os.strerror(error.errno).lower()
        raise InputError(f"Cannot write {path}: {said}.") from error


FLAT = (".csv", ".jsonl", ".parquet")
ENDINGS = (".xlsx", ".html", *FLAT, ".dat")
TABLE_NAMES = ("documents", "matches", "families", "identical", "failed")
DEFAULT_TABLE = "matches"


@dataclass(frozen=True)
class Written:
    path: Path
    table: str | None  # of flat ones
    rows: int  # records of a flat one, documents of a load file; otherwise all that is listed
    totals: Totals


def refuse_unknown(path: Path, *, table: str | None, links: bool) -> None:
    """Before anything is done: an ending that nobody knows, a table where there is none, a folder that is not there."""
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


def write_report(store: Path, path: Path, *, table: str | None = None, links: bool = False) -> Written:
    refuse_unknown(path, table=table, links=links)
    from nearkin.query.totals import count_all

    with snapshot(store) as taken, written_beside(path) as part:
        totals = count_all(taken)
        rows = _write(taken, totals, part, path, table or DEFAULT_TABLE, links=links)
    flat = path.suffix.lower() in FLAT
    return Written(path, (table or DEFAULT_TABLE) if flat else None, rows, totals)


def _write(taken: Snapshot, totals: Totals, part: Path, path: Path, table: str, *, links: bool) -> int:
    from nearkin.query.totals import about

    told = about(taken, totals)
    match path.suffix.lower():
        case ".xlsx":
            from nearkin.report.workbook import write_workbook

            return write_workbook(taken, totals, told, part, links=links)
        case ".html":
            from nearkin.report.page import write_page

            return write_page(taken, totals, told, part, links=links)
        case ".parquet":
            return write_parquet(taken, table, part, told | {"table": table})
        case ".dat":
            from nearkin.report.concordance import write_concordance

            rows = write_concordance(taken, part)
            told |= {"table": "load file"}
        case ending:
            rows = (write_csv if ending == ".csv" else write_json_lines)(taken, table, part)
            told |= {"table": table}
    with written_beside(path.with_name(f"{path.name}.about.json")) as beside:
        beside.write_text(json.dumps(told | {"rows": rows}, indent=2) + "\n", encoding="ascii")
    return rows
