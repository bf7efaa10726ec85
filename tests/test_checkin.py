"""Documents taken in one by one: found at once, named as a scan would name them, and taken over by the next scan."""

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nearkin.api.store import Store
from nearkin.checkin import CheckIn
from nearkin.errors import InputError, StoreError, UsageError
from nearkin.model import Location
from nearkin.store import contents, runs
from nearkin.store.bulk import Numbers, columns
from nearkin.store.database import connect
from nearkin.store.segments import folder_of
from nearkin.text.kind import extract
from oracle.prose import prose


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.txt").write_bytes(prose(number, 4_000))
    return folder


@pytest.fixture
def store(docs: Path) -> Path:
    path = docs.parent / "kin.db"
    Store(path).scan(docs)
    return path


@contextmanager
def desk(store: Path, by: str = "ann") -> Iterator[CheckIn]:
    connection = connect(store, write=True)
    try:
        yield CheckIn(connection, store, "0", by)
    finally:
        connection.close()


def asked(store: Path, query: str) -> list[tuple[object, ...]]:
    connection = connect(store)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def paths(store: Path, text: bytes) -> list[str]:
    found = Store(store).check(text).to_pylist()
    return [f"{one['scope']}:{one['path']}" if "scope" in one else one["path"] for one in found]


def test_a_file_in_a_scope_is_a_document_there_at_once(docs: Path, store: Path) -> None:
    files = sorted(folder_of(store).iterdir())
    (docs / "new").mkdir()
    (docs / "new" / "7.txt").write_bytes(prose(7, 4_000))
    assert paths(store, prose(7, 4_000)) == []
    with desk(store) as open_desk:
        added = open_desk.add_file(docs / "new" / "7.txt")
        assert (added.location, added.new) == (Location("docs", b"new/7.txt"), True)
    assert paths(store, prose(7, 4_000)) == ["new/7.txt"]
    assert paths(store, prose(7, 4_000)[50:]) == ["new/7.txt"]
    assert sorted(folder_of(store).iterdir()) == files  # no segment was rewritten


def test_a_file_elsewhere_goes_to_a_scope_of_its_own(tmp_path: Path, store: Path) -> None:
    elsewhere = tmp_path / "else where" / "x.html"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(b"<html><body>" + prose(8, 4_000))
    with desk(store) as open_desk:
        added = open_desk.add_file(elsewhere)
    assert added.location == Location("added", os.fsencode(elsewhere)[1:])
    assert paths(store, prose(8, 4_000)) == [f"added:{str(elsewhere)[1:]}"]


def test_what_is_there_unchanged_is_not_added_again(docs: Path, store: Path) -> None:
    with desk(store) as open_desk:
        assert open_desk.add_file(docs / "1.txt").new is False
        assert asked(store, "SELECT count(*) FROM audit WHERE action <> 'scan'") == [(0,)]
        (docs / "1.txt").write_bytes(prose(77, 4_000))
        assert open_desk.add_file(docs / "1.txt").new is True
        assert open_desk.add_file(docs / "1.txt").new is False
    assert paths(store, prose(77, 4_000)) == ["1.txt"]
    assert paths(store, prose(1, 4_000)) == []  # that version is gone
    assert asked(store, "SELECT count(*) FROM document WHERE path = CAST('1.txt' AS BLOB)") == [(2,)]


def test_texts_are_added_under_a_name(store: Path) -> None:
    assert Store(store).add(prose(9, 3_000).decode(), name="/notes/nine.txt", by="bob") is True
    assert Store(store).add(prose(9, 3_000), name="notes/nine.txt") is False
    assert paths(store, prose(9, 3_000)) == ["added:notes/nine.txt"]
    found = Store(store).check(prose(10, 3_000), add=True, name="notes/ten.txt")
    assert found.num_rows == 0
    assert paths(store, prose(10, 3_000)) == ["added:notes/ten.txt"]
    assert asked(store, "SELECT by FROM audit WHERE action <> 'scan' ORDER BY id LIMIT 1") == [("bob",)]


def test_wrong_names_are_refused(store: Path) -> None:
    for name in (None, "", "/", "a/../b", "a\0b"):
        with pytest.raises(UsageError):
            Store(store).add("text", name=name)
    with pytest.raises(UsageError):
        Store(store).check("text", add=True, name="a", scheme="exact")
    with desk(store) as open_desk:
        with pytest.raises(InputError):
            open_desk.add_file(store)
        with pytest.raises(InputError):
            open_desk.add_file(store.with_name("nothing"))
    with pytest.raises(StoreError):
        Store(store.with_name("other.db")).add("text", name="a")


def test_bytes_that_are_no_text_are_known_by_their_bytes(store: Path) -> None:
    data = bytes(range(256)) * 20
    with desk(store) as open_desk:
        open_desk.add_text("image.png", data, lambda raw: extract(data, raw=raw))
    assert paths(store, data) == ["added:image.png"]


