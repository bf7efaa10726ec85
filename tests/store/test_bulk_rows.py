"""Rows come out of a table as they went in, whatever a block of them has in common."""

import sqlite3
from collections.abc import Callable
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.store.bulk import BOUND_ROWS, BULK_ROWS, has_bulk_insert, insert_columns, insert_rows, open_connection

VALUE = st.none() | st.integers(-(2**63), 2**63 - 1) | st.binary(max_size=4) | st.text("abü", max_size=2)
WAYS = pytest.mark.parametrize("connect", [open_connection, sqlite3.connect], ids=["fed", "bound"])
Connect = Callable[[str], sqlite3.Connection]


def test_connections_are_fed_here() -> None:
    with closing(open_connection(":memory:")) as connection:
        assert has_bulk_insert(connection)


@pytest.mark.parametrize("library", ["libm.so.6", "no such library", None])
def test_a_library_that_lends_nothing(library: str | None) -> None:
    """None is the program itself, whose SQLite is in a library of its own here. Nobody else's is disturbed."""
    other = _native.FedSqlite(library)
    assert not other.lends
    other.offer()
    other.withdraw()
    with closing(open_connection(":memory:")) as connection:
        assert has_bulk_insert(connection)


def test_nobody_else_finds_the_table() -> None:
    with (
        closing(open_connection(":memory:")),
        closing(sqlite3.connect(":memory:")) as other,
        pytest.raises(sqlite3.OperationalError),
    ):
        other.execute("SELECT * FROM nearkin_rows(0)")


def test_a_feed_is_there_as_long_as_it_lives() -> None:
    with closing(open_connection(":memory:")) as connection:
        feed = _native.Feed([[1, 2], ["a", None]])
        number = feed.number
        asked = f"SELECT c0, c1, c2 FROM nearkin_rows({number})"
        assert connection.execute(asked).fetchall() == [(1, "a", None), (2, None, None)]
        del feed
        assert connection.execute(asked).fetchall() == []
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("SELECT * FROM nearkin_rows")


@pytest.mark.parametrize("value", [2**63, "\ud800", object(), 1j])
@WAYS
def test_what_cannot_be_stored_is_refused(connect: Connect, value: object) -> None:
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a)")
        with pytest.raises((OverflowError, UnicodeEncodeError, TypeError, sqlite3.Error)):
            insert_rows(connection, "kept (a)", [(value,)])
        assert connection.execute("SELECT * FROM kept").fetchall() == []


def test_columns_are_of_one_length() -> None:
    with pytest.raises(ValueError, match="length"):
        _native.Feed([[1], [1, 2]])
    with pytest.raises(TypeError):
        _native.Feed(["no column"])
    with pytest.raises(ValueError, match="columns"):
        _native.Feed([[1]] * (_native.FEED_COLUMNS + 1))


@WAYS
@given(st.lists(st.tuples(VALUE, VALUE, st.none()), max_size=9))
def test_rows_are_stored_as_they_are(connect: Connect, rows: list[tuple[object, ...]]) -> None:
    assert _stored(connect, rows) == rows


@pytest.mark.parametrize("first", [b"", b"x", None, 0, 0.5, ""])
@WAYS
def test_one_value_alone_in_its_column_is_not_lost(connect: Connect, first: object) -> None:
    for place in (0, BOUND_ROWS - 1, BOUND_ROWS, BULK_ROWS - 1, BULK_ROWS):
        rows: list[tuple[object, ...]] = [(i, None, None) for i in range(BULK_ROWS + 1)]
        rows[place] = (place, first, None)
        assert _stored(connect, rows) == rows


@WAYS
def test_rows_that_are_known_are_left_or_replaced(connect: Connect) -> None:
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a PRIMARY KEY, b)")
        insert_rows(connection, "kept (a, b)", [(1, "x"), (2, "x")])
        insert_rows(connection, "kept (a, b)", [(2, "y"), (3, "y")], known="IGNORE")
        insert_rows(connection, "kept (a, b)", [(1, "z")], known="REPLACE")
        assert connection.execute("SELECT * FROM kept ORDER BY a").fetchall() == [(1, "z"), (2, "x"), (3, "y")]
        with pytest.raises(sqlite3.IntegrityError):
            insert_rows(connection, "kept (a, b)", [(1, "x")])


@WAYS
@given(st.lists(st.tuples(VALUE, VALUE | st.floats(allow_nan=True), st.none()), max_size=9), VALUE)
@pytest.mark.parametrize("times", [1, BOUND_ROWS])
def test_columns_are_stored_as_rows_are(
    connect: Connect, times: int, rows: list[tuple[object, ...]], alike: object
) -> None:
    rows = rows * times
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a, b, c, d)")
        columns = dict(zip("abc", ([row[at] for row in rows] for at in range(3)), strict=True))
        insert_columns(connection, "kept", {"d": alike, **columns})
        found = connection.execute("SELECT a, b, c, d FROM kept ORDER BY rowid").fetchall()
    assert found == [(*(None if value != value else value for value in row), alike) for row in rows]


@pytest.mark.parametrize("kind", ["i8", "u4", "u1", "?", "f8"])
@WAYS
def test_arrays_are_columns(connect: Connect, kind: str) -> None:
    numbers = np.array([1, 0, 1, 1, 0], kind)
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a, b, c)")
        insert_columns(connection, "kept", {"a": numbers[:3], "b": 7, "c": numbers[::2]})
        assert connection.execute("SELECT a, b, c FROM kept").fetchall() == [(1, 7, 1), (0, 7, 1), (1, 7, 0)]


def _stored(connect: Connect, rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    with closing(connect(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a, b, c)")
        insert_rows(connection, "kept (a, b, c)", rows)
        return connection.execute("SELECT a, b, c FROM kept ORDER BY rowid").fetchall()
