"""Matches in columns: what the views of families are made of, a million at once.

A row of a million takes SQLite 0.2 µs and Python five times that, to make an object of each number. So a run that has
stored its matches stores the columns that views ask for once more, each as one blob. Triggers of the table remove them
when a match is added, changed or removed: where there are none, as in stores of older versions, the rows are read.
"""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Told to read the table in its own order: left alone SQLite goes through match_b, and looks up every row by itself.
# Of a million that takes 3 s instead of 0.4 s.
IN_ORDER = "ORDER BY a, b"

TYPES = {
    "a": "<u4",
    "b": "<u4",
    "resemblance": "<f8",
    "a_in_b": "<f8",
    "b_in_a": "<f8",
    "payload": "<f8",
    "size_a": "<i8",
    "size_b": "<i8",
    "exact": "|b1",
}
LARGEST = 1_000_000_000 // 8  # matches: SQLite takes no larger blob


@dataclass(frozen=True)
class StoredMatches:
    """In the order of the table's key. a and b are content ids."""

    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    resemblance: NDArray[np.float64]
    a_in_b: NDArray[np.float64]  # NaN: the measure says nothing of containment
    b_in_a: NDArray[np.float64]
    payload: NDArray[np.float64]  # NaN: not evaluated
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> "StoredMatches":
        return StoredMatches(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


def stored_columns(connection: sqlite3.Connection, scheme: int) -> StoredMatches:
    blobs = dict(connection.execute("SELECT name, numbers FROM match_column WHERE scheme = ?", (scheme,)))
    if blobs.keys() >= TYPES.keys():
        return StoredMatches(**{name: np.frombuffer(blobs[name], kind) for name, kind in TYPES.items()})
    return columns_of_rows(connection, scheme)


def columns_of_rows(connection: sqlite3.Connection, scheme: int) -> StoredMatches:
    """From the table itself: 1.6 s a million."""
    rows = connection.execute(f"SELECT {', '.join(TYPES)} FROM match WHERE scheme = ? {IN_ORDER}", (scheme,))
    # A number that is NULL comes as None, which becomes NaN.
    found: NDArray[Any] = np.fromiter(rows, list(TYPES.items()))
    return StoredMatches(**{name: np.ascontiguousarray(found[name]) for name in TYPES})


def store_columns(connection: sqlite3.Connection, scheme: int, columns: Mapping[str, NDArray[Any]]) -> None:
    """In the order of the table's key, when all rows are as they shall be. Columns that no trigger took away are left
    alone. A row of contents that are gone may have stayed: then there are no columns until a run has replaced all."""
    if has_columns(connection, scheme) or len(columns["a"]) > LARGEST:
        return
    (rows,) = connection.execute("SELECT count(*) FROM match WHERE scheme = ?", (scheme,)).fetchone()
    if rows != len(columns["a"]):
        return
    connection.executemany(
        "INSERT INTO match_column (scheme, name, numbers) VALUES (?, ?, ?)",
        ((scheme, name, columns[name].astype(kind, copy=False).tobytes()) for name, kind in TYPES.items()),
    )


def has_columns(connection: sqlite3.Connection, scheme: int) -> bool:
    return connection.execute("SELECT 1 FROM match_column WHERE scheme = ?", (scheme,)).fetchone() is not None


def drop_columns(connection: sqlite3.Connection, scheme: int) -> None:
    connection.execute("DELETE FROM match_column WHERE scheme = ?", (scheme,))
