"""Rows of .jsonl: one JSON object a line. A bad line fails by its number; blank lines are no rows.

A line with bytes that are not UTF-8 is read too: its text is decoded as that of a file is.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO, Protocol

from nearkin.model import Reason
from nearkin.read.csv_rows import Recoded, unmarked
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
from nearkin.text.decode import decode

PEEKED = 100  # objects whose keys are taken for the columns
ESCAPED = 6  # bytes that a character of text may take: \u0041
OTHER_COLUMNS = 1 << 20  # bytes of a line beside the text
LONGEST = 1 << 31
HALF_PAIRS = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # halves of surrogate pairs that stand for no byte


class Number(str):
    """A number as it is written: an id of 1.50 is not one of 1.5, and 1e400 is no infinity."""

    __slots__ = ()


DECODER = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)


def column_names(path: bytes, compression: str | None) -> list[str]:
    """The keys of the first objects, in the order they come. Where the table breaks off, those before it count."""
    keys: dict[str, None] = {}
    try:
        with _opened(path, compression) as (stream, _):
            parsed = (_object(line) for _, line in _lines(stream, LONGEST))
            for row in islice((row for row in parsed if isinstance(row, dict)), PEEKED):
                keys |= dict.fromkeys(row)
    except BrokenTableError:
        if not keys:
            raise
    return list(keys)


def rows(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Rows]:
    return in_batches(_rows_of_file(path, kind, columns, longest))


def _rows_of_file(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[RowOfFile]:
    with _opened(path, kind.compression) as (stream, file):
        for number, line in _lines(stream, ESCAPED * longest + OTHER_COLUMNS):
            row = _object(line)
            name = name_of(row.get(columns.id)) if isinstance(row, dict) and columns.id is not None else None
            yield file, number, name, row if isinstance(row, Fault) else _text(row, line or b"", columns.text, longest)


class Lines(Protocol):
    """A stream of lines: a file, or one of another encoding."""

    def readline(self, limit: int, /) -> bytes: ...


@contextmanager
def _opened(path: bytes, compression: str | None) -> Iterator[tuple[Lines, BinaryIO]]:
    with unmarked(path, compression) as (stream, file, encoding):
        yield stream if encoding == "utf-8" else Recoded(stream, encoding), file


def _lines(stream: Lines, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers; None in place of a line too long to be held."""
    number = 0
    while line := stream.readline(limit):
        number += 1
        if len(line) >= limit and not line.endswith(b"\n"):
            while (rest := stream.readline(limit)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif line.strip():
            yield number, line


def _object(line: bytes | None) -> dict[str, Any] | Fault:
    if line is None:
        return Fault(Reason.TOO_LARGE, "the line is longer than --max-size allows")
    try:
        value = _parsed(line)
    except RecursionError:
        return Fault(Reason.UNSUPPORTED, "the JSON is nested too deeply to be read")
    except json.JSONDecodeError as error:
        return Fault(Reason.CORRUPT, f"no JSON: {_lower(error.msg)} at character {error.pos + 1:,}")
    if not isinstance(value, dict):
        return Fault(Reason.CORRUPT, f"{_kind(value)} where a JSON object should be")
    return value


def _parsed(line: bytes) -> Any:
    try:
        return DECODER.decode(line.decode())
    except UnicodeDecodeError:
        pass
    try:
        return DECODER.decode(line.decode("utf-8", "surrogateescape"))
    except ValueError:
        # In some encodings of East Asia half a character may be a backslash.
        return DECODER.decode(decode(line).text)


def _text(row: dict[str, Any], line: bytes, column: str, longest: int) -> bytes | Fault:
    value = row.get(column)
    if value is None:
        missing = f"there is no column {column!r}" if column not in row else f"column {column!r} is null"
        return Fault(Reason.EMPTY, missing)
    if not isinstance(value, str) or isinstance(value, Number):
        return Fault(Reason.UNSUPPORTED, f"column {column!r} is {_kind(value)}, not text")
    text = _encoded(value, line)
    return text if len(text) <= longest else too_large(len(text), longest)


def _encoded(text: str, line: bytes) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        pass
    try:
        line.decode()
    except UnicodeDecodeError:
        if not HALF_PAIRS.search(text):
            return text.encode("utf-8", "surrogateescape")  # the bytes of the line
    return text.encode("utf-8", "replace")  # half a surrogate pair is no character


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _kind(value: object) -> str:
    kinds = {bool: "true or false", Number: "a number", str: "a string", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")
