"""Matches in columns, put in order, against sorted rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.match_columns import COLUMNS, TURNED, MatchColumns, alike

NAMES = COLUMNS
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


def squeezed(found: MatchColumns) -> MatchColumns:
    """Columns of one value as that value."""
    given = {name: getattr(found, name) for name in NAMES}
    return MatchColumns(
        **{name: alike(one[0], len(one)) if len(set(one.tolist())) == 1 else one for name, one in given.items()}
    )


def as_rows(found: MatchColumns) -> list[dict[str, Any]]:
    for name in NAMES:
        assert getattr(found, name).dtype == ROWS.get(name, np.float64), name
    return [dict(zip(NAMES, row, strict=True)) for row in found.rows()]


@settings(max_examples=200)
@given(st.lists(st.lists(rows(), max_size=6), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_parts_are_joined_in_order_of_their_rows(parts: list[list[dict[str, Any]]], sort: bool, squeeze: bool) -> None:
    if sort:  # so that there is nothing to do
        parts = [sorted(map(turned, part), key=lambda row: (row["a"], row["b"])) for part in parts]
    wanted = sorted((turned(row) for part in parts for row in part), key=lambda row: (row["a"], row["b"]))
    given = map(columns, parts)
    assert as_rows(MatchColumns.join(*(map(squeezed, given) if squeeze else given))) == wanted


@settings(max_examples=200)
@given(st.lists(st.lists(rows(), max_size=6), min_size=1, max_size=3), st.booleans())
def test_the_strongest_first(parts: list[list[dict[str, Any]]], squeeze: bool) -> None:
    met = set()
    for part in parts:  # each pair once
        part[:] = [row for row in part if (pair := frozenset((row["a"], row["b"]))) not in met and not met.add(pair)]  # type: ignore[func-returns-value]
    wanted = sorted(
        (turned(row) for part in parts for row in part),
        key=lambda row: (-row["resemblance"], -max(row["a_in_b"], row["b_in_a"]), row["a"], row["b"]),
    )
    given = map(columns, parts)
    assert as_rows(MatchColumns.strongest_first(*(map(squeezed, given) if squeeze else given), threads=2)) == wanted


def test_columns_of_one_value_are_not_gathered() -> None:
    row = dict.fromkeys(NAMES, 0) | {"low": np.nan, "high": np.nan, "payload": np.nan, "exact": True}
    found = squeezed(columns([row | {"a": 3, "b": 1, "resemblance": 0.5}, row | {"a": 1, "b": 2, "resemblance": 0.7}]))
    whole = alike(np.nan, 2)
    for some in (MatchColumns.strongest_first(found, found), found[np.array([True, False])], found[np.array([1, 0])]):
        assert some.exact.strides == (0,)
        assert some.exact.all()
    parts = [MatchColumns(**{name: getattr(found, name) for name in NAMES} | {"low": whole}) for _ in range(2)]
    low = MatchColumns.strongest_first(*parts).low
    assert low.strides == (0,)
    assert np.isnan(low).tolist() == [True] * 4


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


@pytest.mark.parametrize("threads", [1, 3])
def test_many_links_in_order_whatever_the_threads(threads: int) -> None:
    chance = np.random.default_rng(5)
    a, b = chance.integers(0, 1 << 20, (2, 20_000), dtype=np.uint32)
    strength, more = chance.integers(70, 101, 20_000) / 100, chance.integers(0, 3, 20_000) / 2
    order = _native.strongest_first(a, b, strength, more, threads=threads)
    wanted = np.lexsort((np.maximum(a, b), np.minimum(a, b), -more, -strength))
    assert order.tolist() == wanted.tolist()
