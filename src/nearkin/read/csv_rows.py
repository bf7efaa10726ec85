"""Rows of .csv, whose first line names the columns; and text tables as streams, which .jsonl reads the same way.

Python's own reader is used, not Arrow's: that one must hold a row within a block of fixed size, refuses what is not
UTF-8, and ends at the first row it cannot read. Here each such row fails by its number and the rest is read.

A compressed table is unpacked a little at a time; one that ends early raises a BrokenTableError. The encoding is
recognised from the first bytes: by a byte order mark, or by what UTF-16 looks like. Any other table is read as UTF-8,
and texts that are not UTF-8 are decoded one by one later: tables are put together from many sources.
"""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

import zstandard

from nearkin.formats.archives import ZstdStream
from nearkin.model import Reason
from nearkin.read.table import (
    BrokenTableError,
    Columns,
    Fault,
    RowOfFile,
    Rows,
    TableKind,
    in_batches,
    name_of,
    too_large,
)
from nearkin.read.walk import explain
from nearkin.text.decode import LOOKED_AT, marked, wide_without_mark

DELIMITERS = (",", ";", "\t", "|")


def column_names(path: bytes, compression: str | None) -> list[str]:
    """The names of the columns, by the delimiter that makes most of them."""
    with _opened(path, compression) as (stream, _):
        if not (line := _header(stream)):
            raise BrokenTableError("there is nothing in it, not even the names of columns", Reason.EMPTY)
        return max((_split(line, delimiter) for delimiter in DELIMITERS), key=len)


def rows(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Rows]:
    batches = in_batches(_rows_of_file(path, kind, columns, longest))
    while True:
        # The limit is one for the whole process: other readers of tables in it have theirs back between batches.
        before = csv.field_size_limit(min(sys.maxsize, longest + 1))
        try:
            batch = next(batches, None)
        finally:
            csv.field_size_limit(before)
        if batch is None:
            return
        yield batch


def _rows_of_file(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[RowOfFile]:
    with _opened(path, kind.compression) as (stream, file):
        for number, name, text in _parsed(stream, columns, longest):
            yield file, number, name, text


def _parsed(stream: io.TextIOBase, columns: Columns, longest: int) -> Iterator[tuple[int, str | None, bytes | Fault]]:
    header = _header(stream)
    delimiter = max(DELIMITERS, key=lambda delimiter: len(_split(header, delimiter)))
    known = _split(header, delimiter)
    text_at, id_at = known.index(columns.text), None if columns.id is None else known.index(columns.id)
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    number = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            number += 1
            if "unexpected end" in str(error):
                raise BrokenTableError(f"the file ends within row {number:,}: a quote is not closed") from error
            large = "field limit" in str(error)
            yield number, None, Fault(Reason.TOO_LARGE if large else Reason.CORRUPT, f"no CSV: {error}")
            continue
        if not row:
            continue
        number += 1
        if len(row) != len(known):
            fields = f"{len(row)} fields where the first line names {len(known)}"
            yield number, None, Fault(Reason.CORRUPT, fields)
            continue
        text = row[text_at].encode("utf-8", "surrogateescape")
        name = None if id_at is None else name_of(row[id_at])
        yield number, name, text if len(text) <= longest else too_large(len(text), longest)


def _header(stream: io.TextIOBase) -> str:
    """The first line that is not blank. Names of columns have no line ends."""
    return next((line for line in stream if line.strip()), "")


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip() for row in csv.reader([line], delimiter=delimiter) for name in row] if line else []


@contextmanager
def _opened(path: bytes, compression: str | None) -> Iterator[tuple[io.TextIOBase, BinaryIO]]:
    """Open a table as text. Bytes that are not UTF-8 become surrogates, so that each text is decoded as a file is."""
    with unmarked(path, compression) as (stream, file, encoding):
        errors = "surrogateescape" if encoding == "utf-8" else "replace"
        yield io.TextIOWrapper(stream, encoding, errors=errors, newline=""), file


class _UnpackedGzip(io.RawIOBase):
    """Gives what gzip has unpacked so far. A full read would lose the last 8 KB of a file that ends early."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def unpacked(path: bytes, compression: str | None) -> Iterator[tuple[IO[bytes], BinaryIO]]:
    """The unpacked stream, and the file it comes from, which tells how far it was read. Errors while the stream is read
    become a BrokenTableError."""
    try:
        with open(path, "rb") as file:
            if compression == "gzip":
                with gzip.open(file) as stream:
                    yield io.BufferedReader(_UnpackedGzip(stream), 1 << 16), file
            elif compression == "zstd":
                yield io.BufferedReader(ZstdStream(file), 1 << 16), file
            else:
                yield file, file
    except EOFError as error:
        raise BrokenTableError("the file ends early") from error
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise BrokenTableError(f"the file is damaged: {error}") from error
    except OSError as error:
        raise BrokenTableError(explain(error), Reason.UNREADABLE) from error


@contextmanager
def unmarked(path: bytes, compression: str | None) -> Iterator[tuple[IO[bytes], BinaryIO, str]]:
    """The stream after its byte order mark, the file it comes from, and the encoding."""
    with unpacked(path, compression) as (stream, file):
        buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
        start = buffered.peek(LOOKED_AT)[:LOOKED_AT]
        mark, encoding = marked(start) or (b"", wide_without_mark(start) or "utf-8")
        buffered.read(len(mark))
        yield buffered, file, encoding


class Recoded:
    """Lines of another encoding as UTF-8. Bytes that are no character of it are replaced."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="\n")

    def readline(self, limit: int) -> bytes:
        """`limit` is in characters."""
        return self._text.readline(limit).encode()
