"""Very many documents that are one, are nothing, or share one sentence: the right answer, in memory or not."""

import base64
import random
import sqlite3
from pathlib import Path

import pytest

from formats.memory_growth import Grown
from nearkin.api.store import Store
from nearkin.engine.reader import TIMES, largest_document
from oracle.prose import prose
from store.world import is_sound, listings

pytestmark = pytest.mark.usefixtures("either_insert")

SENTENCE = b" all of this is confidential and must not be passed on to anybody outside of the company without leave "
GROWN = """
import resource, sys
from nearkin.cli.main import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def crowd(folder: Path, texts: list[bytes]) -> Path:
    for number, text in enumerate(texts):
        if number % 1000 == 0:
            (folder / f"{number:06}").mkdir(parents=True)
        (folder / f"{number - number % 1000:06}" / f"{number:06}.txt").write_bytes(text)
    return folder


def repeated(tmp_path: Path, number: int) -> None:
    store = Store(tmp_path / "kin.db")
    summary = store.scan(crowd(tmp_path / "docs", [prose(1, 800)] * number))
    assert (summary.documents, summary.contents, summary.failed, summary.matches) == (number, 1, 0, 0)
    (group,) = store.identical().to_pylist()
    assert len(group["paths"]) == number
    assert (group["tier"], group["overhead"]) == ("bytes", (number - 1) * len(prose(1, 800)))
    (family,) = store.families().to_pylist()
    assert (family["kind"], len(family["documents"])) == ("identical", number)
    assert is_sound(store)


def empty(tmp_path: Path, number: int) -> None:
    store = Store(tmp_path / "kin.db")
    summary = store.scan(crowd(tmp_path / "docs", [b""] * number))
    assert (summary.documents, summary.failed, summary.matches, summary.families) == (number, 0, 0, 0)
    assert store.documents().num_rows == number
    assert is_sound(store)
    again = store.scan(tmp_path / "docs")
    assert (again.documents, again.new, again.changed) == (number, 0, 0)


def one_sentence_in_all(tmp_path: Path, number: int, request: pytest.FixtureRequest) -> None:
    """Also a few that resemble each other, to be found among them."""
    texts = [prose(seed, 300) + SENTENCE + prose(-seed - 1, 300) for seed in range(number)]
    texts += [text + b" and more" for text in texts[:5]]
    folder = crowd(tmp_path / "docs", texts)
    found = []
    for name in ("plenty", "tight"):
        if name == "tight":
            request.getfixturevalue("little")
        store = Store(tmp_path / name / "kin.db")
        store.path.parent.mkdir()
        summary = store.scan(folder, hot=min(1000, number // 2))
        assert (summary.documents, summary.matches, summary.families) == (number + 5, 5, 5)
        assert is_sound(store)
        found.append(listings(store))
    assert found[0] == found[1]
    beside = [{path.name for path in (tmp_path / name).iterdir()} for name in ("plenty", "tight")]
    assert beside[0] == beside[1]


def test_one_document_repeated(tmp_path: Path) -> None:
    repeated(tmp_path, 2000)


def test_empty_documents(tmp_path: Path) -> None:
    empty(tmp_path, 2000)


def test_one_sentence_in_every_document(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    one_sentence_in_all(tmp_path, 400, request)


def test_a_document_too_large_for_this_machine_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nearkin.engine.reader.os.sysconf", lambda _: 400)
    monkeypatch.setattr("nearkin.engine.reader.ALWAYS", 1)
    folder, store = crowd(tmp_path / "docs", [prose(1, 800), prose(2, 40_000)]), Store(tmp_path / "kin.db")
    summary = store.scan(folder, max_size=4 << 30, memory=64 << 20)
    assert (summary.documents, summary.failed) == (1, 1)
    (failed,) = store.documents(failed=True).to_pylist()
    assert failed["reason"] == "too large"
    assert failed["detail"] == "40,000 bytes, over the limit of 20,000: this machine has memory for 8 times as much"


@pytest.mark.parametrize("spec", ["mod:window=20,sample=200,most=64", "exact:window=20"])
def test_what_no_row_can_hold_fails_alone(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of SQLite, a thousand million bytes, made small."""

    def limited(connection: sqlite3.Connection, _: int) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 100_000)

    monkeypatch.setattr("nearkin.run.hold_pages", limited)
    long = base64.b64encode(random.Random(1).randbytes(150_000))
    store = Store(tmp_path / "kin.db")
    folder = crowd(tmp_path / "docs", [prose(1, 800), long, prose(2, 800), long])
    summary = store.scan(folder, scheme=spec)
    assert (summary.documents, summary.failed) == (2, 2)
    told = {(one["reason"], one["detail"]) for one in store.documents(failed=True).to_pylist()}
    assert told == {("too large", "its text or its signature is over the 99,000 bytes that the store can hold of one")}
    assert is_sound(store)
    again = store.scan(folder, scheme=spec)
    assert (again.documents, again.failed, again.changed) == (2, 2, 0)


@pytest.mark.soak
def test_one_document_100_000_times(tmp_path: Path) -> None:
    repeated(tmp_path, 100_000)


@pytest.mark.soak
def test_100_000_empty_documents(tmp_path: Path) -> None:
    empty(tmp_path, 100_000)


@pytest.mark.soak
def test_one_sentence_in_5_000_documents(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    one_sentence_in_all(tmp_path, 5000, request)


@pytest.mark.soak
def test_a_document_of_2_gb(tmp_path: Path) -> None:
    """Read where there is memory enough to compare it, and refused with the reason where not."""
    (tmp_path / "docs").mkdir()
    text = prose(1, 4 << 20)
    (tmp_path / "docs" / "part.txt").write_bytes(text)
    with open(tmp_path / "docs" / "whole.txt", "wb") as file:
        while file.tell() <= 2 << 30:
            file.write(text)
    store = Store(tmp_path / "kin.db")
    with Grown() as grown:
        summary = store.scan(tmp_path / "docs", max_size=4 << 30)
    assert (summary.documents, summary.failed) == ((2, 0) if largest_document() > 2 << 30 else (1, 1))
    assert is_sound(store)
    assert grown.more < TIMES * 2 << 30
    (tmp_path / "docs" / "whole.txt").unlink()
