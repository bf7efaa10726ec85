"""Matches in columns: what the views of families are made of and what the next scan carries on, a million at once.

A row of a million takes SQLite 0.2 µs and Python five times that, to make an object of each number. So a run that has
stored its matches stores them once more, each column as one blob. Triggers of the table remove them when a match is
added, changed or removed: where there are none, or not all, as in stores of older versions, the rows are read.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
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
    "shared_bytes": "<i8",
    "size_a": "<i8",
    "size_b": "<i8",
    "exact": "|b1",
    "low": "<f8",
    "high": "<f8",
    "payload_sample": "<f8",
}
AT_ONCE = 8192  # rows that are Python's objects at the same time: all of a million would be 650 MB
LARGEST = 1_000_000_000 // 8  # matches: SQLite takes no larger blob


@dataclass(frozen=True)
class StoredMatches:
    """In the order of the table's key. a and b are content ids."""

    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    resemblance: NDArray[np.float64]
    a_in_b: NDArray[np.float64]  # NaN: the measure says nothing of containment
    b_in_a: NDArray[np.float64]
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> "StoredMatches":
        return StoredMatches(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


def stored_columns(connection: sqlite3.Connection, scheme: int) -> StoredMatches:
    """Those that views ask for."""
    return StoredMatches(**columns_named(connection, scheme, [field.name for field in fields(StoredMatches)]))


def columns_named(
    connection: sqlite3.Connection, scheme: int, names: Sequence[str] = tuple(TYPES)
) -> dict[str, NDArray[Any]]:
    """In the order of the table's key; what is NULL there is NaN."""
    blobs = dict(
        connection.execute(
            f"SELECT name, numbers FROM match_column WHERE scheme = ? AND name IN ({','.join('?' * len(names))})",
            (scheme, *names),
        )
    )
    if len(blobs) == len(names):
        return {name: np.frombuffer(blobs[name], TYPES[name]) for name in names}
    return columns_of_rows(connection, scheme, names)


def columns_of_rows(
    connection: sqlite3.Connection, scheme: int, names: Sequence[str] = tuple(TYPES)
) -> dict[str, NDArray[Any]]:
    """From the table itself: 1.6 s a million."""
    rows = connection.execute(f"SELECT {', '.join(names)} FROM match WHERE scheme = ? {IN_ORDER}", (scheme,))
    kinds = [(name, TYPES[name]) for name in names]
    parts: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, kind)] for name, kind in kinds}
    # A number that is NULL comes as None, which becomes NaN.
    while len(some := np.fromiter(islice(rows, AT_ONCE), kinds)):
        for name in names:
            parts[name].append(some[name].copy())
    return {name: np.concatenate(parts.pop(name)) for name in names}


def store_columns(connection: sqlite3.Connection, scheme: int, columns: Mapping[str, NDArray[Any]]) -> None:
    """In the order of the table's key, when all rows are as they shall be. Columns that no trigger took away are left
    alone. A row of contents that are gone may have stayed: then there are no columns until a run has replaced all."""
    if has_columns(connection, scheme) or len(columns["a"]) > LARGEST:
        return
    (rows,) = connection.execute("SELECT count(*) FROM match WHERE scheme = ?", (scheme,)).fetchone()
    if rows != len(columns["a"]):
        return
    connection.executemany(
        "INSERT OR REPLACE INTO match_column (scheme, name, numbers) VALUES (?, ?, ?)",
        ((scheme, name, columns[name].astype(kind, copy=False).tobytes()) for name, kind in TYPES.items()),
    )


def has_columns(connection: sqlite3.Connection, scheme: int) -> bool:
    """All of them: older versions stored fewer."""
    found = {name for (name,) in connection.execute("SELECT name FROM match_column WHERE scheme = ?", (scheme,))}
    return found >= TYPES.keys()


def drop_columns(connection: sqlite3.Connection, scheme: int) -> None:
    connection.execute("DELETE FROM match_column WHERE scheme = ?", (scheme,))