def test_all_additions_since_a_scan_are_one_run_and_each_is_audited(docs: Path, store: Path) -> None:
    for number in (20, 21):
        Store(store).add(prose(number, 2_000), name=f"{number}", by="ann")
    assert asked(store, "SELECT kind, state FROM run") == [("scan", "done"), ("add", "done")]
    Store(store).scan(docs)
    Store(store).add(prose(22, 2_000), name="22", by="ann")
    assert [row[0] for row in asked(store, "SELECT kind FROM run ORDER BY id")] == ["scan", "add", "scan", "add"]
    rows = asked(store, "SELECT by, action, subject, before, after FROM audit WHERE action <> 'scan'")
    assert [row[:4] for row in rows] == [("ann", "check --add", name, None) for name in ("20", "21", "22")]
    assert all(len(json.loads(str(row[4]))["digest"]) == 64 for row in rows)


@pytest.mark.parametrize("changed", [False, True])
def test_a_later_scan_of_its_tree_takes_over(tmp_path: Path, store: Path, changed: bool) -> None:
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "deep" / "x.txt").write_bytes(prose(30, 3_000))
    (tree / "gone.txt").write_bytes(prose(31, 3_000))
    (tmp_path / "tree2.txt").write_bytes(prose(32, 3_000))
    with desk(store) as open_desk:
        for file in (tree / "deep" / "x.txt", tree / "gone.txt", tmp_path / "tree2.txt"):
            open_desk.add_file(file)
    (tree / "gone.txt").unlink()
    if changed:
        (tree / "deep" / "x.txt").write_bytes(prose(33, 3_000))
    Store(store).scan(tree)
    assert paths(store, prose(33 if changed else 30, 3_000)) == ["tree:deep/x.txt"]
    assert paths(store, prose(31, 3_000)) == []
    assert len(paths(store, prose(32, 3_000))) == 1  # beside the tree, not in it
    assert asked(store, "PRAGMA foreign_key_check") == []


def test_the_scope_of_a_file_takes_over_too(docs: Path, store: Path) -> None:
    (docs / "9.txt").write_bytes(prose(9, 3_000))
    with desk(store) as open_desk:
        open_desk.add_file(docs / "9.txt")
    summary = Store(store).scan(docs)
    assert (summary.documents, summary.new) == (6, 0)
    assert paths(store, prose(9, 3_000)) == ["9.txt"]
    (docs / "9.txt").unlink()
    Store(store).scan(docs)
    assert paths(store, prose(9, 3_000)) == []


