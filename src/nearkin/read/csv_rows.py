"""Rows of .csv, with the names of the columns in its first line.

Python's own reader, not Arrow's: that one must hold a row within a block of fixed size, refuses what is not UTF-8, and
ends at the first row it cannot read. Here each such row fails by its number and the rest is read.

Tables in whatever encoding their file is, told from the first bytes: by a mark, or by what UTF-16 looks like.

Else it is read as UTF-8, and what is not may be found out text by text: tables are put together from many sources.

Compressed files as streams of bytes, a little at a time. One that ends early says so: BrokenTableError.
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
from nearkin.read.table import BrokenTableError, Columns, Fault, Record, Rows, TableKind, gathered, name_of, too_large
from nearkin.read.walk import explain
from nearkin.text.decode import LOOKED_AT, marked, wide_without_mark


class _AsItComes(io.RawIOBase):
    """What is asked of gzip is read until there is so much of it: of a file that ends early the last 8 KB were lost."""

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
    """The stream, and the file it comes from, which tells how far it was read. Whatever breaks meanwhile is a
    BrokenTableError."""
    try:
        with open(path, "rb") as file:
            if compression == "gzip":
                with gzip.open(file) as stream:
                    yield io.BufferedReader(_AsItComes(stream), 1 << 16), file
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
    """The stream after its mark, the file it comes from, and the encoding of all of it."""
    with unpacked(path, compression) as (stream, file):
        buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
        start = buffered.peek(LOOKED_AT)[:LOOKED_AT]
        mark, encoding = marked(start) or (b"", wide_without_mark(start) or "utf-8")
        buffered.read(len(mark))
        yield buffered, file, encoding


class Recoded:
    """Lines of another encoding as UTF-8. What is no character of it is replaced."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="\n")

    def readline(self, limit: int) -> bytes:
        """`limit` is in characters."""
        return self._text.readline(limit).encode()


DELIMITERS = (",", ";", "\t", "|")


def csv_columns(path: bytes, compression: str | None) -> list[str]:
    """By the delimiter that makes most of them."""
    with _opened(path, compression) as (stream, _):
        if not (line := _header(stream)):
            raise BrokenTableError("there is nothing in it, not even the names of columns", Reason.EMPTY)
        return max((_split(line, delimiter) for delimiter in DELIMITERS), key=len)


def csv_rows(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Rows]:
    rows = gathered(_found(path, kind, columns, longest))
    while True:
        # The limit is one for the whole process: others who read tables in it have theirs back between batches.
        before = csv.field_size_limit(min(sys.maxsize, longest + 1))
        try:
            batch = next(rows, None)
        finally:
            csv.field_size_limit(before)
        if batch is None:
            return
        yield batch


def _found(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Record]:
    with _opened(path, kind.compression) as (stream, file):
        for number, name, text in _records(stream, columns, longest):
            yield file, number, name, text


def _records(stream: io.TextIOBase, columns: Columns, longest: int) -> Iterator[tuple[int, str | None, bytes | Fault]]:
    header = _header(stream)
    delimiter = max(DELIMITERS, key=lambda one: len(_split(header, one)))
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
    """The first line that is not blank; names of columns have no line ends."""
    return next((line for line in stream if line.strip()), "")


def _split(line: str, delimiter: str) -> list[str]:
    return [name.strip() for row in csv.reader([line], delimiter=delimiter) for name in row] if line else []


@contextmanager
def _opened(path: bytes, compression: str | None) -> Iterator[tuple[io.TextIOBase, BinaryIO]]:
    """Bytes that are not UTF-8 come as surrogates, so that each text can be decoded as a file would be."""
    with unmarked(path, compression) as (stream, file, encoding):
        errors = "surrogateescape" if encoding == "utf-8" else "replace"
        yield io.TextIOWrapper(stream, encoding, errors=errors, newline=""), file
