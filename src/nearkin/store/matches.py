"""Matches and families: what a run found, written all at once when it ends, and read back.

Matches in columns: what the views of families are made of and what the next scan carries on, a million at once.

A row of a million takes SQLite 0.2 µs and Python five times that, to make an object of each number. So a run that has
stored its matches stores them once more, each column as one blob. Triggers of the table remove them when a match is
added, changed or removed: where there are none, or not all, as in stores of older versions, the rows are read.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.store.bulk import columns, insert_columns, insert_rows
from nearkin.store.schema import MATCH_TRIGGERS

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


MATCH_COLUMNS = ", ".join(TYPES)

MatchRow = tuple[
    int, int, float, float | None, float | None, float | None, int, int, int, int, float | None, float | None,
    float | None,
]  # fmt: skip


@dataclass(frozen=True)
class FamilyRow:
    founder: bytes
    view: str
    threshold: float
    containment: float
    kind: str
    links: int
    weakest: tuple[int, int, float] | None  # content ids
    mean_resemblance: float | None
    contents: list[tuple[int, str, bool, float | None]]  # content id, role, pivot, to_pivot
    estimated: frozenset[int] = frozenset()  # content ids whose to_pivot is an estimate; there are none in stored rows
    unlisted: int = 0  # pairs of members that were not compared
    evaluated: bool = True  # as of a ContentFamily; stored ones are
    most_distant: tuple[int, int, float, bool] | None = None  # content ids, resemblance, measured or not; never stored
    weakest_exact: bool = True  # False: its resemblance is an estimate
    mean_exact: bool = True  # False: some of what the mean is of are estimates


def replace_matches(connection: sqlite3.Connection, scheme: int, matches: Mapping[str, NDArray[Any]]) -> None:
    """Columns in the order of the table's key, (a, b) with the smaller id first, so that each row is appended."""
    drop_columns(connection, scheme)
    for trigger in MATCH_TRIGGERS:  # of a million rows they would take 3 s, to remove what is not there
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute("DELETE FROM match WHERE scheme = ?", (scheme,))
    connection.execute("DROP INDEX match_b")  # made anew below, in one go
    for start in range(0, len(matches["a"]), AT_ONCE):
        some = {name: matches[name][start : start + AT_ONCE] for name in TYPES}
        insert_columns(connection, "match", {"scheme": scheme, **some})
    connection.execute("CREATE INDEX match_b ON match (scheme, b)")
    for statement in MATCH_TRIGGERS.values():
        connection.execute(statement)


def update_matches(
    connection: sqlite3.Connection, scheme: int, rows: Iterable[MatchRow], dropped: Iterable[tuple[int, int]]
) -> None:
    """Where few changed: pairs that are no matches any more, and those that are new or were measured again."""
    connection.executemany(
        f"DELETE FROM match WHERE scheme = {scheme} AND a = ? AND b = ?", ((min(pair), max(pair)) for pair in dropped)
    )
    given = ((scheme, *row) for row in rows)
    insert_rows(connection, f"match (scheme, {MATCH_COLUMNS})", given, known="REPLACE")


def replace_families(
    connection: sqlite3.Connection,
    scheme: int,
    families: Mapping[str, Any],
    sizes: NDArray[np.int64],
    held: Mapping[str, Any],
) -> None:
    """Columns, as of `insert_columns`: of families, and of the contents they hold, so many each."""
    connection.execute("DELETE FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)", (scheme,))
    connection.execute("DELETE FROM family WHERE scheme = ?", (scheme,))
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM family").fetchone()
    ids = np.arange(int(last) + 1, int(last) + 1 + len(sizes))
    insert_columns(connection, "family", {"id": ids, "scheme": scheme, **families})
    insert_columns(connection, "family_content", {"family": np.repeat(ids, sizes), **held})


def match_rows(
    connection: sqlite3.Connection, scheme: int, *, min_resemblance: float = 0.0, min_containment: float = 0.0
) -> Iterator[MatchRow]:
    return connection.execute(
        f"""SELECT {MATCH_COLUMNS} FROM match
            WHERE scheme = ? AND (resemblance >= ? OR max(a_in_b, b_in_a) >= ?) {IN_ORDER}""",
        (scheme, min_resemblance, min_containment),
    )


def unlisted_contents(connection: sqlite3.Connection, scheme: int) -> NDArray[np.int64]:
    """Contents of families whose pairs were not all compared: hot features have linked them as stars."""
    rows = connection.execute(
        """SELECT content FROM family_content
           WHERE family IN (SELECT id FROM family WHERE scheme = ? AND unlisted > 0)""",
        (scheme,),
    )
    return np.array([content for (content,) in rows], np.int64)


def contents_of_kind(connection: sqlite3.Connection, scheme: int, kind: str) -> NDArray[np.int64]:
    """Members of the families of this kind."""
    (contents,) = columns(
        connection,
        ("content",),
        f"""FROM family_content WHERE role = 'member'
            AND family IN (SELECT id FROM family WHERE scheme = ? AND kind = '{kind}')""",
        scheme,
    )
    return contents


def family_members(connection: sqlite3.Connection, scheme: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contents, members and parts, and the id of the family each is in."""
    contents, families = columns(
        connection,
        ("content", "family"),
        "FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)",
        scheme,
    )
    return contents, families


def family_rows(connection: sqlite3.Connection, scheme: int, only: Sequence[int] | None = None) -> list[FamilyRow]:
    """All, or those with these ids."""
    if only is None:
        return _family_rows(connection, "", scheme)
    found: list[FamilyRow] = []
    for start in range(0, len(only), 500):
        part = only[start : start + 500]
        found += _family_rows(connection, f"AND id IN ({','.join('?' * len(part))})", scheme, *part)
    return found


def _family_rows(connection: sqlite3.Connection, condition: str, *given: int) -> list[FamilyRow]:
    contents: dict[int, list[tuple[int, str, bool, float | None]]] = {}
    for family, content, role, pivot, to_pivot in connection.execute(
        f"""SELECT family, content, role, pivot, to_pivot FROM family_content
            WHERE family IN (SELECT id FROM family WHERE scheme = ? {condition})""",
        given,
    ):
        contents.setdefault(family, []).append((content, role, bool(pivot), to_pivot))
    return [
        FamilyRow(
            founder,
            view,
            threshold,
            containment,
            kind,
            links,
            None if a is None else (a, b, weakest),
            mean,
            contents[number],
            weakest_exact=bool(weakest_exact),
            mean_exact=bool(mean_exact),
        )
        for (
            number, founder, view, threshold, containment, kind, links, a, b, weakest, weakest_exact, mean, mean_exact,
        ) in connection.execute(
            f"""SELECT id, founder, view, threshold, containment, kind, links, weakest_a, weakest_b, weakest,
                       weakest_exact, mean_resemblance, mean_exact FROM family WHERE scheme = ? {condition}""",
            given,
        )
    ]  # fmt: skip
