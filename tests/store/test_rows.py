"""Rows come out of a table as they went in, whatever a block of them has in common."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.store.rows import ROWS, insert_columns, insert_rows

VALUE = st.none() | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=4) | st.text("ab", max_size=2)


@given(st.lists(st.tuples(VALUE, VALUE, st.none()), max_size=9))
def test_rows_are_stored_as_they_are(rows: list[tuple[object, ...]]) -> None:
    assert _stored(rows) == rows


@pytest.mark.parametrize("first", [b"", b"x", None, 0, 0.5, ""])
def test_one_value_alone_in_its_column_is_not_lost(first: object) -> None:
    for place in (0, ROWS - 1, ROWS, 2 * ROWS):
        rows: list[tuple[object, ...]] = [(i, None, None) for i in range(2 * ROWS + 1)]
        rows[place] = (place, first, None)
        assert _stored(rows) == rows


@given(st.lists(st.tuples(VALUE, VALUE | st.floats(allow_nan=True), st.none()), max_size=9), VALUE)
@pytest.mark.parametrize("times", [1, ROWS])
def test_columns_are_stored_as_rows_are(times: int, rows: list[tuple[object, ...]], alike: object) -> None:
    rows = rows * times
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE kept (a, b, c, d)")
        columns = dict(zip("abc", ([row[at] for row in rows] for at in range(3)), strict=True))
        insert_columns(connection, "kept", {"d": alike, **columns})
        found = connection.execute("SELECT a, b, c, d FROM kept ORDER BY rowid").fetchall()
    finally:
        connection.close()
    if all(value is None for row in rows for value in row):
        assert not found  # no column says how many there are
    else:
        assert found == [(*(None if value != value else value for value in row), alike) for row in rows]


def _stored(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("CREATE TABLE kept (a, b, c)")
        insert_rows(connection, "kept (a, b, c)", rows)
        return connection.execute("SELECT a, b, c FROM kept ORDER BY rowid").fetchall()
    finally:
        connection.close()
