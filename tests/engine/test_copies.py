"""A copy is read and digested, and not taken apart once more; whoever stores it has stored what it is a copy of."""

import os
from pathlib import Path
from typing import Any

import pytest

from cli.containers import zipped
from engine.fake_formats import DEED
from nearkin import _native
from nearkin.api.store import Store
from nearkin.engine import reader, scan_files
from nearkin.engine import workers as engine_workers
from nearkin.engine.container import BESIDE, AnswerCache, DocumentReader, DocumentReading, ParsedDocument, Source
from nearkin.scheme import parse_scheme
from nearkin.settings import TextSettings
from nearkin.store.batch import OF_TEXTS, DocumentBatch
from nearkin.text.canon import Canon
from oracle.prose import prose

HOW = scan_files.recipe(parse_scheme("exact:window=20"), Canon.of(TextSettings()), max_size=1 << 30)
PAGE = b"<title>one</title><p>" + prose(1, 400)
LEFT_OUT = ("texts", "packed", "features")


def read(folder: Path, *, once: bool, jobs: int = 2, batch: int = 3) -> list[dict[str, Any]]:
    paths = sorted(os.fsencode(path.name) for path in folder.iterdir())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BATCH_FILES", batch)
        batches = list(scan_files.ingest(os.fsencode(folder), paths, HOW, jobs=jobs, keep=True, once=once))
    return [row for one in batches for row in rows(one)]


def rows(readings: DocumentBatch) -> list[dict[str, Any]]:
    names = (*OF_TEXTS, "paths", "sizes", "digests", "packed")
    return [{name: getattr(readings, name)[i] for name in names} for i in range(len(readings))]


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_but_the_text_is_known_of_a_copy(tmp_path: Path, jobs: int) -> None:
    for i in range(40):
        (tmp_path / f"{i:02}.html").write_bytes(PAGE if i % 4 else PAGE + b"%d" % i)
        (tmp_path / f"{i:02}.txt").write_bytes((b"", b"short", prose(2, 300), prose(i, 300))[i % 4])
    whole, once = read(tmp_path, once=False), read(tmp_path, once=True, jobs=jobs)
    met: set[tuple[bytes, str]] = set()
    for one, other in zip(whole, once, strict=True):
        assert {**one, **dict.fromkeys(LEFT_OUT)} == {**other, **dict.fromkeys(LEFT_OUT)}
        if not other["texts"]:
            assert (other["digests"], other["extractors"]) in met or not one["texts"]
            assert not other["features"]
            assert other["packed"] is None or not one["texts"]
        else:
            assert other["features"] == one["features"]
        met.add((other["digests"], other["extractors"]))
    copies = sum(bool(one["texts"]) and not other["texts"] for one, other in zip(whole, once, strict=True))
    assert copies >= (47 if jobs == 1 else 30)  # of 29 pages, 9 and 9 texts; two threads may meet the same at once


def test_what_is_stored_later_is_nothing_to_be_a_copy_of(tmp_path: Path) -> None:
    paths = [os.fsencode(tmp_path / name) for name in ("a.txt", "b.txt")]
    for path in paths:
        Path(os.fsdecode(path)).write_bytes(prose(3, 500))
    copies = _native.Copies()

    def copied(turn: int, *some: bytes) -> list[int]:
        return _native.ingest_files(b"", [*some], HOW, None, copies, turn).copies

    assert copied(5, paths[0]) == []
    assert copied(3, paths[1]) == []
    assert copied(4, paths[0]) == [0]  # of turn 3, which came meanwhile
    assert copied(2, *paths) == [1]
    assert copied(9, *paths) == [0, 1]


