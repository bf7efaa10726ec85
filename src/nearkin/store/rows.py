"""Rows into a table, many a statement: one at a time takes half as long again, as each hands the GIL back and forth."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

ROWS = 64


def insert_rows(connection: sqlite3.Connection, into: str, rows: Iterable[Sequence[Any]], then: str = "") -> None:
    """`INSERT INTO table (columns)`, and what follows the values."""
    rest = iter(rows)
    while block := list(islice(rest, ROWS)):
        one = f"({','.join('?' * len(block[0]))})"
        connection.execute(f"{into} VALUES {','.join([one] * len(block))} {then}", list(chain.from_iterable(block)))


def last_id(connection: sqlite3.Connection, table: str) -> int:
    """The largest that was ever given, though its row may have been forgotten: others may remember it."""
    (largest,) = connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    forgotten = connection.execute("SELECT last FROM counter WHERE name = ?", (table,)).fetchone()
    return max(int(largest), forgotten[0] if forgotten else 0)


def remember_ids(connection: sqlite3.Connection) -> None:
    """Before rows are forgotten."""
    for table in ("content", "text"):
        connection.execute("INSERT OR REPLACE INTO counter VALUES (?, ?)", (table, last_id(connection, table)))
