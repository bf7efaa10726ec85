"""Stores of nearkin that lie in a scanned folder."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from nearkin._native import STORE_HEADER, is_store_header
from nearkin.api.store import Store
from nearkin.read.walk import is_store, walk
from nearkin.settings import WalkSettings
from nearkin.store.schema import APPLICATION_ID


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a store of another scan in it."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("a text about pumps and valves, and long enough to be signed")
    Store(folder / "other.kin").scan(folder)
    assert len([*folder.iterdir()]) > 3
    return folder


def names(store: Store) -> set[str]:
    return {row["path"] for row in store.documents().to_pylist()}


@pytest.mark.parametrize("name", ["other.kin", "nearkin.db", "a"])
def test_another_store_is_no_document(folder: Path, tmp_path: Path, name: str) -> None:
    for path in folder.glob("other.kin*"):
        path.rename(folder / path.name.replace("other.kin", name))
    store = Store(tmp_path / "kin.db")
    scanned = store.scan(folder)
    assert (names(store), scanned.failed) == ({"a.txt"}, 0)


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("name", ["copy.db", "copy", "copy.txt", "copy.zip"])
def test_a_copy_of_a_store_with_nothing_beside_it_is_none_either(
    folder: Path, tmp_path: Path, name: str, raw: bool
) -> None:
    with closing(sqlite3.connect(folder / "other.kin")) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (folder / "other.kin").rename(tmp_path / name)
    for path in folder.glob("other.kin*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (tmp_path / name).rename(folder / name)
    store = Store(tmp_path / "kin.db")
    scanned = store.scan(folder, raw=raw)
    assert (names(store), scanned.documents, scanned.failed) == ({"a.txt"}, 1, 0)
    assert store.scan(folder, raw=raw).new == 0


def test_a_store_that_is_named_is_left_out_too(folder: Path) -> None:
    assert list(walk(folder, (folder / "other.kin",), WalkSettings())) == []


def test_other_databases_and_files_that_look_like_its_own_are_documents(folder: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(folder / "mine.db")) as mine:
        mine.execute("CREATE TABLE t (a)")
        mine.execute("PRAGMA application_id = 42")
        mine.commit()
    for name in ("mine.db.lock", "poetry.lock", "turn", ".turn"):
        (folder / name).write_text(name)
    (folder / "mine.db.segments").mkdir()
    (folder / "mine.db.segments/one.txt").write_text("one")
    store = Store(tmp_path / "kin.db")
    store.scan(folder)
    assert names(store) == {"a.txt", "mine.db", "mine.db.lock", "mine.db.segments/one.txt", "poetry.lock", "turn"}


def test_the_header_that_tells(folder: Path) -> None:
    header = (folder / "other.kin").read_bytes()[:STORE_HEADER]
    assert is_store_header(header)
    assert not is_store_header(header[:-1])
    assert not is_store_header(header[:68] + (APPLICATION_ID + 1).to_bytes(4, "big"))
    assert not is_store_header(b"s" + header[1:])


def test_looking_at_a_store_that_is_open_here_keeps_its_locks(folder: Path) -> None:
    """A process gives up all its locks on a file as soon as it closes it once."""
    other = folder / "other.kin"
    ask = f"import sqlite3; sqlite3.connect({str(other)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
    with closing(sqlite3.connect(other, isolation_level=None)) as held:
        held.execute("PRAGMA journal_mode = DELETE")  # locks on the file itself, not on the one beside it
        held.execute("BEGIN IMMEDIATE")
        assert is_store(os.fsencode(other))
        assert list(walk(folder, (folder,), WalkSettings())) == [b"a.txt"]
        refused = subprocess.run([sys.executable, "-c", ask], capture_output=True, check=False)
        assert b"database is locked" in refused.stderr


@pytest.mark.parametrize("name", ["kin.dat", "kin.db"])
def test_a_file_that_becomes_a_store_is_gone(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for one in ("1.txt", name):
        (folder / one).write_text("turn the lever to the left, then lift the cover of the tray")
    store = Store(tmp_path / "store.db")
    store.scan(folder)
    shutil.copyfile(store.path, folder / name)
    assert store.scan(folder).gone == 1
    assert store.documents()["path"].to_pylist() == ["1.txt"]