def test_the_same_bytes_may_be_a_page_and_a_text(tmp_path: Path) -> None:
    for name in ("a.html", "b.txt", "c.html", "d.txt"):
        (tmp_path / name).write_bytes(b"words with a <b>tag</b> " * 20)
    found = read(tmp_path, once=True, batch=9)
    assert [one["media"] for one in found] == ["text/html", "text/plain"] * 2
    assert [bool(one["texts"]) for one in found] == [True, True, False, False]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Paths of files that a worker was asked about."""
    monkeypatch.setattr(engine_workers, "FORMATS", "engine.fake_formats")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    found: list[bytes] = []
    take = DocumentReader.read

    def counted(self: DocumentReader, source: Source) -> DocumentReading:
        found.append(source.path)
        return take(self, source)

    monkeypatch.setattr(DocumentReader, "read", counted)
    return found


def test_a_worker_is_asked_once_for_the_same_bytes(tmp_path: Path, asked: list[bytes]) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    words = prose(4, 600)
    for tree in "abc":
        (folder / tree).mkdir(parents=True)
        (folder / tree / "said.zip").write_bytes(DEED + words)
        (folder / tree / "locked.zip").write_bytes(DEED + b"encrypted")
        (folder / tree / "empty.zip").write_bytes(DEED + b" ")
        (folder / tree / "box.zip").write_bytes(zipped({"in it.txt": words}))
        (folder / tree / "plain.zip").write_bytes(prose(5, 600))
    (folder / "b" / "said.eml").write_bytes(DEED + words)  # a format is told by the ending, too
    store.scan(folder)
    simple = [path for path in asked if path[2:] in (b"said.zip", b"locked.zip", b"empty.zip")]
    assert sorted(simple) == [b"a/empty.zip", b"a/locked.zip", b"a/said.zip"]
    assert b"b/said.eml" in asked
    there = {one["path"]: one for one in store.documents().to_pylist()}
    assert sorted(path for path in there if path[0] == "c") == [
        "c/box.zip",
        "c/box.zip!/in it.txt",
        "c/plain.zip",
        "c/said.zip",
    ]
    assert {one["media"] for path, one in there.items() if path.endswith("said.zip")} == {"application/x-deed"}
    failed = {one["path"]: one["reason"] for one in store.documents(failed=True).to_pylist()}
    assert failed == {
        f"{tree}/{name}.zip": name if name == "empty" else "encrypted" for tree in "abc" for name in ("locked", "empty")
    }
    groups = [one["paths"] for one in store.identical().to_pylist()]
    assert ["a/said.zip", "b/said.eml", "b/said.zip", "c/said.zip"] in groups
    assert store.check(words.decode()).to_pylist()[0]["resemblance"] == 1
    assert store.scan(folder).new == 0


def test_what_failed_by_chance_is_asked_of_its_copies_too(tmp_path: Path, asked: list[bytes]) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    for tree in "ab":
        (folder / tree).mkdir(parents=True)
        (folder / tree / "slow.zip").write_bytes(DEED + b"hang")
        (folder / tree / "locked.zip").write_bytes(DEED + b"encrypted")
    store.scan(folder, jobs=1, timeout=1)
    assert asked == [b"a/locked.zip", b"a/slow.zip", b"b/slow.zip"]
    assert len(store.documents(failed=True)) == 4


def test_a_copy_where_a_container_was_takes_its_place(tmp_path: Path, asked: list[bytes]) -> None:
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    (folder / "b.zip").write_bytes(zipped({"in it.txt": prose(6, 600)}))
    store.scan(folder)
    for name in ("a.zip", "b.zip"):
        (folder / name).write_bytes(DEED + prose(7, 600))
    store.scan(folder)
    assert [one["path"] for one in store.documents().to_pylist()] == ["a.zip", "b.zip"]
    (group,) = store.identical().to_pylist()
    assert group["paths"] == ["a.zip", "b.zip"]


def test_what_is_attached_to_many_is_asked_once(
    tmp_path: Path, asked: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is encrypted is so in every box; what takes too long may not in another."""
    questions: list[bytes] = []
    ask = engine_workers.Workers.ask

    def counted(self: engine_workers.Workers, about: engine_workers.Request) -> Any:
        questions.append(about.name)
        return ask(self, about)

    monkeypatch.setattr(engine_workers.Workers, "ask", counted)
    folder, store = tmp_path / "docs", Store(tmp_path / "kin.db")
    folder.mkdir()
    inside = {
        "a.zip": DEED + prose(8, 600),
        "b.zip": DEED + b"encrypted",
        "c.zip": DEED + b"hang",
        "d.eml": DEED + b"x y",
    }
    for number in range(3):
        (folder / f"{number}.zip").write_bytes(zipped({f"{number}.txt": b"%d" % number, **inside}))
    store.scan(folder, jobs=1, timeout=1)
    assert [questions.count(name) for name in (b"a.zip", b"b.zip", b"c.zip", b"d.eml")] == [1, 1, 3, 1]
    failed = {one["path"]: one["reason"] for one in store.documents(failed=True).to_pylist()}
    told = {"b.zip": "encrypted", "c.zip": "timed out"}
    assert failed == {f"{number}.zip!/{name}": why for number in range(3) for name, why in told.items()}
    (group,) = (one["paths"] for one in store.identical().to_pylist() if one["paths"][0].endswith("a.zip"))
    assert group == [f"{number}.zip!/a.zip" for number in range(3)]


def test_old_answers_are_forgotten() -> None:
    def entry(name: bytes, text: bytes = b"") -> ParsedDocument:
        return ParsedDocument(Source(name, digest=name), text=text)

    answers = AnswerCache(room=3 * BESIDE + 150)
    for name in (b"a", b"b", b"c"):
        answers.add(entry(name, b"x" * 33))
    assert answers.fill(told := entry(b"a"))
    assert told.text == b"x" * 33
    answers.add(entry(b"d", b"y" * 50))
    assert [answers.fill(entry(name)) for name in (b"a", b"b", b"c", b"d")] == [False, True, True, True]
    answers.add(entry(b"too long", b"z" * 10_000))
    assert not any(answers.fill(entry(name)) for name in (b"a", b"b", b"c", b"d", b"too long"))
    answers.add(entry(b"e"))
    assert answers.fill(entry(b"e"))
