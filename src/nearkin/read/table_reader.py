"""Reading tables: the reader of each format, the check before a scan of tables, and the names of rows.

This is the door to the readers of `csv_rows`, `json_lines` and `parquet`: each is imported when the first table of its
format is met, because most scans read no table, and few read tables of two formats.
"""

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.read.table import NAMES, BrokenTableError, Columns, Rows, TableFormat, TableKind, table_kind
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import WalkSettings

READERS = {
    TableFormat.PARQUET: "nearkin.read.parquet",
    TableFormat.JSONL: "nearkin.read.json_lines",
    TableFormat.CSV: "nearkin.read.csv_rows",
}


class TableReader(Protocol):
    """What a module that reads a format of tables defines."""

    def column_names(self, path: bytes, compression: str | None, /) -> list[str]: ...

    def rows(self, path: bytes, kind: TableKind, columns: Columns, longest: int, /) -> Iterator[Rows]: ...


def _reader(kind: TableKind) -> TableReader:
    return cast(TableReader, import_module(READERS[kind.format]))


def read_rows(path: bytes, kind: TableKind, columns: Columns, *, longest: int) -> Iterator[Rows]:
    """The rows in order, some at a time; texts longer than `longest` fail. UsageError: it has no such columns."""
    return _reader(kind).rows(path, kind, columns, longest)


def table_columns(path: bytes, kind: TableKind) -> list[str]:
    """The names of its columns; BrokenTableError where that much cannot be read."""
    return _reader(kind).column_names(path, kind.compression)


def refuse_unsuitable(path: bytes, kind: TableKind, columns: Columns) -> None:
    """UsageError where it has not these columns. A .jsonl without any object has none, and no rows but bad ones."""
    known = table_columns(path, kind)
    if known or kind.format is not TableFormat.JSONL:
        columns.refuse_unsuitable(os.fsdecode(path.rpartition(b"/")[2]), known)


def check_tables(starts: tuple[Path, ...], settings: WalkSettings, columns: Columns) -> None:
    """Refuse a scan of tables before it begins: where there are none, or where they lack the columns.

    A table that was named must have the columns. Of the tables in folders one must, and the search ends with it; any
    other that lacks them fails alone when it is read.
    """
    complaint: UsageError | None = None
    any_table = False
    for start in starts:
        for path, kind in _tables_of(start, settings):
            any_table = True
            try:
                refuse_unsuitable(path, kind, columns)
            except BrokenTableError:
                continue
            except UsageError as error:
                if not start.is_dir():
                    raise
                complaint = complaint or error
                continue
            if start.is_dir():
                return
    if complaint is not None:
        raise complaint
    if not any_table:
        where = " or ".join(map(str, starts))
        raise UsageError(f"There is no table in {where} to read a column of; tables are {NAMES}.")


def _tables_of(start: Path, settings: WalkSettings) -> Iterator[tuple[bytes, TableKind]]:
    root = start if start.is_dir() else start.parent
    for path in walk(root, (start,), settings):
        if not isinstance(path, Unreadable) and (kind := table_kind(path)) is not None:
            yield os.fsencode(root) + b"/" + path, kind


class RowNames:
    """Names of a table's rows: their ids, unique within the table.

    A row without an id, or with one that an earlier row has, is named by its number: `#17`. Should that be some row's
    id, another `#` is added. Remembering the names takes 8 bytes a row. Two unlike ids of one hash (1 in 10^7 for a
    million rows) only mean that the second row is named by its number.
    """

    def __init__(self, *, by_id: bool) -> None:
        from hashlib import blake2b  # it loads OpenSSL, and few scans read tables

        self._blake2b = blake2b
        self._by_id = by_id  # otherwise every row is named by its number, and all names differ
        self._runs: list[NDArray[np.uint64]] = []  # sorted; each more than twice as long as the next

    def of(self, rows: Rows) -> list[bytes]:
        """Name the next rows of the table."""
        if not self._by_id:
            return [b"#%d" % number for number in rows.numbers]
        wanted = [None if name is None else name.encode("utf-8", "surrogateescape") for name in _encodable(rows.ids)]
        hashes = [0 if name is None else self._hash(name) for name in wanted]
        met = self._met(np.array(hashes, np.uint64))
        given: set[int] = set()
        names = []
        for number, name, hashed, before in zip(rows.numbers, wanted, hashes, met, strict=True):
            fresh = name is not None and not before and hashed not in given
            own, key = (name or b"", hashed) if fresh else self._numbered(number, given)
            given.add(key)
            names.append(own)
        self._remember(given)
        return names

    def _numbered(self, number: int, given: set[int]) -> tuple[bytes, int]:
        name = b"#%d" % number
        while (hashed := self._hash(name)) in given or bool(self._met(np.array([hashed], np.uint64))[0]):
            name += b"#"
        return name, hashed

    def _hash(self, name: bytes) -> int:
        return int.from_bytes(self._blake2b(name, digest_size=8).digest(), "little")

    def _met(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        met = np.zeros(len(hashes), np.bool_)
        for run in self._runs:
            met |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        return met

    def _remember(self, hashes: set[int]) -> None:
        if not hashes:
            return
        self._runs.append(np.sort(np.fromiter(hashes, np.uint64, len(hashes))))
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")


def _encodable(names: list[str | None]) -> list[str | None]:
    """The names with half surrogate pairs, which JSON may hold and no name can, written out."""
    return [name if name is None or name.isascii() else _without_half_pairs(name) for name in names]


def _without_half_pairs(name: str) -> str:
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()
    return name
