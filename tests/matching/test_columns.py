"""Matches in columns, put in order, against sorted rows."""

from dataclasses import fields
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.columns import TURNED, MatchColumns

NAMES = [field.name for field in fields(MatchColumns)]
ROWS = {
    "a": np.uint32,
    "b": np.uint32,
    "exact": np.bool_,
    "shared_bytes": np.int64,
    "size_a": np.int64,
    "size_b": np.int64,
}
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.5 + 2**-40, 0.7, 1 - 2**-50, 1.0])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    return {
        name: draw(
            st.integers(0, 5)
            if name in ("a", "b")
            else st.booleans()
            if name == "exact"
            else st.integers(0, 1 << 40)
            if name in ROWS
            else SHARES
        )
        for name in NAMES
    }


def turned(row: dict[str, Any]) -> dict[str, Any]:
    """With the smaller row first."""
    if row["a"] <= row["b"]:
        return row
    other = {"a": "b", "b": "a", **TURNED}
    return {name: row[other.get(name, name)] for name in NAMES}


def columns(some: list[dict[str, Any]]) -> MatchColumns:
    return MatchColumns(**{name: np.array([row[name] for row in some], ROWS.get(name, np.float64)) for name in NAMES})


def as_rows(found: MatchColumns) -> list[dict[str, Any]]:
    for name in NAMES:
        assert getattr(found, name).dtype == ROWS.get(name, np.float64), name
    return [dict(zip(NAMES, row, strict=True)) for row in found.rows()]


@settings(max_examples=200)
@given(st.lists(st.lists(rows(), max_size=6), min_size=1, max_size=3), st.booleans())
def test_parts_are_joined_in_order_of_their_rows(parts: list[list[dict[str, Any]]], sort: bool) -> None:
    if sort:  # so that there is nothing to do
        parts = [sorted(map(turned, part), key=lambda row: (row["a"], row["b"])) for part in parts]
    wanted = sorted((turned(row) for part in parts for row in part), key=lambda row: (row["a"], row["b"]))
    assert as_rows(MatchColumns.join(*map(columns, parts))) == wanted


@settings(max_examples=200)
@given(st.lists(st.lists(rows(), max_size=6), min_size=1, max_size=3))
def test_the_strongest_first(parts: list[list[dict[str, Any]]]) -> None:
    met = set()
    for part in parts:  # each pair once
        part[:] = [row for row in part if (pair := frozenset((row["a"], row["b"]))) not in met and not met.add(pair)]  # type: ignore[func-returns-value]
    wanted = sorted(
        (turned(row) for part in parts for row in part),
        key=lambda row: (-row["resemblance"], -max(row["a_in_b"], row["b_in_a"]), row["a"], row["b"]),
    )
    assert as_rows(MatchColumns.strongest_first(*map(columns, parts))) == wanted


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0, 3), SHARES), max_size=40))
def test_links_by_strength_then_by_more_then_by_nodes(links: list[tuple[int, int, float, float]]) -> None:
    a, b, strength, more = ([link[side] for link in links] for side in range(4))
    order = _native.strongest_first(
        np.array(a, np.uint32), np.array(b, np.uint32), np.array(strength, np.float64), np.array(more, np.float64)
    )
    assert sorted(order.tolist()) == list(range(len(links)))

    def key(link: tuple[int, int, float, float]) -> tuple[float, float, int, int]:
        return (-link[2], -link[3], min(link[:2]), max(link[:2]))

    assert [key(links[at]) for at in order.tolist()] == sorted(map(key, links))
