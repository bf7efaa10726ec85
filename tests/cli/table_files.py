"""Tables as they are written, and scans of them, for the tests here."""

import csv
import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from cli.world import Called, edited, prose

Table = list[dict[str, Any]]
ROWS: Table = [
    {"id": "a", "text": prose(1)},
    {"id": "b", "text": edited(prose(1), 100)},
    {"id": "c", "text": prose(2)},
    {"id": "d", "text": prose(1)},
    {"id": "e/f", "text": f"<html><body><p>{prose(2)}</p><script>var x = 1;</script></body></html>"},
]


def as_jsonl(rows: Table) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def as_csv(rows: Table) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, ["id", "text"])
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_parquet(rows: Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), out, row_group_size=3)
    return out.getvalue()


WRITERS: dict[str, Callable[[Table], bytes]] = {
    "corpus.parquet": as_parquet,
    "corpus.jsonl": as_jsonl,
    "corpus.jsonl.gz": lambda rows: gzip.compress(as_jsonl(rows)),
    "corpus.jsonl.zst": lambda rows: zstandard.compress(as_jsonl(rows[:2])) + zstandard.compress(as_jsonl(rows[2:])),
    "corpus.csv": as_csv,
    "corpus.csv.gz": lambda rows: gzip.compress(as_csv(rows)),
}


def scan(store: Path, *more: object) -> dict[str, Any]:
    done = Called("scan", *more, "--store", store, "--format", "json", "--text-column", "text")
    assert done.code == 0, done.err
    summary: dict[str, Any] = json.loads(done.out)
    return summary


def ask(store: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()
