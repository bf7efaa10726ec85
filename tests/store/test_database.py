"""The store file: refused, made, read by nobody else, locked by one scan at a time."""

import errno
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nearkin.api.store import Store
from nearkin.errors import StoreError
from nearkin.store.database import connect, explained, one_scan, transaction
from nearkin.store.schema import APPLICATION_ID, SCHEMA_VERSION

pytestmark = pytest.mark.usefixtures("either_insert")


def refused(path: Path, *, create: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        connect(path, create=create).close()
    assert caught.value.exit_code == 4
    sentence = str(caught.value)
    assert str(path) in sentence or str(path.parent) in sentence
    return sentence


# Opened or refused.


def test_a_missing_store_is_made_only_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "store"
    assert refused(path, create=False).startswith("There is no store at")
    assert not path.exists()
    with closing(connect(path, create=True)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    with closing(connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM document").fetchone() == (0,)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "no" / "store").startswith("There is no folder")


def test_a_folder_instead_of_a_store(tmp_path: Path) -> None:
    assert "is not a file" in refused(tmp_path)


@pytest.mark.parametrize("content", [b"a text file, not a database at all\n" * 40, os.urandom(5000), b"x"])
def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    for create in (False, True):
        assert "not a nearkin store" in refused(path, create=create)
    assert path.read_bytes() == content


def test_a_foreign_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE bookmark (url TEXT)")
        other.commit()
    before = path.read_bytes()
    assert "not a nearkin store" in refused(path)
    assert path.read_bytes() == before


def test_a_store_of_a_newer_nearkin_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with closing(connect(path, create=True)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    sentence = refused(path)
    assert "newer nearkin" in sentence
    assert "upgrade nearkin" in sentence


def test_an_empty_file_becomes_a_store_only_where_asked(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch()
    assert "not a nearkin store" in refused(path, create=False)
    connect(path, create=True).close()
    connect(path).close()


class Killed(BaseException):
    pass


def test_a_store_killed_while_it_was_made_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, left = sqlite3.connect, 0

    class Mortal(sqlite3.Connection):
        def execute(self, *given: Any) -> sqlite3.Cursor:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return super().execute(*given)

    for statements in range(80):
        path = tmp_path / f"store {statements}"
        left = statements
        with monkeypatch.context() as patch:
            patch.setattr(sqlite3, "connect", partial(whole, factory=Mortal))
            try:
                connect(path, create=True, write=True).close()
            except Killed:
                pass
            else:
                assert statements > 20
                return
        connect(path, create=True).close()
    pytest.fail("never made")


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "store"
    before = os.umask(0)
    try:
        with closing(connect(path, create=True, write=True)) as connection, one_scan(path):
            connection.execute("INSERT INTO canon (spec) VALUES ('x')")
            made = list(tmp_path.iterdir())
            assert {file.name for file in made} >= {"store", "store-wal", "store.lock"}
            for file in made:
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    finally:
        os.umask(before)


def test_nobody_else_may_read_what_was_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "store"
    path.touch(0o644)
    path.chmod(0o644)
    connect(path, create=True).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_set_up_for_many_readers_and_checked_references(tmp_path: Path) -> None:
    path = tmp_path / "store"
    connect(path, create=True).close()
    for write in (False, True):
        with closing(connect(path, write=write)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    with closing(connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        connection.execute("INSERT INTO scheme (spec, canon, format) VALUES ('exact', 99, 1)")


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN IMMEDIATE"])
def test_making_a_store_waits_for_another_who_makes_it(tmp_path: Path, lock: str) -> None:
    path = tmp_path / "store"
    path.touch(0o600)
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute(lock)
        done = threading.Timer(0.2, other.execute, ["COMMIT"])
        done.start()
        try:
            connect(path, create=True, write=True).close()
        finally:
            done.join()


MAKE = """
import sys
from pathlib import Path
from nearkin.store.database import connect

print("ready", flush=True)
for line in sys.stdin:
    connect(Path(line.rstrip()), create=True, write=True).close()
    print("made", flush=True)
"""


def test_several_make_one_store_at_once(tmp_path: Path) -> None:
    with ExitStack() as open_ones:
        children = [
            open_ones.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", MAKE],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for _ in range(6)
        ]
        pipes = [(child.stdin, child.stdout, child.stderr) for child in children]
        for _, told, _ in pipes:
            assert told is not None
            assert told.readline() == "ready\n"
        for number in range(40):
            store = tmp_path / f"store {number}"
            for asked, _, _ in pipes:
                assert asked is not None
                asked.write(f"{store}\n")
                asked.flush()
            for _, told, complained in pipes:
                assert told is not None
                assert complained is not None
                assert told.readline() == "made\n" or complained.read() == ""
            with closing(connect(store)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_second_scan_is_told_so_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    started = time.monotonic()
    with one_scan(path), pytest.raises(StoreError, match="Another scan is writing"), one_scan(path):
        pass
    assert time.monotonic() - started < 5
    with one_scan(path):
        pass


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "store", create=True, write=True)) as connection:
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.executemany("INSERT INTO canon (spec) VALUES (?)", [("half",), ("half",)])
        assert connection.execute("SELECT count(*) FROM canon").fetchone() == (0,)
        with transaction(connection):
            connection.execute("INSERT INTO canon (spec) VALUES ('whole')")
        assert connection.execute("SELECT count(*) FROM canon").fetchone() == (1,)


# What failed is said of the store only where it is the store's.


def test_who_is_told_how_far_a_scan_is_fails_by_himself(store: Store, folder: Path) -> None:
    def reader_left(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    (folder / "new.txt").write_text("a new text")
    with pytest.raises(BrokenPipeError):
        store.scan(folder, progress=reader_left)


@pytest.mark.parametrize("end", ["", ".lock", ".turn", ".segments/lock"])
def test_what_befalls_a_file_of_the_store_is_said_of_it(tmp_path: Path, end: str) -> None:
    path = tmp_path / "kin.db"
    for problem, said in ((errno.EACCES, "cannot be used: permission denied"), (errno.ENOSPC, "There is no room left")):
        with pytest.raises(StoreError, match=said), explained(path):
            raise OSError(problem, os.strerror(problem), f"{path}{end}")
        with pytest.raises(OSError, match=os.strerror(problem)), explained(path):
            raise OSError(problem, os.strerror(problem), str(tmp_path / "page.html"))
