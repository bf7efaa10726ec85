"""Rows of .jsonl: one JSON object a line. A bad line fails by its number; blank ones are none."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import IO, Any

from nearkin.model import Reason
from nearkin.read.packed import unpacked
from nearkin.read.table import PEEKED, Columns, Fault, Record, Rows, TableKind, gathered, name_of, too_large

MARK = b"\xef\xbb\xbf"
ROOM = 6  # a character of text may be written \u0041, and other columns stand beside it
OTHERS = 1 << 20
LONGEST = 1 << 31


def json_columns(path: bytes, compression: str | None) -> list[str]:
    """The keys of the first objects, in the order they come."""
    keys: dict[str, None] = {}
    with unpacked(path, compression) as (stream, _):
        objects = (_object(line) for _, line in _lines(stream, LONGEST))
        for one in islice((one for one in objects if isinstance(one, dict)), PEEKED):
            keys |= dict.fromkeys(one)
    return list(keys)


def json_rows(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Rows]:
    return gathered(_found(path, kind, columns, longest))


def _found(path: bytes, kind: TableKind, columns: Columns, longest: int) -> Iterator[Record]:
    with unpacked(path, kind.compression) as (stream, file):
        for number, line in _lines(stream, ROOM * longest + OTHERS):
            one = _object(line)
            name = name_of(one.get(columns.id)) if isinstance(one, dict) and columns.id is not None else None
            yield file, number, name, one if isinstance(one, Fault) else _text(one, columns.text, longest)


def _lines(stream: IO[bytes], limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Lines with their numbers; None: one too long to be held."""
    number = 0
    while line := stream.readline(limit):
        number += 1
        if number == 1:
            line = line.removeprefix(MARK)
        if len(line) == limit and not line.endswith(b"\n"):
            while (rest := stream.readline(limit)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        elif line.strip():
            yield number, line


def _object(line: bytes | None) -> dict[str, Any] | Fault:
    if line is None:
        return Fault(Reason.TOO_LARGE, "the line is longer than --max-size allows")
    try:
        one = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Fault(Reason.CORRUPT, f"no JSON: {str(error) or 'nested too deeply'}"[:200])
    if not isinstance(one, dict):
        return Fault(Reason.CORRUPT, f"{_kind(one)} where a JSON object should be")
    return one


def _text(row: dict[str, Any], column: str, longest: int) -> bytes | Fault:
    value = row.get(column)
    if not isinstance(value, str):
        missing = f"there is no column {column!r}" if column not in row else f"column {column!r} is {_kind(value)}"
        return Fault(Reason.EMPTY, missing)
    text = value.encode("utf-8", "replace")  # half a surrogate pair is no character
    return text if len(text) <= longest else too_large(len(text), longest)


def _kind(value: object) -> str:
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "a string", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")
