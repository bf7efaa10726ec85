"""Rows into a table, many a statement: one at a time takes half as long again, as each hands the GIL back and forth.

Where one of several rows may fail, SQLite keeps a copy of every page that the statement changes, to undo it alone:
a quarter of what writing 53,596 pages took. Whoever inserts here undoes his whole transaction, so nothing is kept.

Python's sqlite3 asks of every value that is no int, float, str or bytearray whether someone has registered a way to
adapt it: 0.8 µs for bytes and 0.5 µs for None, where a bytearray takes 0.2 µs. So bytes are given as bytearrays, and
columns that are empty in a whole block are written as NULL in the statement.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

ROWS = 64


def insert_rows(
    connection: sqlite3.Connection, into: str, rows: Iterable[Sequence[Any]], *, known: str = "FAIL"
) -> None:
    """`into` is `table (columns)`; `known` what is done with a row whose key is there already: IGNORE, REPLACE. In a
    transaction that the caller undoes where this fails."""
    rest = iter(rows)
    while block := list(islice(rest, ROWS)):
        columns = [_bound(column) for column in zip(*block, strict=True)]
        one = f"({','.join('?' if column else 'NULL' for column in columns)})"
        filled = [column for column in columns if column]
        given: list[Any] = [None] * (len(block) * len(filled))
        for at, column in enumerate(filled):
            given[at :: len(filled)] = column
        connection.execute(f"INSERT OR {known} INTO {into} VALUES {','.join([one] * len(block))}", given)


def insert_columns(connection: sqlite3.Connection, table: str, columns: Mapping[str, Any]) -> None:
    """The same of whole columns, each a list; whatever is no list is the same in every row. A NaN is stored as NULL. At
    least one of the lists, as a key is, has a value."""
    alike: dict[str, Any] = {}
    lists: dict[str, Sequence[Any]] = {}
    for name, value in columns.items():
        if not isinstance(value, list):
            alike[name] = value
        elif value and (column := _bound(value)):
            lists[name] = column
        else:
            alike[name] = None
    width = len(lists)
    given: list[Any] = [None] * sum(map(len, lists.values()))
    for at, column in enumerate(lists.values()):
        given[at::width] = column
    into = f"INSERT OR FAIL INTO {table} ({', '.join((*alike, *lists))})"
    for start in range(0, len(given), ROWS * max(width, 1)):
        some = given[start : start + ROWS * width]
        marks = _marks(len(alike), width, len(some) // width)
        connection.execute(f"{into} VALUES {marks}", [*alike.values(), *some])


@lru_cache
def _marks(alike: int, width: int, rows: int) -> str:
    """Marks for so many rows, each of the first values and of some that are its own."""
    first = [f"?{number}" for number in range(1, alike + 1)]
    own = (range(start, start + width) for start in range(alike + 1, alike + 1 + rows * width, width))
    return ",".join(f"({','.join([*first, *(f'?{number}' for number in one)])})" for one in own)


def _bound(column: Sequence[Any]) -> Sequence[Any]:
    """As SQLite is given it fastest; empty where there is nothing in it."""
    if type(column[0]) is bytes:
        return [bytearray(value) if type(value) is bytes else value for value in column]
    if column[0] is None and not any(value is not None for value in column):
        return ()
    return column


def last_id(connection: sqlite3.Connection, table: str) -> int:
    """The largest that was ever given, though its row may have been forgotten: others may remember it."""
    (largest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    forgotten = connection.execute("SELECT last FROM counter WHERE name = ?", (table,)).fetchone()
    return max(int(largest), forgotten[0] if forgotten else 0)


def remember_ids(connection: sqlite3.Connection) -> None:
    """Before rows are forgotten."""
    for table in ("content", "text"):
        connection.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (table, last_id(connection, table)))
