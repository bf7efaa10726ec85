"""Codes: signatures that are a few numbers, in a column of their own that SQLite has sorted.

`si` has one number a content, asked for by range (Roth 2011 §6.2's query at check-in), `fuzzy` a few, asked for by
value.
"""

import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from nearkin.model import Blob

WITHIN = "SELECT content FROM code WHERE scheme = ? AND number BETWEEN ? AND ? ORDER BY number, content"


def add_codes(connection: sqlite3.Connection, scheme: int, rows: Iterable[tuple[int, Blob]]) -> None:
    """(content, features as they are stored)."""
    connection.executemany(
        f"INSERT OR IGNORE INTO code (scheme, number, content) VALUES ({scheme}, ?, ?)",
        ((number, content) for content, features in rows for number in np.frombuffer(features, "<i8").tolist()),
    )


def contents_within(connection: sqlite3.Connection, scheme: int, low: int, high: int) -> list[int]:
    """Those with a number from low to high, in its order."""
    rows = connection.execute(WITHIN, (scheme, low, high))
    return [content for (content,) in rows]


def contents_with(connection: sqlite3.Connection, scheme: int, numbers: Sequence[int]) -> list[int]:
    """Those with one of these numbers at least."""
    found: set[int] = set()
    for number in numbers:
        rows = connection.execute("SELECT content FROM code WHERE scheme = ? AND number = ?", (scheme, number))
        found.update(content for (content,) in rows)
    return sorted(found)
