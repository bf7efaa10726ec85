"""What stores, segments, reports and Arrow tables say, line by line, for tools/freeze.py.

Decoded, not byte by byte: how zstd, Arrow, XlsxWriter and SQLite lay out the same content may change with them. Times,
versions, users, inodes and random names are left out, each with its reason.
"""

import hashlib
import json
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

LEFT_OUT = {
    "document": {"inode", "ctime_ns", "owner"},  # of this file system and user
    "run": {"started", "ended", "version", "timings"},  # of this run
    "segment": {"name", "token", "bytes"},  # random names
    "audit": {"at", "by"},
    "verdict": {"at", "by"},
    "template": {"at", "by"},
}
LONG = 400  # bytes of a cell; longer ones are shown by their digests
COMPRESSED = {("text", "zstd"), ("template", "passages")}
THIS_RUN = 1_735_689_600 * 10**9  # 2025: documents given on standard input have the time of the run, files older ones
LIMITS = ("jobs", "memory")  # in the settings of a run: they change no result
TOKEN, HEADER_SUM = slice(16, 32), slice(136, 144)  # of a segment's header: random, and a sum over it


def store_lines(store: Path) -> bytes:
    """Every row of every table, with a store's version and the names of what it is made of. Ids are the store's own:
    they depend neither on the number of jobs nor on the order of a folder."""
    if not store.exists():
        return b"no store"
    connection = sqlite3.connect(store)
    try:
        lines = [repr(connection.execute(f"PRAGMA {name}").fetchone()) for name in ("application_id", "user_version")]
        made = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
        for kind, name in connection.execute(made).fetchall():
            lines.append(f"{kind} {name}")
            if kind == "table":
                lines += _rows(connection, name)
    finally:
        connection.close()
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def _rows(connection: sqlite3.Connection, table: str) -> list[str]:
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    kept = [name for name in names if name not in LEFT_OUT.get(table, ())]
    columns = ", ".join(f'"{name}"' for name in kept)
    rows = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
    cells = [[_cell(table, name, value) for name, value in zip(kept, row, strict=True)] for row in rows]
    return [repr(kept), *sorted(map(repr, cells))]


def _cell(table: str, column: str, value: Any) -> Any:
    if value is None:
        return None
    if (table, column) in COMPRESSED:
        import zstandard

        value = zstandard.ZstdDecompressor().decompress(value)
    if (table, column) == ("document", "mtime_ns") and value > THIS_RUN:
        return "now"
    if table == "run" and column in ("settings", "counts"):
        return _without(json.loads(value), {*LIMITS, "seconds"})
    if table == "audit" and column in ("before", "after"):
        return _without(json.loads(value), {"seconds"})
    if isinstance(value, bytes) and len(value) > LONG:
        return f"{len(value)} bytes, {hashlib.sha256(value).hexdigest()}"
    return value


def _without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: _without(inner, names) for name, inner in value.items() if name not in names}
    return [_without(inner, names) for inner in value] if isinstance(value, list) else value


def segment_lines(store: Path) -> bytes:
    """Segments byte by byte, in an order that their random names do not decide."""
    folder = store.with_name(store.name + ".segments")
    files = []
    for path in folder.glob("*.segment"):
        content = bytearray(path.read_bytes())
        content[TOKEN], content[HEADER_SUM] = bytes(16), bytes(8)
        files.append(bytes(content))
    return b"\n".join(sorted(files))


def arrow_lines(table: Any) -> bytes:
    """Schema, metadata and rows, without the columns that name this machine's user and this run's time."""
    metadata = sorted((table.schema.metadata or {}).items())
    kept = [name for name in table.column_names if name not in ("owner", "by", "at")]
    fields = [(name, str(table.schema.field(name).type)) for name in table.column_names]
    rows = table.select(kept).to_pylist()
    lines = [repr(metadata), repr(fields), *(json.dumps(row, default=repr, ensure_ascii=True) for row in rows)]
    # Cells that hold JSON, as those of the audit, lose their backslashes: fields in them are left out like others.
    return "\n".join(lines).replace('\\"', '"').encode("utf-8", "backslashreplace")


def report_lines(path: Path) -> bytes:
    """What a report says, and what the file beside it says about it."""
    if not path.exists():
        return b"not written"
    about = path.with_name(path.name + ".about.json")
    beside = about.read_bytes() if about.exists() else b""
    if about.exists():
        about.unlink()
    if path.suffix == ".xlsx":
        return _cells_of(path)
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return arrow_lines(pq.read_table(path)) + beside
    if path.suffix == ".csv":
        return _without_owner(path) + beside
    return path.read_bytes() + beside


def _cells_of(path: Path) -> bytes:
    from openpyxl import load_workbook

    lines = []
    for sheet in load_workbook(path).worksheets:
        lines.append(f"sheet {sheet.title} {sheet.freeze_panes} {sheet.auto_filter.ref}")
        for row in sheet.iter_rows():
            values = [value.isoformat(" ") if isinstance(value := cell.value, datetime) else value for cell in row]
            lines.append(
                repr([*values, *((cell.number_format, cell.hyperlink and cell.hyperlink.target) for cell in row)])
            )
    return "\n".join(lines).encode("utf-8", "backslashreplace")


def _without_owner(path: Path) -> bytes:
    import csv
    import io

    text = path.read_bytes().decode("utf-8", "surrogateescape")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    if "owner" not in header:
        return path.read_bytes()
    at = header.index("owner")
    kept = [row[:at] + row[at + 1 :] for row in rows]
    return "\n".join(map(repr, [header, *kept])).encode("utf-8", "backslashreplace")
