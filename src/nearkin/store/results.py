"""Matches and families: what a run found, written all at once when it ends, and read back."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.store.rows import insert_rows

MATCH_COLUMNS = "a, b, resemblance, a_in_b, b_in_a, payload, shared_bytes, size_a, size_b, exact, low, high"

# Told to read the table in its own order: left alone SQLite goes through match_b, and looks up every row by itself.
# Of a million that takes 3 s instead of 0.4 s.
IN_ORDER = "ORDER BY a, b"

MatchRow = tuple[
    int, int, float, float | None, float | None, float | None, int, int, int, int, float | None, float | None
]


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
    since: int | None = None  # the run that founded it
    unlisted: int = 0  # pairs of members that were not compared
    evaluated: bool = True  # as of a ContentFamily; stored ones are
    most_distant: tuple[int, int, float, bool] | None = None  # content ids, resemblance, measured or not; never stored


def replace_matches(connection: sqlite3.Connection, scheme: int, rows: Iterable[MatchRow]) -> None:
    """Rows in the order of the table's key, (a, b) with the smaller id first, so that each is appended."""
    connection.execute("DELETE FROM match WHERE scheme = ?", (scheme,))
    connection.execute("DROP INDEX match_b")  # made anew below, in one go
    insert_rows(connection, f"INSERT INTO match (scheme, {MATCH_COLUMNS})", ((scheme, *row) for row in rows))
    connection.execute("CREATE INDEX match_b ON match (scheme, b)")


def update_matches(
    connection: sqlite3.Connection, scheme: int, rows: Iterable[MatchRow], dropped: Iterable[tuple[int, int]]
) -> None:
    """Where few changed: pairs that are no matches any more, and those that are new or were measured again."""
    connection.executemany(
        f"DELETE FROM match WHERE scheme = {scheme} AND a = ? AND b = ?", ((min(pair), max(pair)) for pair in dropped)
    )
    insert_rows(connection, f"INSERT OR REPLACE INTO match (scheme, {MATCH_COLUMNS})", ((scheme, *row) for row in rows))


def replace_families(connection: sqlite3.Connection, scheme: int, run: int, families: Iterable[FamilyRow]) -> None:
    connection.execute("DELETE FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)", (scheme,))
    connection.execute("DELETE FROM family WHERE scheme = ?", (scheme,))
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM family").fetchone()
    numbered = list(enumerate(families, int(last) + 1))
    insert_rows(
        connection,
        """INSERT INTO family (id, founder, scheme, view, threshold, containment, kind, links, weakest_a, weakest_b,
                               weakest, mean_resemblance, run, since, unlisted)""",
        (
            (
                number,
                family.founder,
                scheme,
                family.view,
                family.threshold,
                family.containment,
                family.kind,
                family.links,
                *(family.weakest or (None, None, None)),
                family.mean_resemblance,
                run,
                family.since,
                family.unlisted,
            )
            for number, family in numbered
        ),
    )
    insert_rows(
        connection,
        "INSERT INTO family_content (family, content, role, pivot, to_pivot)",
        ((number, *content) for number, family in numbered for content in family.contents),
    )


def match_rows(
    connection: sqlite3.Connection, scheme: int, *, min_resemblance: float = 0.0, min_containment: float = 0.0
) -> Iterator[MatchRow]:
    return connection.execute(
        f"""SELECT {MATCH_COLUMNS} FROM match
            WHERE scheme = ? AND (resemblance >= ? OR max(a_in_b, b_in_a) >= ?) {IN_ORDER}""",
        (scheme, min_resemblance, min_containment),
    )


@dataclass(frozen=True)
class StoredLinks:
    """Matches as links, and nothing of them that families do not ask for. a and b are content ids."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    resemblance: NDArray[np.float64]
    payload: NDArray[np.float64]  # NaN: not evaluated
    exact: NDArray[np.bool_]


def match_links(
    connection: sqlite3.Connection, scheme: int, *, min_resemblance: float, min_containment: float
) -> StoredLinks:
    """Both ids and `exact` come as one number: of the time that a million matches take most is spent on making Python
    objects, and three of these a match take 0.8 s where the twelve columns take 2.0 s."""
    rows = connection.execute(
        f"""SELECT iif(exact, 1, -1) * (a << 32 | b), resemblance, ifnull(payload, -1) FROM match
            WHERE scheme = ? AND (resemblance >= ? OR a_in_b >= ? OR b_in_a >= ?) {IN_ORDER}""",
        (scheme, min_resemblance, min_containment, min_containment),
    )
    found = np.fromiter(rows, np.dtype("i8,f8,f8"))
    pairs = np.abs(found["f0"])
    return StoredLinks(
        a=pairs >> 32,
        b=pairs & 0xFFFFFFFF,
        resemblance=np.ascontiguousarray(found["f1"]),
        payload=np.where(found["f2"] < 0, np.nan, found["f2"]),
        exact=found["f0"] > 0,
    )


def match_containments(
    connection: sqlite3.Connection, scheme: int, *, below: float, min_containment: float
) -> NDArray[Any]:
    """Matches that contain but do not resemble, as records of a and b (content ids), both shares and both sizes."""
    rows = connection.execute(
        f"""SELECT a, b, ifnull(a_in_b, 0), ifnull(b_in_a, 0), size_a, size_b FROM match
            WHERE scheme = ? AND resemblance < ? AND (a_in_b >= ? OR b_in_a >= ?) {IN_ORDER}""",
        (scheme, below, min_containment, min_containment),
    )
    names = ("a", "b", "a_in_b", "b_in_a", "size_a", "size_b")
    return np.fromiter(rows, list(zip(names, ("i8", "i8", "f8", "f8", "i8", "i8"), strict=True)))


def unlisted_contents(connection: sqlite3.Connection, scheme: int) -> NDArray[np.int64]:
    """Contents of families whose pairs were not all compared: hot features have linked them as stars."""
    rows = connection.execute(
        """SELECT content FROM family_content
           WHERE family IN (SELECT id FROM family WHERE scheme = ? AND unlisted > 0)""",
        (scheme,),
    )
    return np.array([content for (content,) in rows], np.int64)


def family_rows(connection: sqlite3.Connection, scheme: int) -> list[FamilyRow]:
    contents: dict[int, list[tuple[int, str, bool, float | None]]] = {}
    for family, content, role, pivot, to_pivot in connection.execute(
        """SELECT family, content, role, pivot, to_pivot FROM family_content
           WHERE family IN (SELECT id FROM family WHERE scheme = ?)""",
        (scheme,),
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
        )
        for number, founder, view, threshold, containment, kind, links, a, b, weakest, mean in connection.execute(
            """SELECT id, founder, view, threshold, containment, kind, links, weakest_a, weakest_b, weakest,
                      mean_resemblance FROM family WHERE scheme = ?""",
            (scheme,),
        )
    ]
