"""Chains whose most distant members hardly resemble each other, with these named."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nearkin.group.greedy import AGREEMENT, Signed
from nearkin.group.pivot import measured_pairs
from nearkin.group.spread import suspects
from nearkin.matching.template import left_out, payload
from nearkin.matching.texts import StoredTexts
from nearkin.matching.verify import room_for_texts
from nearkin.model import Role
from nearkin.scheme import parse_scheme
from nearkin.settings import RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, contents_of
from nearkin.store.results import FamilyRow
from nearkin.store.signatures import signatures_of
from nearkin.text.canon import Canon

Measured = dict[tuple[int, int], tuple[float, bool]]  # of two contents: resemblance, and whether it was measured


def with_spread(
    connection: sqlite3.Connection, run: runs.Run, rows: Sequence[FamilyRow], limit: float
) -> list[FamilyRow]:
    cosine = parse_scheme(run.spec).measure == "cosine"
    members = [_members(row) for row in rows]
    pairs = [suspects(known, limit, cosine=cosine) for _, known in members]
    measured = _measure(connection, run, sorted({pair for some in pairs for pair in some}))
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


def _measure(connection: sqlite3.Connection, run: runs.Run, pairs: list[tuple[int, int]]) -> Measured:
    """On the texts where both were kept, otherwise as the signatures say."""
    if not pairs:
        return {}
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    local = RunSettings()
    contents = contents_of(connection, sorted({content for pair in pairs for content in pair}))
    texts = StoredTexts(connection, contents, canon, local.jobs)
    without = left_out(connection, run.scheme, scheme, canon)
    sides = contents.rows(np.array(pairs, np.int64)).astype(np.uint32)
    a, b = np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1])
    measured: Measured = {}
    if scheme.measure != "bytes":
        found = measured_pairs(
            a,
            b,
            contents.lengths,
            texts,
            shingler=scheme.shingler,
            memory=room_for_texts(local.memory, scheme.shingler),
            threads=local.jobs,
            ignored=without.shingles,
        )
        for first, second, score in zip(*(column.tolist() for column in found), strict=True):
            measured[_pair(contents, first, second)] = (score, True)
    signed = signatures_of(connection, run.scheme, contents.ids)
    if len(measured) < len(pairs) and signed is not None and scheme.estimator in AGREEMENT:
        signature = Signed(payload(signed, scheme, texts, without), scheme)
        for first, second in zip(a.tolist(), b.tolist(), strict=True):
            estimate = signature(first).resemblance(signature(second))
            if estimate is not None:
                measured.setdefault(_pair(contents, first, second), (estimate.value, estimate.exact))
    return measured


def _pair(contents: Contents, first: int, second: int) -> tuple[int, int]:
    one, other = contents.numbers[first], contents.numbers[second]
    return min(one, other), max(one, other)
