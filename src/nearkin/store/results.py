"""Matches and families: what a run found, written all at once when it ends, and read back."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MATCH_COLUMNS = "a, b, resemblance, a_in_b, b_in_a, payload, shared_bytes, size_a, size_b, exact, low, high"

MatchRow = tuple[
    int, int, float, float, float, float | None, int, int, int, int, float | None, float | None
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


def replace_matches(connection: sqlite3.Connection, scheme: int, rows: Iterable[MatchRow]) -> None:
    connection.execute("DELETE FROM match WHERE scheme = ?", (scheme,))
    connection.executemany(
        f"INSERT INTO match (scheme, {MATCH_COLUMNS}) VALUES ({scheme}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
    )


def replace_families(connection: sqlite3.Connection, scheme: int, run: int, families: Iterable[FamilyRow]) -> None:
    connection.execute("DELETE FROM family WHERE scheme = ?", (scheme,))
    for family in families:
        a, b, weakest = family.weakest or (None, None, None)
        cursor = connection.execute(
            """INSERT INTO family (founder, scheme, view, threshold, containment, kind, links, weakest_a, weakest_b,
                                   weakest, mean_resemblance, run)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                family.founder,
                scheme,
                family.view,
                family.threshold,
                family.containment,
                family.kind,
                family.links,
                a,
                b,
                weakest,
                family.mean_resemblance,
                run,
            ),
        )
        connection.executemany(
            f"INSERT INTO family_content (family, content, role, pivot, to_pivot) VALUES ({cursor.lastrowid}, ?, ?, ?, ?)",
            family.contents,
        )


def match_rows(
    connection: sqlite3.Connection, scheme: int, *, min_resemblance: float, min_containment: float
) -> Iterator[MatchRow]:
    return connection.execute(
        f"""SELECT {MATCH_COLUMNS} FROM match
            WHERE scheme = ? AND (resemblance >= ? OR max(a_in_b, b_in_a) >= ?)""",
        (scheme, min_resemblance, min_containment),
    )


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


def rows_of(columns: list[NDArray[np.generic]], ids: NDArray[np.int64]) -> Iterator[MatchRow]:
    """Columns in the order of MATCH_COLUMNS with row numbers in a and b, as rows with content ids, the smaller first."""
    lists = [column.tolist() for column in columns]
    for a, b, r, a_in_b, b_in_a, payload, shared, size_a, size_b, exact, low, high in zip(*lists, strict=True):
        first, second = int(ids[a]), int(ids[b])
        if first > second:
            first, second, a_in_b, b_in_a, size_a, size_b = second, first, b_in_a, a_in_b, size_b, size_a
        yield (
            first,
            second,
            r,
            a_in_b,
            b_in_a,
            None if payload != payload else payload,
            shared,
            size_a,
            size_b,
            int(exact),
            None if low != low else low,
            None if high != high else high,
        )
