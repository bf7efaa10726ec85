"""What is there to scan: files and rows, counted where that costs little, else told from the first rows."""

import os
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import UsageError
from nearkin.read.table import BrokenTableError, Columns, TableFormat, TableKind, columns_of, table_kind
from nearkin.read.table_reader import read_rows, refuse_unsuitable
from nearkin.read.walk import Unreadable, root_of, walk
from nearkin.settings import Settings

COUNTED = 32 << 20  # bytes of texts of a table read to count its rows; beyond, their number follows from the size


@dataclass(frozen=True)
class FileFound:
    path: bytes
    size: int


@dataclass(frozen=True)
class TableFound:
    path: bytes
    size: int  # of the file
    kind: TableKind
    rows: int
    text_bytes: int
    exact: bool  # are the rows
    measured: bool = True  # so are the texts


@dataclass(frozen=True)
class Survey:
    root: bytes
    files: tuple[FileFound, ...]
    tables: tuple[TableFound, ...]
    left_out: int  # larger than --max-size, or not to be looked at

    @property
    def documents(self) -> int:
        return len(self.files) + sum(1 + table.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """To be read: of tables their texts."""
        return sum(file.size for file in self.files) + sum(table.text_bytes for table in self.tables)

    @property
    def exact(self) -> bool:
        return all(table.exact for table in self.tables)

    @property
    def measured(self) -> bool:
        return all(table.exact and table.measured for table in self.tables)


def survey(starts: tuple[Path, ...], settings: Settings) -> Survey:
    root = root_of(starts)
    base, columns = os.fsencode(root), columns_of(settings.table)
    files: list[FileFound] = []
    tables: list[TableFound] = []
    left_out = 0
    for path in walk(root, starts, settings.walk):
        kind = None if isinstance(path, Unreadable) or columns is None else table_kind(path)
        try:
            size = -1 if isinstance(path, Unreadable) else os.lstat(base + b"/" + path).st_size
        except OSError:
            size = -1
        if isinstance(path, Unreadable) or size < 0 or (kind is None and size > settings.walk.max_size):
            left_out += 1
        elif kind is None or columns is None:
            files.append(FileFound(path, size))
        else:
            try:
                tables.append(_measured(base + b"/" + path, path, size, kind, columns, settings.walk.max_size))
            except (BrokenTableError, UsageError):  # some table has the columns, or it would have been refused before
                left_out += 1
    return Survey(base, tuple(files), tuple(tables), left_out)


def _measured(absolute: bytes, path: bytes, size: int, kind: TableKind, columns: Columns, longest: int) -> TableFound:
    refuse_unsuitable(absolute, kind, columns)
    counted = _counted(absolute, kind)
    rows = text_bytes = 0
    try:
        for batch in read_rows(absolute, kind, columns, longest=longest):
            rows += len(batch)
            text_bytes += batch.size
            if text_bytes <= COUNTED:
                continue
            if counted is not None:
                size_of_all = round(text_bytes * counted / rows)
                return TableFound(path, size, kind, counted, size_of_all, exact=True, measured=rows == counted)
            if batch.upto:
                share = size / batch.upto
                return TableFound(path, size, kind, round(rows * share), round(text_bytes * share), exact=False)
    except BrokenTableError:
        pass  # what is before the break counts
    return TableFound(path, size, kind, rows, text_bytes, exact=True)


def _counted(absolute: bytes, kind: TableKind) -> int | None:
    """The number of rows, where the file says it."""
    if kind.format is not TableFormat.PARQUET:
        return None
    from nearkin.read.parquet import parquet_count

    return parquet_count(absolute)
