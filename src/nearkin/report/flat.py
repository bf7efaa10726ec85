"""Flat tables: the records of the commands as CSV, JSON lines and Parquet, one after another.

They are for programs, so nothing stands in them but their rows; what was run lies beside them, in FILE.about.json, and
in Parquet in the metadata of the table.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin.query import streams
from nearkin.query.records import (
    Name,
    Record,
    backslashed,
    document_record,
    family_record,
    identical_record,
    match_record,
    surrogate_escaped,
)
from nearkin.report.cell import cell
from nearkin.report.rows import MATCH, MEMBER_PATHS, copy_rows, member_columns, member_rows
from nearkin.report.snapshot import Snapshot
from nearkin.store.documents import each_present

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 10_000  # rows of Parquet written at a time
ABOUT = b"nearkin.about"  # in a Parquet file's metadata

DOCUMENT = ["size", "modified", "media", "encoding", "digest", "reason", "detail", "parent", "owner", "custodian"]
DOCUMENT += ["properties", "legacy_md5", "legacy_sha1", "edrm_message_hash"]
FAMILY = [f"*{one}" if one.endswith("scope") else one for one in member_columns("chain", scoped=True)]


def _document_rows(record: Record) -> Iterable[Record]:
    return [{**record, "properties": json.dumps(record["properties"]) if record["properties"] else None}]


@dataclass(frozen=True)
class Flat:
    """One table: its records, and how they are rows of CSV. Columns with a * are there where scopes are."""

    records: Callable[[Snapshot, Name], Iterator[Record]]
    columns: list[str]
    rows: Callable[[Record], Iterable[Record]] = lambda record: [record]
    paths: frozenset[str] = frozenset({"path"})

    def header(self, *, scoped: bool) -> list[str]:
        return [column.removeprefix("*") for column in self.columns if scoped or not column.startswith("*")]


def _documents(failed: bool) -> Callable[[Snapshot, Name], Iterator[Record]]:
    return lambda snapshot, name: (
        document_record(one, scoped=snapshot.scoped, name=name)
        for one in each_present(snapshot.connection, failed=failed)
    )


TABLES = {
    "documents": Flat(
        _documents(failed=False), ["path", "*scope", *DOCUMENT], _document_rows, frozenset({"path", "parent"})
    ),
    "matches": Flat(
        lambda snapshot, name: (
            match_record(one, scoped=snapshot.scoped, name=name) for one in streams.matches(snapshot)
        ),
        ["a", "b", "*a_scope", "*b_scope", *MATCH],
        paths=frozenset({"a", "b"}),
    ),
    "families": Flat(
        lambda snapshot, name: (
            family_record(one, scoped=snapshot.scoped, name=name) for one in streams.families(snapshot)
        ),
        FAMILY,
        member_rows,
        MEMBER_PATHS,
    ),
    "identical": Flat(
        lambda snapshot, name: (
            identical_record(one, scoped=snapshot.scoped, name=name) for one in streams.identical(snapshot)
        ),
        ["group", "tier", "size", "overhead", "path", "*scope"],
        copy_rows,
        frozenset({"group", "path"}),
    ),
    "failed": Flat(
        _documents(failed=True), ["path", "*scope", *DOCUMENT], _document_rows, frozenset({"path", "parent"})
    ),
}


def write_csv(snapshot: Snapshot, table: str, path: Path) -> int:
    """How many records; one of them may be several rows. Names are their own bytes, and no cell is a formula."""
    flat, count = TABLES[table], 0
    header = flat.header(scoped=snapshot.scoped)
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
    from nearkin.report.arrow_tables import document_table, family_table, identical_table, match_table

    makers: dict[str, Callable[..., pa.Table]] = {
        "documents": document_table,
        "failed": document_table,
        "matches": match_table,
        "families": family_table,
        "identical": identical_table,
    }
    return makers[table](records, scoped=scoped)
