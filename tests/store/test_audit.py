"""The audit is only ever added to, and asked by action, moment and number."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.errors import StoreError
from nearkin.store.audit import entries, login_name, record
from nearkin.store.database import connect, transaction
from nearkin.store.document_writer import Writer
from oracle.prose import prose
from store.world import rows

pytestmark = pytest.mark.usefixtures("either_insert")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(connect(tmp_path / "store.db", create=True, write=True)) as connection:
        yield connection


def note(connection: sqlite3.Connection, action: str, subject: str = "x", **more: object) -> None:
    with transaction(connection):
        record(connection, by="ann", action=action, subject=subject, **more)


def test_who_what_before_and_after(connection: sqlite3.Connection) -> None:
    note(connection, "verdict set", "pair a and b", before={"verdict": "same"}, after=["anything", 1, None])
    (one,) = entries(connection)
    assert (one.by, one.action, one.subject) == ("ann", "verdict set", "pair a and b")
    assert (one.before, one.after) == ({"verdict": "same"}, ["anything", 1, None])
    assert one.at.endswith("+00:00")


def test_nothing_is_changed_or_deleted(connection: sqlite3.Connection) -> None:
    note(connection, "scan")
    for statement in ("UPDATE audit SET by = 'bob'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.IntegrityError, match="only ever added to"):
            connection.execute(statement)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE audit SET at = '' WHERE id = 1")
    assert [one.by for one in entries(connection)] == ["ann"]


def test_filters(connection: sqlite3.Connection) -> None:
    for action in ("scan", "scan interrupted", "verdict set", "verdict clear", "verdicts"):
        note(connection, action)
    assert entries(connection)[0].action == "verdicts", "the latest first"
    assert [one.action for one in entries(connection, action="verdict")] == ["verdict clear", "verdict set"]
    assert [one.action for one in entries(connection, action="scan", limit=1)] == ["scan interrupted"]
    assert [one.action for one in entries(connection, action="verdict set")] == ["verdict set"]
    last = entries(connection)[0].at
    assert len(entries(connection, since=last)) >= 1
    assert entries(connection, since="9999") == []


def test_names_that_are_no_utf8(connection: sqlite3.Connection) -> None:
    note(connection, "scan", "caf\udce9", after={"path": "caf\udce9"})
    (one,) = entries(connection)
    assert one.subject == "caf\\udce9"
    assert one.after == {"path": "caf\udce9"}


def test_a_login_has_a_name() -> None:
    assert login_name()


def states(store: Store) -> list[tuple[str]]:
    return rows(store, "SELECT state FROM run ORDER BY id")


def test_a_scan_that_is_cut_short_is_told_whatever_it_was_doing(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(writer: Writer, _: object) -> None:
        writer.begin()
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "finish", cut_short)
    with pytest.raises(KeyboardInterrupt):
        store.scan(folder)
    assert states(store) == [("done",), ("interrupted",)]
    assert store.audit(limit=1)["action"].to_pylist() == ["scan interrupted"]


def test_a_scan_is_marked_as_cut_short_only_with_its_entry(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("nearkin.store.audit.record", fails)
    (folder / "new.txt").write_bytes(prose(77, 500))
    with pytest.raises(StoreError):
        store.scan(folder)
    assert states(store) == [("done",), ("running",)]
    monkeypatch.undo()
    store.scan(folder)
    assert states(store) == [("done",), ("interrupted",), ("done",)]
