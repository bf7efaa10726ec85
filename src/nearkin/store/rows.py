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
