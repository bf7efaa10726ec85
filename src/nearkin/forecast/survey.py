"""A survey of what there is to scan: files and rows, counted where that is cheap, else projected from a part."""

import os
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import UsageError
from nearkin.read.parquet import parquet_count
from nearkin.read.table import BrokenTableError, Columns, TableFormat, TableKind, columns_of, table_kind
from nearkin.read.table_reader import read_rows, refuse_unsuitable
from nearkin.read.walk import Unreadable, root_of, walk
from nearkin.settings import Settings

COUNTED = 32 << 20  # bytes of a table's texts that are read to count its rows; of larger ones a part is projected


@dataclass(frozen=True)
class SurveyedFile:
    path: bytes
    size: int


@dataclass(frozen=True)
class SurveyedTable:
    path: bytes
    size: int  # of the file
    kind: TableKind
    rows: int
    text_bytes: int
    exact: bool  # whether the rows were counted …
    measured: bool = True  # … and whether all texts were read for their size


@dataclass(frozen=True)
class Survey:
    root: bytes
    files: tuple[SurveyedFile, ...]
    tables: tuple[SurveyedTable, ...]
    left_out: int  # files larger than --max-size, and files that cannot be read

    @property
    def documents(self) -> int:
        return len(self.files) + sum(1 + table.rows for table in self.tables)

    @property
    def bytes(self) -> int:
        """Count the bytes that a scan reads: whole files, and the texts of tables."""
        return sum(file.size for file in self.files) + sum(table.text_bytes for table in self.tables)

    @property
    def exact(self) -> bool:
        return all(table.exact for table in self.tables)

    @property
    def measured(self) -> bool:
        return all(table.exact and table.measured for table in self.tables)


def survey(starts: tuple[Path, ...], settings: Settings) -> Survey:
    """Walk the folders as a scan does, and count."""
    root = root_of(starts)
    base, columns = os.fsencode(root), columns_of(settings.table)
    files: list[SurveyedFile] = []
    tables: list[SurveyedTable] = []
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
            files.append(SurveyedFile(path, size))
        else:
            try:
                tables.append(_measured(base + b"/" + path, path, size, kind, columns, settings.walk.max_size))
            except (BrokenTableError, UsageError):  # another table has the columns, else the request was refused before
                left_out += 1
    return Survey(base, tuple(files), tuple(tables), left_out)


def _measured(
    absolute: bytes, path: bytes, size: int, kind: TableKind, columns: Columns, longest: int
) -> SurveyedTable:
    refuse_unsuitable(absolute, kind, columns)
    stated = _stated_rows(absolute, kind)
    rows = text_bytes = 0
    try:
        for batch in read_rows(absolute, kind, columns, longest=longest):
            rows += len(batch)
            text_bytes += batch.size
            if text_bytes <= COUNTED:
                continue
            if stated is not None:
                size_of_all = round(text_bytes * stated / rows)
                return SurveyedTable(path, size, kind, stated, size_of_all, exact=True, measured=rows == stated)
            if batch.upto:
                share = size / batch.upto
                return SurveyedTable(path, size, kind, round(rows * share), round(text_bytes * share), exact=False)
    except BrokenTableError:
        pass  # the rows before the break count
    return SurveyedTable(path, size, kind, rows, text_bytes, exact=True)


def _stated_rows(absolute: bytes, kind: TableKind) -> int | None:
    """Return the number of rows where the file states it, else None."""
    if kind.format is not TableFormat.PARQUET:
        return None
    return parquet_count(absolute)
