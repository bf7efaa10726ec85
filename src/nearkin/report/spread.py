"""Chains whose most distant members hardly resemble each other, with these named."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from nearkin.group.views import suspects
from nearkin.model import Role
from nearkin.report.distance import Measured, measure_pairs
from nearkin.scheme import parse_scheme
from nearkin.store import runs
from nearkin.store.matches import FamilyRow


def with_spread(
    connection: sqlite3.Connection, run: runs.Run, rows: Sequence[FamilyRow], limit: float
) -> list[FamilyRow]:
    cosine = parse_scheme(run.spec).measure == "cosine"
    members = [_members(row) for row in rows]
    pairs = [suspects(known, limit, cosine=cosine) for _, known in members]
    measured = measure_pairs(connection, run, sorted({pair for some in pairs for pair in some}))
    return [
        replace(row, most_distant=_most_distant(*known, some, measured, limit))
        for row, known, some in zip(rows, members, pairs, strict=True)
    ]


def _members(row: FamilyRow) -> tuple[int, list[tuple[int, float | None]]]:
    """The pivot, and how far the others are from it; parts are not expected to resemble it."""
    pivot = next(content for content, _, is_pivot, _ in row.contents if is_pivot)
    member = Role.MEMBER.value
    others = [(content, value) for content, role, _, value in row.contents if role == member and content != pivot]
    return pivot, others


def _most_distant(
    pivot: int,
    to_pivot: list[tuple[int, float | None]],
    pairs: list[tuple[int, int]],
    measured: Measured,
    limit: float,
) -> tuple[int, int, float, bool] | None:
    found = [(value, True, min(pivot, one), max(pivot, one)) for one, value in to_pivot if value is not None]
    found += [(*measured[pair], *pair) for pair in pairs if pair in measured]
    value, exact, a, b = min(found, default=(1.0, True, 0, 0))
    return (a, b, value, exact) if value < limit else None
