"""Tables: files whose rows are documents of their own, one column of which is the text.

A row that cannot be a document says why; a table that breaks off gives what came before. Both are the reader's to tell,
so no row is ever lost.

Before a scan of tables begins: are there any, and have they the columns that were named?

Names of a table's rows: their ids, unique within the table.

A row without an id, or with one that an earlier row has, is named by its number: `#17`. Should that be some row's id,
another `#` is added.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.model import Reason
from nearkin.read.walk import Unreadable, walk
from nearkin.settings import TableSettings, WalkSettings

MEMBER = b"!/"  # between a table's path and its rows' names, as between a container and its members
ROWS_AT_ONCE = 256
BYTES_AT_ONCE = 4 << 20
PEEKED = 100  # objects of a .jsonl whose keys are taken for its columns
SHOWN = 20  # columns a complaint names


class Format(StrEnum):
    PARQUET = "application/vnd.apache.parquet"
    JSONL = "application/x-ndjson"
    CSV = "text/csv"


ENDINGS = {b".parquet": Format.PARQUET, b".jsonl": Format.JSONL, b".ndjson": Format.JSONL, b".csv": Format.CSV}
COMPRESSIONS = {b".gz": "gzip", b".zst": "zstd"}
NAMES = ".parquet, .jsonl or .csv, the latter two also with .gz or .zst"


@dataclass(frozen=True, slots=True)
class TableKind:
    format: Format
    compression: str | None

    @property
    def media(self) -> str:
        return f"{self.format.value}+{self.compression}" if self.compression else self.format.value


MEDIA = frozenset(TableKind(form, packed).media for form in Format for packed in (None, *COMPRESSIONS.values()))


def table_kind(path: bytes) -> TableKind | None:
    """By its name alone; None: no table."""
    stem, dot, ending = path.lower().rpartition(b".")
    ending = dot + ending
    compression = COMPRESSIONS.get(ending)
    if compression is not None:
        ending = b"." + stem.rpartition(b".")[2]
    form = ENDINGS.get(ending)
    if form is None or (form is Format.PARQUET and compression):
        return None
    return TableKind(form, compression)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row is not a document."""

    reason: Reason
    detail: str


@dataclass(slots=True)
class Rows:
    """Some rows of a table, as columns."""

    numbers: list[int] = field(default_factory=list)  # counted from 1; of a .jsonl, its lines
    ids: list[str | None] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)  # by place in these columns
    strings: bool = True  # texts came as strings: they are UTF-8, not bytes to be told the encoding of
    size: int = 0  # bytes of texts
    upto: int = 0  # bytes of the file read so far, about

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def full(self) -> bool:
        return len(self) >= ROWS_AT_ONCE or self.size >= BYTES_AT_ONCE

    def add(self, number: int, name: str | None, text: bytes | Fault) -> None:
        if isinstance(text, Fault):
            self.faults[len(self)] = text
            text = b""
        self.numbers.append(number)
        self.ids.append(name)
        self.texts.append(text)
        self.size += len(text)

    def some(self, chosen: list[int]) -> "Rows":
        """Those at these places."""
        picked = Rows(strings=self.strings, upto=self.upto)
        for at in chosen:
            picked.add(self.numbers[at], self.ids[at], self.faults.get(at, self.texts[at]))
        return picked


