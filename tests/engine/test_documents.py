"""A scan among documents that do what they like: each costs itself, all are counted."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.containers import zipped
from engine.fake_formats import DEED
from nearkin.api.store import Store
from nearkin.engine import container
from nearkin.engine import workers as engine_workers
from nearkin.engine.container import DocumentReader, DocumentReading, Source
from nearkin.engine.threads import in_order
from nearkin.errors import EngineError
from nearkin.store.container_writer import StoredContainer
from nearkin.store.database import connect, transaction, turn
from oracle.prose import prose

DEEDS = {
    "a": ("exit", "crashed"),
    "b": ("hang", "timed out"),
    "c": ("hello to all of you", None),
    "d": ("eat", "too large"),
    "e": ("print", None),
    "f": ("segfault", "crashed"),
    "g": ("encrypted", "encrypted"),
    "h": ("raise", "corrupt"),
    "i": ("halfway", "crashed"),
    "j": (" ", "empty"),
    "k": ("letter", None),
}


@pytest.mark.parametrize("held", [1, 1000])
@pytest.mark.parametrize("jobs", [1, 3])
def test_every_document_is_read_or_fails_for_its_own_reason(
    jobs: int, held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of a letter stands, and what else was in it is one that failed; held at once or not."""
    monkeypatch.setattr(container, "HELD_MEMBERS", held)
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    for name, (deed, _) in DEEDS.items():
        (folder / f"{name}.zip").write_bytes(DEED + deed.encode())
    (folder / "plain.txt").write_text("a plain text")
    (folder / "no.zip").write_text("of no format after all")
    summary = store.scan(folder, jobs=jobs, timeout=1)
    failed = {one["path"]: one["reason"] for one in store.documents(failed=True).to_pylist()}
    lost = "k.zip!/part-2"
    assert failed == {f"{name}.zip": reason for name, (_, reason) in DEEDS.items() if reason} | {lost: "crashed"}
    there = [one["path"] for one in store.documents().to_pylist()]
    assert there == ["c.zip", "e.zip", "i.zip!/first.txt", "k.zip", "k.zip!/first.txt", "no.zip", "plain.txt"]
    assert (summary.documents, summary.failed) == (len(there), len(failed))
    assert all(one["digest"] or one["path"] == lost for one in store.documents(failed=True).to_pylist())


def test_a_long_one_holds_up_only_what_has_no_room() -> None:
    """While the first is worked on, the others are; as many as there is room for."""
    first, done = threading.Event(), []

    def work(item: int) -> int:
        if item == 0:
            first.wait(60)
        else:
            done.append(item)
            if len(done) == 6:
                first.set()
        return item

    results = in_order(work, range(20), jobs=2, ahead=100, room=10_000, size=lambda _: 1)
    assert list(results) == list(range(20))


