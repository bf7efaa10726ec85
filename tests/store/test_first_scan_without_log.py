"""A scan that makes its store writes without SQLite's log (decision 031), until someone else wants to write as well."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.engine import reader
from nearkin.errors import StoreError
from nearkin.store import database, document_writer
from nearkin.store.database import connect
from oracle.prose import prose
from store.world import is_sound, listings

KILLED = """
import os, signal, sys
from pathlib import Path
from nearkin.api.store import Store
from nearkin.engine import reader
from nearkin.store import database, document_writer as writer

reader.BATCH_FILES, reader.AHEAD = 8, 0
database.LEAST_PAGES = database.MOST_PAGES = 16 << 10  # pages are written before their transaction ends


def tell(stage, done, _):
    if stage == "read" and done >= 40:
        os.kill(os.getpid(), signal.SIGKILL)


if sys.argv[3] == "begun":
    writer.TRANSACTION_FILES = 24
Store(Path(sys.argv[1])).scan(sys.argv[2], jobs=1, progress=tell)
"""


def folder_of(tmp_path: Path, files: int = 60) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(files):
        (folder / f"{number:03}.txt").write_bytes(prose(number // 2, 2000) + b" more" * (number % 2))
    return folder


@pytest.fixture
def many_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BATCH_FILES", 8)
    monkeypatch.setattr(reader, "AHEAD", 0)
    monkeypatch.setattr(document_writer, "TRANSACTION_FILES", 8)


def mode_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def scan_with(store: Path, folder: Path, meanwhile: Callable[[], None]) -> Store:
    """Called once, after some files."""
    called = False

    def tell(stage: str, done: int, _: int) -> None:
        nonlocal called
        if stage == "read" and done >= 24 and not called:
            called = True
            meanwhile()

    made = Store(store)
    made.scan(folder, jobs=1, progress=tell)
    assert called
    return made


@pytest.mark.usefixtures("many_transactions")
def test_there_is_no_log_while_a_first_scan_reads_and_one_afterwards(tmp_path: Path) -> None:
    path, log = tmp_path / "kin.db", tmp_path / "kin.db-wal"
    met = []
    store = scan_with(path, folder_of(tmp_path), lambda: met.append((log.exists(), mode_of(path))))
    assert met == [(False, "delete")]
    assert mode_of(path) == "wal"
    assert is_sound(store)
    assert not (tmp_path / "kin.db-journal").exists()


@pytest.mark.usefixtures("many_transactions")
def test_who_writes_beside_a_first_scan_turns_the_log_on(tmp_path: Path) -> None:
    path = tmp_path / "kin.db"

    def write() -> None:
        with closing(connect(path, write=True)) as connection:
            connection.execute("INSERT INTO counter VALUES ('meanwhile', 1)")
        assert mode_of(path) == "wal"

    folder = folder_of(tmp_path)
    store = scan_with(path, folder, write)
    assert is_sound(store)
    with closing(connect(path)) as connection:
        assert connection.execute("SELECT last FROM counter WHERE name = 'meanwhile'").fetchone() == (1,)
    alone = Store(tmp_path / "alone.db")
    alone.scan(folder)
    assert listings(store) == listings(alone)


@pytest.mark.usefixtures("many_transactions")
def test_who_reads_for_long_beside_a_first_scan_does_not_hold_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.1)  # where a commit had to wait for him, the scan would fail
    path = tmp_path / "kin.db"
    with ExitStack() as until:

        def read() -> None:
            reader = until.enter_context(closing(connect(path)))
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM document").fetchone()

        store = scan_with(path, folder_of(tmp_path), read)
    assert is_sound(store)


def test_who_writes_while_a_transaction_is_open_waits_for_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BATCH_FILES", 8)
    monkeypatch.setattr(reader, "AHEAD", 0)
    path = tmp_path / "kin.db"
    write = """
import sys
from contextlib import closing
from pathlib import Path
from nearkin.store.database import connect
print("begins", flush=True)
with closing(connect(Path(sys.argv[1]), write=True)) as connection:
    connection.execute("INSERT INTO counter VALUES ('meanwhile', 1)")
"""
    with ExitStack() as until:
        others: list[subprocess.Popen[str]] = []

        def begin() -> None:
            command = [sys.executable, "-c", write, str(path)]
            others.append(until.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
            assert others[0].stdout is not None
            assert others[0].stdout.readline() == "begins\n"
            time.sleep(0.2)
            assert others[0].poll() is None, "it waits"
            assert mode_of(path) == "delete"

        store = scan_with(path, folder_of(tmp_path), begin)
        assert others[0].wait(60) == 0
    assert is_sound(store)
    with closing(connect(path)) as connection:
        assert connection.execute("SELECT last FROM counter WHERE name = 'meanwhile'").fetchone() == (1,)


@pytest.mark.parametrize("state", ["begun", "first"])
def test_killed_while_pages_of_an_open_transaction_are_in_the_store(tmp_path: Path, state: str) -> None:
    folder, path = folder_of(tmp_path), tmp_path / "kin.db"
    child = subprocess.run([sys.executable, "-c", KILLED, str(path), str(folder), state], check=False)
    assert child.returncode == -9
    assert (tmp_path / "kin.db-journal").stat().st_size > 0, "there is something to be undone"
    store = Store(path)
    store.scan(folder)
    assert is_sound(store)
    alone = Store(tmp_path / "alone.db")
    alone.scan(folder)
    assert listings(store) == listings(alone)
    assert mode_of(path) == "wal"


@pytest.mark.parametrize("error", [StoreError("does not work here"), sqlite3.OperationalError("database is locked")])
def test_nothing_that_was_read_is_lost_where_the_log_cannot_be_turned_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_: sqlite3.Connection, __: float) -> None:
        raise error

    folder, store = folder_of(tmp_path), Store(tmp_path / "kin.db")
    with monkeypatch.context() as patch:
        patch.setattr(database, "_turn_on", fail)
        assert store.scan(folder).matches
    assert is_sound(store)
    assert mode_of(store.path) == "delete"
    store.scan(folder)
    assert mode_of(store.path) == "wal"
