"""Results in the format asked for.

JSON is ASCII, so that names which are no UTF-8 survive as lone surrogates. CSV holds the names' own bytes, but on a
terminal they are escaped: a name must not steer it. No cell of CSV is a formula to a spreadsheet.
"""

import io
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from nearkin.cli.reader_left import ReaderLeftError
from nearkin.query.records import cell

Record = dict[str, Any]


def chosen(form: str | None) -> str:
    return form or ("table" if sys.stdout.isatty() else "jsonl")


def emit(
    records: Iterable[Record],
    form: str,
    *,
    columns: list[str],
    rows: Callable[[Record], Iterable[Record]] = lambda record: [record],
    paths: frozenset[str] = frozenset(),
) -> None:
    """Print many records. `rows` says which rows of CSV a record makes, `paths` which columns name files."""
    match form:
        case "json":
            before = "[\n"
            for record in records:
                _write(before + json.dumps(record))
                before = ",\n"
            _write("[]\n" if before == "[\n" else "\n]\n")
        case "jsonl":
            for record in records:
                _write(json.dumps(record) + "\n")
        case "csv":
            _write_csv((row for record in records for row in rows(record)), columns, paths)


def emit_one(record: Record, form: str, *, paths: frozenset[str] = frozenset()) -> None:
    if form == "json":
        _write(json.dumps(record, indent=2) + "\n")
    else:
        emit([record], form, columns=list(record), paths=paths)


def write_lines(lines: Iterable[str]) -> None:
    """Plain lines as they come; a screen that looks for colours in each takes a quarter of a millisecond a line."""
    for line in lines:
        _write(line + "\n")


def _write_csv(rows: Iterable[Record], columns: list[str], paths: frozenset[str]) -> None:
    import csv

    shown = _escaped if sys.stdout.isatty() else str
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([shown(cell(row.get(column), is_path=column in paths)) for column in columns])
        if buffer.tell() > 1 << 16:
            _write(buffer.getvalue())
            buffer.seek(0)
            buffer.truncate()
    _write(buffer.getvalue())


def _escaped(text: str) -> str:
    from nearkin.query.wording import safe

    return safe(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def _write(text: str) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    except BrokenPipeError as error:
        raise ReaderLeftError from error
