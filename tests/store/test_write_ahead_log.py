"""The log is brought into the store beside other work, and nobody is held up by it."""

from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

import pytest

from nearkin.api.store import Store
from nearkin.store import database
from nearkin.store.database import brought_in, connect, transaction
from oracle.prose import prose
from store.world import is_sound, listings


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LEAST", 1)


def written(connection: Connection, names: int = 2000) -> None:
    with transaction(connection):
        connection.executemany("INSERT INTO counter VALUES (?, 1)", ((f"{'name' * 20}{n}",) for n in range(names)))


def is_all_in(connection: Connection, store: Path) -> bool:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    return bool(store.stat().st_size >= pages * size)


@pytest.mark.usefixtures("at_once")
def test_what_is_in_the_log_comes_into_the_store_while_others_write(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    with closing(connect(store, create=True, write=True)) as connection:
        written(connection)
        assert not is_all_in(connection, store)
        with brought_in(store), transaction(connection):
            connection.execute("INSERT INTO counter VALUES ('meanwhile', 1)")
        assert is_all_in(connection, store)
        assert connection.execute("SELECT last FROM counter WHERE name = 'meanwhile'").fetchone() == (1,)


@pytest.mark.usefixtures("at_once")
def test_the_log_is_emptied_where_nobody_is_at_work(tmp_path: Path) -> None:
    store, log_of = tmp_path / "kin.db", tmp_path / "kin.db-wal"
    with closing(connect(store, create=True, write=True)) as connection:
        written(connection)
        with brought_in(store), closing(connect(store)) as reader:
            reading = reader.execute("SELECT name FROM counter")
            assert reading.fetchone() is not None
            database._bring_in(store)
            assert log_of.stat().st_size > 0, "someone reads it"
            reading.close()
        with brought_in(store):
            pass
        assert log_of.stat().st_size == 0
        assert is_all_in(connection, store)
        assert connection.execute("SELECT count(*) FROM counter").fetchone()[0] >= 2000


def test_a_short_log_is_left_to_sqlite(tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    with closing(connect(store, create=True, write=True)) as connection:
        written(connection)
        with brought_in(store):
            pass
        assert not is_all_in(connection, store)


@pytest.mark.usefixtures("at_once")
def test_a_store_that_has_vanished_is_nobodys_error_here(tmp_path: Path) -> None:
    (tmp_path / "kin.db-wal").write_bytes(b"of nothing")
    with brought_in(tmp_path / "kin.db"):
        pass
    assert not (tmp_path / "kin.db").exists()


def test_a_scan_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.txt").write_bytes(prose(number // 2, 2000) + b" more" * (number % 2))
    found = []
    for least in (1, 1 << 40):
        monkeypatch.setattr(database, "LEAST", least)
        store = Store(tmp_path / f"{least}.db")
        assert store.scan(folder).matches
        assert is_sound(store)
        found.append(listings(store))
    assert found[0] == found[1]


@pytest.mark.parametrize("page", [8192, database.PAGE])
def test_the_log_is_as_long_in_older_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(database, "PAGE", page)
        connect(tmp_path / "kin.db", create=True).close()
    with closing(connect(tmp_path / "kin.db", write=True)) as connection:
        assert connection.execute("PRAGMA page_size").fetchone() == (page,)
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == ((256 << 20) // page,)
