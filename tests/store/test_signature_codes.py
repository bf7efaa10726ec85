"""Codes: kept by value and looked up by range."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.api.store import Store
from nearkin.errors import UsageError
from nearkin.store.database import connect
from nearkin.store.schema import CODE
from nearkin.store.signatures import WITHIN, add_codes, contents_with, contents_within
from oracle.prose import prose

pytestmark = pytest.mark.usefixtures("either_insert")

I64 = st.integers(-(2**63), 2**63 - 1)
SI = "si:method=3,stream=soundex,variation=B,k=8"


@given(st.lists(I64, max_size=20), I64, I64)
def test_contents_are_found_by_range_and_by_value(numbers: list[int], low: int, high: int) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(CODE)
        features = [(at, np.array([number], "<i8").tobytes()) for at, number in enumerate(numbers)]
        add_codes(connection, 1, features)
        add_codes(connection, 2, features)
        found = contents_within(connection, 1, low, high)
        assert sorted(found) == [at for at, number in enumerate(numbers) if low <= number <= high]
        assert [numbers[at] for at in found] == sorted(numbers[at] for at in found)
        assert contents_with(connection, 1, [low, high]) == [
            at for at, number in enumerate(numbers) if number in (low, high)
        ]


def test_the_range_is_one_search_of_an_index(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "store", create=True)) as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {WITHIN}", (1, -5, 5)).fetchall()
    assert len(plan) == 1  # no sort, no second table
    assert "SEARCH code USING PRIMARY KEY (scheme=? AND number>? AND number<?)" in plan[0][3]


def folder_of(path: Path) -> Path:
    path.mkdir()
    for seed in range(8):
        (path / f"{seed}.txt").write_bytes(prose(seed, 4000))
    (path / "again.txt").write_bytes(prose(1, 4000) + b" and more")
    return path


def codes(store: Path) -> list[tuple[int, int]]:
    with closing(connect(store)) as connection:
        return connection.execute("SELECT number, content FROM code ORDER BY content").fetchall()


def stored_features(store: Path, spec: str) -> list[tuple[int, int]]:
    with closing(connect(store)) as connection:
        rows = connection.execute(
            "SELECT content, features FROM signature JOIN scheme ON scheme.id = scheme WHERE spec = ? ORDER BY content",
            (spec,),
        )
        return [(number, content) for content, blob in rows for number in np.frombuffer(blob, "<i8").tolist()]


def test_a_scan_by_si_fills_the_column_and_no_other_scan_does(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "docs")
    store = Store(tmp_path / "store")
    store.scan(folder)
    assert codes(store.path) == []
    store.scan(folder, scheme=SI)  # texts that are there already
    assert len(codes(store.path)) > 4
    assert codes(store.path) == stored_features(store.path, SI)
    fresh = Store(tmp_path / "fresh")
    fresh.scan(folder, scheme=SI)
    assert sorted(number for number, _ in codes(fresh.path)) == sorted(number for number, _ in codes(store.path))
    # What another scan brought is signed from its kept text.
    (folder / "new.txt").write_bytes(prose(99, 4000))
    store.scan(folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.txt").write_bytes(prose(98, 4000))
    store.scan(other, scheme=SI)
    assert codes(store.path) == stored_features(store.path, SI)
    assert len(codes(store.path)) >= len(codes(fresh.path))


def test_si_needs_the_texts(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="measures the texts themselves"):
        Store(tmp_path / "store").scan(folder_of(tmp_path / "docs"), scheme=SI, keep_text=False)
    assert not (tmp_path / "store").exists()