def test_a_long_document_starves_no_short_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first document is not read before all others are: with two workers that comes to an end."""
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    folder, flag, short, taken = tmp_path / "docs", tmp_path / "flag", 40, list[bytes]()
    folder.mkdir()
    (folder / "a long one.zip").write_bytes(DEED + f"until {flag}".encode())
    for number in range(short):
        (folder / f"short {number}.zip").write_bytes(DEED + f"hello number {number}".encode())
    take = DocumentReader.read

    def counted(self: DocumentReader, source: Source) -> DocumentReading:
        result = take(self, source)
        taken.append(source.path)
        if len(taken) == short:
            flag.touch()
        return result

    monkeypatch.setattr(DocumentReader, "read", counted)
    summary = Store(tmp_path / "kin.db").scan(folder, jobs=2, timeout=10)
    assert (summary.documents, summary.failed) == (1 + short, 0)
    assert taken[-1] == b"a long one.zip"


@pytest.mark.parametrize("heavy", ["items", "results"])
def test_no_more_is_begun_than_there_is_room_for(heavy: str) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(50):
            taken.append(item)
            yield item

    ten: Callable[[int], int] = lambda _: 10  # noqa: E731
    none: Callable[[int], int] = lambda _: 0  # noqa: E731
    weight, size = (ten, none) if heavy == "items" else (none, ten)
    for result in in_order(lambda item: item, items(), jobs=2, ahead=40, room=30, weight=weight, size=size):
        assert len(taken) <= result + 1 + (3 if heavy == "items" else 42)
    assert len(taken) == 50


@pytest.mark.parametrize("slow", ["the next document", "a member"])
def test_nobody_waits_to_write_while_a_document_takes_its_time(
    slow: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    monkeypatch.setattr("nearkin.engine.threads.IDLE", 0.01)
    monkeypatch.setattr("nearkin.engine.documents.TOGETHER", 4)
    monkeypatch.setattr(container, "HELD_MEMBERS", 8)
    monkeypatch.setattr("nearkin.store.database.PATIENCE", 3.0)
    folder, store, written = tmp_path / "docs", Store(tmp_path / "kin.db"), tmp_path / "written"
    folder.mkdir()
    members = {f"{i}.txt": prose(i, 50) for i in range(5)}
    until = DEED + b"until " + bytes(written)
    if slow == "a member":
        members |= {f"{i}.txt": prose(i, 50) for i in range(10, 19)} | {"slow.zip": until}
    else:
        (folder / "b.zip").write_bytes(until)
    (folder / "a.zip").write_bytes(zipped(members))
    said: list[str] = []

    def write() -> None:
        try:
            with closing(connect(store.path, write=True)) as connection, turn(store.path), transaction(connection):
                said.append("written")
        finally:
            written.touch()

    other = threading.Thread(target=write)

    def progress(stage: str, documents: int, _: int) -> None:
        if documents and other.ident is None:
            other.start()

    store.scan(folder, jobs=1, timeout=60, progress=progress)
    other.join()
    assert said == ["written"]
    assert store.documents(failed=True).num_rows == 0


def test_containers_are_stored_among_others_as_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And with the same numbers, whatever the jobs. Members that nobody knew come to one that is known in the end."""
    folder = tmp_path / "docs"
    folder.mkdir()
    inner = zipped({"c.txt": b"a text in the depth"})
    for number in range(70):
        members = {"a.txt": b"the same text", "b/i.zip": inner, f"{number}.txt": b"%d is a number" % number}
        data = zipped(members) if number % 2 else f"MIME-Version: 1.0\n\nmail {number}".encode()
        (folder / f"{number:02}.{'zip' if number % 2 else 'eml'}").write_bytes(data)
    (folder / "05.zip!").mkdir()
    stores = {name: Store(tmp_path / f"{name}.db") for name in ("together", "jobs", "alone")}
    stores["together"].scan(folder, jobs=1)
    stores["jobs"].scan(folder, jobs=3)
    with monkeypatch.context() as patched:
        patched.setattr(StoredContainer, "is_unknown", False)
        stores["alone"].scan(folder, jobs=1)
    rows = {name: documents_of(tmp_path / f"{name}.db") for name in stores}
    assert len(rows["alone"]) == 70 + 34 * 4
    assert rows["together"] == rows["jobs"] == rows["alone"]
    assert rows["together"][b"01.zip!/b/i.zip!/c.txt"][0] == b"01.zip!/b/i.zip"
    (folder / "01.zip").write_bytes(zipped({"a.txt": b"the same text", "new.txt": b"another", "b/i.zip": inner}))
    (folder / "71.zip").write_bytes(zipped({"b/i.zip": inner}))
    summary = stores["jobs"].scan(folder, jobs=2)
    assert (summary.new, summary.changed, summary.gone) == (4, 1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(StoredContainer, "is_unknown", False)
        assert replace(stores["alone"].scan(folder), seconds=0) == replace(summary, seconds=0)
    assert documents_of(tmp_path / "jobs.db") == documents_of(tmp_path / "alone.db")


def documents_of(store: Path) -> dict[bytes, tuple[Any, ...]]:
    """Each with its number, where it lies, and what it says."""
    with closing(connect(store)) as connection:
        found = connection.execute(
            """SELECT d.path, p.path, d.id, d.size, d.mtime_ns, d.ctime_ns, d.inode, d.owner, d.media, d.encoding,
                      d.digest, d.reason, d.detail, d.gone, d.before, d.reader, d.properties, c.digest
               FROM document d LEFT JOIN document p ON p.id = d.parent LEFT JOIN text t ON t.id = d.text
               LEFT JOIN content c ON c.id = t.content WHERE d.gone IS NULL"""
        )
        return {path: tuple(rest) for path, *rest in found}


def test_what_can_be_read_at_last_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, no other file changed: and yet the next scan finds something."""
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    words = " ".join(f"word{number}" for number in range(200))
    (folder / "a.txt").write_text(f"{words} and more")
    (folder / "b.eml").write_text(f"Subject: words\nX-Nap: 0.7\n\n{words}")
    first = store.scan(folder, timeout=0.2)
    assert (first.documents, first.failed, first.families) == (1, 1, 0)
    second = store.scan(folder, timeout=60)
    assert (second.documents, second.failed, second.changed, second.families) == (2, 0, 1, 1)
    third = store.scan(folder, timeout=60)
    assert (third.documents, third.changed, third.families) == (2, 0, 1)


def test_a_library_that_is_missing_is_no_fault_of_a_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    (tmp_path / "docs").mkdir()
    store = Store(tmp_path / "kin.db")
    (tmp_path / "docs" / "a.zip").write_bytes(DEED + b"import nothing_of_nearkin")
    store.scan(tmp_path / "docs")
    (failed,) = store.documents(failed=True).to_pylist()
    assert failed["reason"] == "crashed"
    assert failed["detail"] == "a library cannot be loaded: No module named 'nothing_of_nearkin'"
    (tmp_path / "docs" / "b.zip").write_bytes(DEED + b"import olefile")
    with pytest.raises(EngineError, match=r"The package olefile is missing; install nearkin again\."):
        store.scan(tmp_path / "docs")


def test_a_worker_killed_by_someone_else_costs_its_document_until_the_next_scan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.zip").write_bytes(DEED + f"killed {tmp_path / 'mercy'}".encode())
    store = Store(tmp_path / "kin.db")
    assert store.scan(tmp_path / "docs").failed == 1
    (failed,) = store.documents(failed=True).to_pylist()
    assert (failed["reason"], failed["detail"]) == ("crashed", "the worker reading it was killed")
    (tmp_path / "mercy").touch()
    assert store.scan(tmp_path / "docs").failed == 0


def test_what_became_of_a_format_after_it_was_looked_at_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not said of other bytes than those that it was true of."""
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    file, store = tmp_path / "docs" / "a.zip", Store(tmp_path / "kin.db")
    file.parent.mkdir()
    file.write_text("of no format after all")
    take = DocumentReader.read

    def written(self: DocumentReader, source: Source) -> DocumentReading:
        taken = take(self, source)
        file.write_bytes(zipped({"in it.txt": prose(1, 300)}))
        return taken

    with monkeypatch.context() as patch:
        patch.setattr(DocumentReader, "read", written)
        store.scan(file.parent)
    store.scan(file.parent)
    assert [one["path"] for one in store.documents().to_pylist()] == ["a.zip", "a.zip!/in it.txt"]
    assert store.scan(file.parent).new == 0
