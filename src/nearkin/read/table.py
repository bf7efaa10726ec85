"""Tables: files whose rows are documents of their own, one column of which is the text.

This is the contract of a table reader: which files are tables, which columns are read, and the rows that a reader
gives, some at a time. `table_reader` chooses the reader; `csv_rows`, `json_lines` and `parquet` are the readers. No row
is ever lost: a row that cannot be a document says why, and a table that breaks off gives the rows before the break.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import BinaryIO

from nearkin.errors import UsageError
from nearkin.model import Reason
from nearkin.settings import TableSettings

MEMBER = b"!/"  # between a table's path and its rows' names, as between a container and its members
ROWS_AT_ONCE = 256
BYTES_AT_ONCE = 4 << 20
SHOWN = 20  # columns that an error names


class TableFormat(StrEnum):
    """The formats of tables, by media type."""

    PARQUET = "application/vnd.apache.parquet"
    JSONL = "application/x-ndjson"
    CSV = "text/csv"


ENDINGS = {
    b".parquet": TableFormat.PARQUET,
    b".jsonl": TableFormat.JSONL,
    b".ndjson": TableFormat.JSONL,
    b".csv": TableFormat.CSV,
}
COMPRESSIONS = {b".gz": "gzip", b".zst": "zstd"}
NAMES = ".parquet, .jsonl or .csv, the latter two also with .gz or .zst"


@dataclass(frozen=True, slots=True)
class TableKind:
    """A table's format and how it is compressed."""

    format: TableFormat
    compression: str | None

    @property
    def media(self) -> str:
        return f"{self.format.value}+{self.compression}" if self.compression else self.format.value


MEDIA = frozenset(
    TableKind(table_format, compression).media
    for table_format in TableFormat
    for compression in (None, *COMPRESSIONS.values())
)


def table_kind(path: bytes) -> TableKind | None:
    """The kind of a table, by its name alone; None where the name is not that of a table."""
    stem, dot, ending = path.lower().rpartition(b".")
    ending = dot + ending
    compression = COMPRESSIONS.get(ending)
    if compression is not None:
        ending = b"." + stem.rpartition(b".")[2]
    table_format = ENDINGS.get(ending)
    if table_format is None or (table_format is TableFormat.PARQUET and compression):
        return None
    return TableKind(table_format, compression)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a row is not a document."""

    reason: Reason
    detail: str


@dataclass(slots=True)
class Rows:
    """Some rows of a table, held as columns."""

    numbers: list[int] = field(default_factory=list)  # counted from 1; of a .jsonl, its lines
    ids: list[str | None] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    faults: dict[int, Fault] = field(default_factory=dict)  # by place in these columns
    strings: bool = True  # the texts were strings in the table: they are UTF-8, not bytes of unknown encoding
    size: int = 0  # bytes of texts
    upto: int = 0  # about how many bytes of the file were read so far

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
        """The rows at these places."""
        rows = Rows(strings=self.strings, upto=self.upto)
        for at in chosen:
            rows.add(self.numbers[at], self.ids[at], self.faults.get(at, self.texts[at]))
        return rows


class BrokenTableError(Exception):
    """A table cannot be read further; the rows before the break stand."""

    def __init__(self, detail: str, reason: Reason = Reason.CORRUPT) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass(frozen=True)
class Columns:
    """The names of the columns that hold a table's texts and ids."""

    text: str
    id: str | None = None

    def refuse_unsuitable(self, table: str, known: list[str]) -> None:
        """Raise a UsageError where the table lacks one of them, or has it twice."""
        for wanted in (self.text, self.id):
            if wanted is not None and wanted not in known:
                more = f" and {len(known) - SHOWN:,} more" if len(known) > SHOWN else ""
                there = f"it has: {', '.join(known[:SHOWN])}{more}" if known else "it has none"
                raise UsageError(f"{table} has no column {wanted!r}; {there}.")
            if wanted is not None and known.count(wanted) > 1:
                raise UsageError(f"{table} has {known.count(wanted)} columns {wanted!r}; give each a name of its own.")


def columns_of(settings: TableSettings) -> Columns | None:
    return None if settings.text_column is None else Columns(settings.text_column, settings.id_column)


def name_of(value: object) -> str | None:
    """An id as a name; None where there is none. A zero byte, which no path can hold, is written out."""
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


RowOfFile = tuple[BinaryIO, int, str | None, bytes | Fault]  # the file, then number, id and text of a row


def in_batches(single_rows: Iterable[RowOfFile]) -> Iterator[Rows]:
    """Gather single rows, some at a time. Where the table breaks off, the rows before the break are given first."""
    rows = Rows()
    try:
        for file, number, name, text in single_rows:
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