class BrokenTableError(Exception):
    """It cannot be read further; what came before stands."""

    def __init__(self, detail: str, reason: Reason = Reason.CORRUPT) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are read, and as what."""

    text: str
    id: str | None = None

    def refuse_unsuitable(self, table: str, known: list[str]) -> None:
        for wanted in (self.text, self.id):
            if wanted is not None and wanted not in known:
                more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
                there = f"it has: {', '.join(known[:SHOWN])}{more}" if known else "it has none"
                raise UsageError(f"{table} has no column {wanted!r}; {there}.")
            if wanted is not None and known.count(wanted) > 1:
                raise UsageError(f"{table} has {known.count(wanted)} columns {wanted!r}; give each a name of its own.")


def columns_of(settings: TableSettings) -> Columns | None:
    return None if settings.text_column is None else Columns(settings.text_column, settings.id_column)


def read_rows(path: bytes, kind: TableKind, columns: Columns, *, longest: int) -> Iterator[Rows]:
    """The rows in order, some at a time; longer texts than `longest` fail. UsageError: it has no such columns."""
    return _reader(kind)(path, kind, columns, longest)


def table_columns(path: bytes, kind: TableKind) -> list[str]:
    """The names of its columns; BrokenTableError where that much cannot be read."""
    if kind.format is Format.PARQUET:
        from nearkin.read.parquet import parquet_columns

        return parquet_columns(path)
    if kind.format is Format.CSV:
        from nearkin.read.csv_rows import csv_columns

        return csv_columns(path, kind.compression)
    from nearkin.read.json_lines import json_columns

    return json_columns(path, kind.compression)


def refuse_unsuitable(path: bytes, kind: TableKind, columns: Columns) -> None:
    """UsageError where it has not these columns. A .jsonl without any object has none, and no rows but bad ones."""
    known = table_columns(path, kind)
    if known or kind.format is not Format.JSONL:
        columns.refuse_unsuitable(os.fsdecode(path.rpartition(b"/")[2]), known)


Reader = Callable[[bytes, TableKind, Columns, int], Iterator[Rows]]


def _reader(kind: TableKind) -> Reader:
    if kind.format is Format.PARQUET:
        from nearkin.read.parquet import parquet_rows

        return parquet_rows
    if kind.format is Format.CSV:
        from nearkin.read.csv_rows import csv_rows

        return csv_rows
    from nearkin.read.json_lines import json_rows

    return json_rows


def name_of(value: object) -> str | None:
    """An id as a name; None: there is none. What no path can hold is written out, so that it can be typed."""
    if isinstance(value, bytes):
        value = _as_text(value)
    if value is None or isinstance(value, list | dict):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("\0", "\\x00") or None


def _as_text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def too_large(size: int, longest: int) -> Fault:
    return Fault(Reason.TOO_LARGE, f"the text has {size:,} bytes, more than the {longest:,} of --max-size")


Record = tuple[BinaryIO, int, str | None, bytes | Fault]  # the file it comes from, then as a row is added


def gathered(records: Iterable[Record]) -> Iterator[Rows]:
    """Some rows at a time; what came before a break too."""
    rows = Rows()
    try:
        for file, number, name, text in records:
            rows.add(number, name, text)
            if rows.full:
                rows.upto = file.tell()
                yield rows
                rows = Rows()
    except BrokenTableError:
        if rows:
            yield rows
        raise
    if rows:
        yield rows


def check_tables(starts: tuple[Path, ...], settings: WalkSettings, columns: Columns) -> None:
    """A table that was named must have them. Of those in folders one must, which is looked for no further than needed;
    any other is found out, and fails alone, when it is read."""
    complaint: UsageError | None = None
    found = False
    for start in starts:
        for path, kind in _tables_of(start, settings):
            found = True
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
    if not found:
        where = " or ".join(map(str, starts))
        raise UsageError(f"There is no table in {where} to read a column of; tables are {NAMES}.")


def _tables_of(start: Path, settings: WalkSettings) -> Iterator[tuple[bytes, TableKind]]:
    root = start if start.is_dir() else start.parent
    for path in walk(root, (start,), settings):
        if not isinstance(path, Unreadable) and (kind := table_kind(path)) is not None:
            yield os.fsencode(root) + b"/" + path, kind


class RowNames:
    """Remembers which were given: 8 bytes a row. Two unlike ids of one hash (1 in 10^7 for a million rows) only mean
    that the second row is named by its number."""

    def __init__(self, *, by_id: bool) -> None:
        from hashlib import blake2b  # loads OpenSSL, and few scans read tables

        self._blake2b = blake2b
        self._by_id = by_id  # else every row is named by its number, and all are unlike
        self._runs: list[NDArray[np.uint64]] = []  # sorted; each more than twice as long as the next

    def of(self, rows: Rows) -> list[bytes]:
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
    """JSON may hold half a surrogate pair that is no byte of a name; then it is shown as such."""
    return [name if name is None or name.isascii() else _whole(name) for name in names]


def _whole(name: str) -> str:
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()
    return name
