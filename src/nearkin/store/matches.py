"""The matches of a run, written all at once when it ends, and read back as rows or as columns.

Views of families are made of columns, and the next scan carries these on, a million at once. A row of a million takes
SQLite 0.2 µs and Python five times that, to make an object of each number. So a run that has stored its matches stores
them once more, each column as one blob. Triggers of the table remove the blobs when a match is added, changed or
removed. Where there are none, or not all, as in stores of older versions, the rows are read.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.model import MATCH
from nearkin.store.bulk import insert_columns, insert_rows
from nearkin.store.schema import MATCH_TRIGGERS

DTYPES = MATCH.dtypes  # of the stored columns by name, in the order of rows
COLUMNS = ", ".join(DTYPES)
# SQLite is asked to read the table in its own order: otherwise it goes through match_b and looks up every row by
# itself. Of a million that takes 3 s instead of 0.4 s.
IN_ORDER = "ORDER BY a, b"

AT_ONCE = 8192  # rows that are Python's objects at the same time: all of a million would be 650 MB
LARGEST = 1_000_000_000 // 8  # matches: SQLite takes no larger blob

MatchRow = tuple[Any, ...]  # the values of COLUMNS


@dataclass(frozen=True)
class StoredMatches:
    """The columns that views of families need, in the order of the table's key. a and b are content ids."""

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
    """Read the columns that views need."""
    return StoredMatches(**columns_named(connection, scheme, [field.name for field in fields(StoredMatches)]))


def columns_named(
    connection: sqlite3.Connection, scheme: int, names: Sequence[str] = tuple(DTYPES)
) -> dict[str, NDArray[Any]]:
    """Read columns in the order of the table's key; NULL becomes NaN."""
    blobs = dict(
        connection.execute(
            f"SELECT name, numbers FROM match_column WHERE scheme = ? AND name IN ({','.join('?' * len(names))})",
            (scheme, *names),
        )
    )
    if len(blobs) == len(names):
        return {name: np.frombuffer(blobs[name], DTYPES[name]) for name in names}
    return columns_of_rows(connection, scheme, names)


def columns_of_rows(
    connection: sqlite3.Connection, scheme: int, names: Sequence[str] = tuple(DTYPES)
) -> dict[str, NDArray[Any]]:
    """Read columns from the table itself: 1.6 s a million."""
    rows = connection.execute(f"SELECT {', '.join(names)} FROM match WHERE scheme = ? {IN_ORDER}", (scheme,))
    kinds = [(name, DTYPES[name]) for name in names]
    parts: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, kind)] for name, kind in kinds}
    # A number that is NULL comes as None, which becomes NaN.
    while len(some := np.fromiter(islice(rows, AT_ONCE), kinds)):
        for name in names:
            parts[name].append(some[name].copy())
    return {name: np.concatenate(parts.pop(name)) for name in names}


def store_columns(connection: sqlite3.Connection, scheme: int, columns: Mapping[str, NDArray[Any]]) -> None:
    """Store columns, in the order of the table's key, once all rows are stored.

    Columns that no trigger removed stay as they are. A row of contents that are gone may have stayed: then there are no
    columns until a run has replaced all.
    """
    if has_columns(connection, scheme) or len(columns["a"]) > LARGEST:
        return
    (rows,) = connection.execute("SELECT count(*) FROM match WHERE scheme = ?", (scheme,)).fetchone()
    if rows != len(columns["a"]):
        return
    connection.executemany(
        "INSERT OR REPLACE INTO match_column (scheme, name, numbers) VALUES (?, ?, ?)",
        ((scheme, name, columns[name].astype(kind, copy=False).tobytes()) for name, kind in DTYPES.items()),
    )


def has_columns(connection: sqlite3.Connection, scheme: int) -> bool:
    """Whether all columns are stored: older versions stored fewer."""
    names = {name for (name,) in connection.execute("SELECT name FROM match_column WHERE scheme = ?", (scheme,))}
    return names >= DTYPES.keys()


def drop_columns(connection: sqlite3.Connection, scheme: int) -> None:
    connection.execute("DELETE FROM match_column WHERE scheme = ?", (scheme,))


def replace_matches(connection: sqlite3.Connection, scheme: int, matches: Mapping[str, NDArray[Any]]) -> None:
    """Store columns in the order of the table's key, (a, b) with the smaller id first, so that each row is appended."""
    drop_columns(connection, scheme)
    for trigger in MATCH_TRIGGERS:  # of a million rows they would take 3 s, to remove what is not there
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute("DELETE FROM match WHERE scheme = ?", (scheme,))
    connection.execute("DROP INDEX match_b")  # made anew below, in one go
    for start in range(0, len(matches["a"]), AT_ONCE):
        some = {name: matches[name][start : start + AT_ONCE] for name in DTYPES}
        insert_columns(connection, "match", {"scheme": scheme, **some})
    connection.execute("CREATE INDEX match_b ON match (scheme, b)")
    for statement in MATCH_TRIGGERS.values():
        connection.execute(statement)


def update_matches(
    connection: sqlite3.Connection, scheme: int, rows: Iterable[MatchRow], dropped: Iterable[tuple[int, int]]
) -> None:
    """Store what changed, where that is little: rows that are new or measured anew, and pairs that match no more."""
    connection.executemany(
        f"DELETE FROM match WHERE scheme = {scheme} AND a = ? AND b = ?", ((min(pair), max(pair)) for pair in dropped)
    )
    given = ((scheme, *row) for row in rows)
    insert_rows(connection, f"match (scheme, {COLUMNS})", given, known="REPLACE")


def match_rows(
    connection: sqlite3.Connection, scheme: int, *, min_resemblance: float = 0.0, min_containment: float = 0.0
) -> Iterator[MatchRow]:
    return connection.execute(
        f"""SELECT {COLUMNS} FROM match
            WHERE scheme = ? AND (resemblance >= ? OR max(a_in_b, b_in_a) >= ?) {IN_ORDER}""",
        (scheme, min_resemblance, min_containment),
    )
