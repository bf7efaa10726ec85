"""Rows into a table, many a statement: one at a time takes half as long again, as each hands the GIL back and forth.

Where one of several rows may fail, SQLite keeps a copy of every page that the statement changes, to undo it alone:
a quarter of what writing 53,596 pages took. Whoever inserts here undoes his whole transaction, so nothing is kept.

Python's sqlite3 asks of every value that is no int, float, str or bytearray whether someone has registered a way to
adapt it: 0.8 µs for bytes and 0.5 µs for None, where a bytearray takes 0.2 µs. So bytes are given as bytearrays, and
columns that are empty in a whole block are written as NULL in the statement.
"""

import sqlite3
from collections.abc import Iterable, Sequence
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


def _bound(column: tuple[Any, ...]) -> Sequence[Any]:
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
