"""Columns come out of a query as its rows do, whether a connection is fed or not."""

import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearkin.api.store import Store
from nearkin.store import bulk, contents
from nearkin.store.bulk import columns, digests, numbered_digests, open_connection
from nearkin.store.contents import Holdings, present_contents
from nearkin.store.database import connect
from nearkin.store.documents import count_identical, count_repeated, identical_groups

WAYS = pytest.mark.parametrize("opened", [open_connection, sqlite3.connect], ids=["fed", "not fed"])
Opened = Callable[[str], sqlite3.Connection]
NUMBER = st.none() | st.integers(-(2**63) + 1, 2**63 - 1)


@WAYS
@pytest.mark.parametrize("times", [1, 300])
@given(st.lists(st.tuples(NUMBER, st.integers(0, 9)), max_size=9))
def test_numbers_are_gathered_in_order(opened: Opened, times: int, rows: list[tuple[int | None, int]]) -> None:
    with closing(opened(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (a, b)")
        connection.executemany("INSERT INTO kept VALUES (?, ?)", rows * times)
        a, b = columns(connection, ("a", "b"), "FROM kept WHERE b < ?", 8)
        assert a.tolist() == [row[0] for row in rows * times if row[0] is not None and row[1] < 8]
        assert b.tolist() == [row[1] for row in rows * times if row[1] < 8]
        (ordered,) = columns(connection, ("b",), "FROM (SELECT b FROM kept ORDER BY b DESC)")
        assert ordered.tolist() == sorted((row[1] for row in rows * times), reverse=True)


@WAYS
@given(st.lists(st.none() | st.binary(min_size=32, max_size=32), max_size=9))
def test_digests_are_gathered_in_order(opened: Opened, rows: list[bytes | None]) -> None:
    with closing(opened(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (digest)")
        connection.executemany("INSERT INTO kept VALUES (?)", [(row,) for row in rows])
        assert digests(connection, "digest", "FROM kept").tolist() == [row for row in rows if row is not None]


@WAYS
@given(st.lists(st.binary(min_size=32, max_size=32), max_size=9))
def test_digests_are_gathered_with_their_numbers(opened: Opened, rows: list[bytes]) -> None:
    with closing(opened(":memory:")) as connection:
        connection.execute("CREATE TABLE kept (id INTEGER PRIMARY KEY, digest)")
        connection.executemany("INSERT INTO kept (digest) VALUES (?)", [(row,) for row in rows])
        numbers, found = numbered_digests(connection, "id", "digest", "FROM (SELECT * FROM kept ORDER BY digest, id)")
        expected = sorted((row, number) for number, row in enumerate(rows, 1))
        assert [*zip(found.tolist(), numbers.tolist(), strict=True)] == expected


# Some begin alike and are not: whoever only looks at the beginning counts them.
@given(st.lists(st.tuples(*[st.sampled_from([bytes(8), b"\xff" * 8])] * 4).map(b"".join), max_size=20))
def test_digests_there_more_than_once_are_counted(rows: list[bytes]) -> None:
    found = np.frombuffer(b"".join(rows), "V32")
    assert count_repeated(found) == sum(number > 1 for number in Counter(rows).values())


def test_more_digests_than_a_blob_takes() -> None:
    with closing(open_connection(":memory:")) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 320)
        connection.execute("CREATE TABLE kept (digest)")
        for number in range(12):
            connection.execute("INSERT INTO kept VALUES (?)", (b"%032d" % number,))
            found = digests(connection, "digest", "FROM kept").tolist()
            assert found == [b"%032d" % one for one in range(number + 1)]
            rows, numbered = numbered_digests(connection, "rowid", "digest", "FROM kept")
            assert (rows.tolist(), numbered.tolist()) == ([*range(1, number + 2)], found)
        with pytest.raises(sqlite3.DataError):
            connection.execute("SELECT nearkin_gathered(digest) FROM kept")


@pytest.mark.parametrize("value", ["text", 0.5])
def test_nothing_else_is_gathered(value: object) -> None:
    with (
        closing(open_connection(":memory:")) as connection,
        pytest.raises(sqlite3.OperationalError, match="whole numbers and bytes"),
    ):
        connection.execute("SELECT nearkin_gathered(?)", (value,))


def test_nobody_else_finds_the_function() -> None:
    with closing(sqlite3.connect(":memory:")) as other, pytest.raises(sqlite3.OperationalError):
        other.execute("SELECT nearkin_gathered(1)")


def test_contents_are_the_same_either_way(store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("manual.txt", "tiny.txt"):
        (folder / f"again {name}").write_bytes((folder / name).read_bytes())
    (folder / "other words.txt").write_bytes((folder / "tiny.txt").read_bytes().replace(b" ", b"-"))
    (folder / "single.txt").unlink()
    (folder / "empty.txt").touch()
    (folder / "photo.png").write_bytes((folder / "picture.png").read_bytes())
    store.scan(folder)
    with closing(connect(store.path)) as connection:
        held, found = Holdings.load(connection), present_contents(connection, 1)
        count = count_identical(connection)
        assert count == len(identical_groups(connection)) == 4
        one_by_one = held.contents(connection, 1)
        assert [*found.digests] == sorted(found.digests) == [*one_by_one.digests]
        monkeypatch.setattr(bulk, "has_bulk_insert", lambda connection: False)
        others = Holdings.load(connection)
        assert all(np.array_equal(getattr(held, one.name), getattr(others, one.name)) for one in fields(held))
        again = present_contents(connection, 1)
        assert [*again.digests] == [*found.digests]
        for name in ("ids", "lengths", "copies"):
            assert getattr(again, name).tolist() == getattr(found, name).tolist()
        assert count_identical(connection) == count


def test_holdings_are_of_one_moment(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document may be forgotten, with its text, while someone asks."""
    asked: list[str] = []

    def interrupted(connection: sqlite3.Connection, names: tuple[str, ...], of: str) -> list[NDArray[np.int64]]:
        found = columns(connection, names, of)
        if not asked:
            with closing(connect(store.path, write=True)) as other:
                other.execute("PRAGMA foreign_keys = OFF")
                other.execute("DELETE FROM text WHERE id > 1")
        asked.append(of)
        return found

    with closing(connect(store.path)) as connection:
        before = Holdings.load(connection)
        monkeypatch.setattr(contents, "columns", interrupted)
        found = Holdings.load(connection)
        assert len(asked) > 1
        assert all(np.array_equal(getattr(before, one.name), getattr(found, one.name)) for one in fields(found))