def test_documents_come_in_while_a_scan_runs(docs: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two transactions of the scan, of a file it has yet to read, one it has read, and one elsewhere."""
    for number in range(40, 46):
        (docs / f"{number}.txt").write_bytes(prose(number, 3_000))
    (docs.parent / "beside.txt").write_bytes(prose(50, 3_000))
    monkeypatch.setattr("nearkin.store.document_writer.TRANSACTION_FILES", 1)
    monkeypatch.setattr("nearkin.engine.reader.BATCH_FILES", 1)
    met: list[int] = []

    def progress(stage: str, documents: int, _: int) -> None:
        if stage == "read" and documents == 3:
            with desk(store) as open_desk:
                for file in (docs / "40.txt", docs / "45.txt", docs.parent / "beside.txt"):
                    open_desk.add_file(file)
            met.append(documents)

    summary = Store(store).scan(docs, progress=progress)
    assert met
    assert summary.documents == 5 + 6 + 1
    for number in range(40, 46):
        assert paths(store, prose(number, 3_000)) == [f"docs:{number}.txt"]
    assert len(paths(store, prose(50, 3_000))) == 1
    assert asked(store, "PRAGMA integrity_check") == [("ok",)]
    assert asked(store, "PRAGMA foreign_key_check") == []


def test_documents_that_come_in_while_contents_are_listed_are_in_none_of_the_lists(
    docs: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []

    def meanwhile(connection: sqlite3.Connection, names: tuple[str, ...], *asked: Any) -> list[Numbers]:
        found = columns(connection, names, *asked)
        added.append(f"new {len(added)}")
        Store(store).add(prose(700 + len(added), 400), name=added[-1])
        return found

    monkeypatch.setattr(contents, "columns", meanwhile)
    (docs / "other.txt").write_bytes(prose(600, 400))
    Store(store).scan(docs)
    assert len(added) > 3
    assert {*added, "other.txt"} <= {row["path"] for row in Store(store).documents().to_pylist()}


def test_one_that_comes_in_when_a_scan_has_read_it_otherwise_waits_for_the_next(docs: Path, store: Path) -> None:
    """There are never two documents at one place."""
    (docs / "0.txt").write_bytes(prose(60, 3_000))

    def progress(stage: str, *_: int) -> None:
        if stage == "match":
            (docs / "0.txt").write_bytes(prose(61, 3_000))
            with desk(store) as open_desk:
                open_desk.add_file(docs / "0.txt")

    there = "SELECT count(*) FROM present WHERE path = CAST('0.txt' AS BLOB)"
    documents = Store(store).scan(docs, progress=progress).documents
    assert asked(store, there) == [(1,)]
    assert Store(store).verify() == []
    assert Store(store).scan(docs).documents == documents == 5
    assert asked(store, there) == [(1,)]
    assert paths(store, prose(61, 3_000)) == ["0.txt"]


def test_checks_inside_with_follow_the_store(docs: Path, store: Path) -> None:
    with Store.open(store) as held:
        assert held.check(prose(60, 3_000)).num_rows == 0
        held.add(prose(60, 3_000), name="sixty")
        assert held.check(prose(60, 3_000)).num_rows == 1
        (docs / "61.txt").write_bytes(prose(61, 3_000))
        held.scan(docs)
        assert [one["path"] for one in held.check(prose(61, 3_000)).to_pylist()] == ["61.txt"]
        (docs / "61.txt").unlink()
        Store(store).scan(docs)
        assert held.check(prose(61, 3_000)).num_rows == 0
        connection = held._session.connection  # type: ignore[union-attr]
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")
    assert held.check(prose(60, 3_000)).num_rows == 1  # outside too, each time anew


def test_a_note_in_a_query_a_thousand_times_as_long_is_found(docs: Path, store: Path) -> None:
    note = prose(70, 500)
    Store(store).add(note, name="note")
    query = prose(71, 250_000) + b" " + note + b" " + prose(72, 250_000)
    (found,) = Store(store).check(query).to_pylist()
    assert (found["path"], found["doc_in_query"], found["exact"]) == ("note", 1.0, True)


def test_additions_are_no_scan(docs: Path, store: Path) -> None:
    """What lists and matches show is the last scan's, whatever was added since."""
    before = asked(store, "SELECT max(id) FROM run")[0][0]
    Store(store).add(prose(80, 2_000), name="eighty")
    connection = connect(store)
    try:
        assert runs.last(connection).id == before
        assert not runs.unfinished(connection)
    finally:
        connection.close()


@pytest.mark.parametrize("query", [prose(1, 4_000), prose(1, 4_000)[60:], prose(90, 4_000), bytes(100)])
def test_no_question_walks_through_a_table(store: Path, query: bytes) -> None:
    """Of those that grow with the repository: otherwise an answer would take longer the more is stored."""
    asked_for: list[str] = []
    with Store.open(store) as held:
        connection = held._session.connection  # type: ignore[union-attr]
        connection.set_trace_callback(asked_for.append)
        held.check(query)
        connection.set_trace_callback(None)
        plans = [
            row[3]
            for question in asked_for
            if question.lstrip().startswith("SELECT")
            for row in connection.execute(f"EXPLAIN QUERY PLAN {question}")
        ]
    assert any(plan.startswith("SEARCH") for plan in plans)
    walks = [plan for plan in plans if plan.startswith("SCAN") and "nearkin_rows" not in plan]  # that is no table
    assert {walk.split()[1] for walk in walks} <= {"scope", "run", "s", "canon", "segment", "template"}, walks


FORKED = """
import os, sys
from nearkin.api.store import Store

with Store.open(sys.argv[1]) as store:
    expected = store.check("a text").to_pylist()
    mine = store._session.connection
    child = os.fork()
    if not child:
        assert store.check("a text").to_pylist() == expected
        assert store._session.connection is not mine
        store.__exit__(None, None, None)
        mine.execute("SELECT 1")  # it is not closed here either
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert store._session.connection is mine
"""


def test_processes_may_ask_the_same_store(store: Path) -> None:
    """Each opens its own connections, whether the store is sent to it or was open when it was forked."""
    with Store.open(store) as opened:
        found = opened.check(prose(1, 4_000)).to_pylist()
        assert pickle.loads(pickle.dumps(opened)).check(prose(1, 4_000)).to_pylist() == found
    subprocess.run([sys.executable, "-c", FORKED, store], check=True)


def test_threads_may_ask_the_same_store(store: Path) -> None:
    with Store.open(store) as held:
        with ThreadPoolExecutor(3) as pool:
            asked = pool.map(lambda number: held.check(prose(number, 4_000)).to_pylist()[0]["path"], [0, 1, 2] * 5)
            assert list(asked) == ["0.txt", "1.txt", "2.txt"] * 5
        opened = list(held._session._all)  # type: ignore[union-attr]
    assert opened
    for _, connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_threads_that_have_ended_leave_no_connection_open(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("turn the lever to the left, then lift the cover of the tray")
    with Store.open(tmp_path / "store.db") as store:
        store.scan(tmp_path / "docs")
        for _ in range(20):
            asking = threading.Thread(target=store.check, args=("turn the lever to the left",))
            asking.start()
            asking.join()
        opened = [str(file.readlink()) for file in Path("/dev/fd").iterdir() if file.is_symlink()]
        assert sum(one.endswith("store.db") for one in opened) < 6
