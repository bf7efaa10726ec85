"""The first segment is made while a scan stores its results: named when the scan has ended, gone where it has not."""

from contextlib import closing
from pathlib import Path

import pytest

from nearkin.api.store import Store
from nearkin.group.grouping import Grouping
from nearkin.matching.segment_builder import NONE, Builder, SegmentAhead
from nearkin.scheme import parse_scheme
from nearkin.store.database import connect
from nearkin.store.segments import delta_of, folder_of, one_builder, segment_files
from oracle.prose import prose

SPEC = "mod:window=20,sample=200,most=64"
SCHEME = parse_scheme(SPEC)
HEADER = 512  # holds what makes each file another: a token, and sums over it


@pytest.mark.parametrize("error", [MemoryError, OSError(28, "No space left on device")])
def test_where_it_cannot_be_made_nobody_is_bothered(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    error: type[Exception] | Exception,
) -> None:
    def failed(*_: object) -> None:
        raise error

    monkeypatch.setattr(Builder, "first", failed)
    Store(tmp_path / "kin.db").scan(folder, scheme=SPEC)
    assert capfd.readouterr().err == ""
    assert len(files(tmp_path / "kin.db")) == 1, "made afterwards"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(12):
        (docs / f"{number:02}.txt").write_bytes(prose(number, 1_000) if number else b"")
    return docs


def files(store: Path) -> list[str]:
    return sorted(path.name for path in folder_of(store).iterdir() if path.name != "lock")


def made(store: Path) -> tuple[int, int, int, bytes]:
    """The only segment, but for what makes it another."""
    with closing(connect(store)) as connection:
        (one,) = segment_files(connection, 1)
        assert delta_of(connection, 1) == []
    assert files(store) == [one.name]
    return one.contents, one.postings, one.bytes, (folder_of(store) / one.name).read_bytes()[HEADER:]


def test_it_holds_what_one_made_afterwards_does(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("the segment was there already")

    with monkeypatch.context() as patched:
        patched.setattr(Builder, "_sound", refused)  # where one is brought up to date the ordinary way
        with pytest.raises(AssertionError):
            Store(tmp_path / "ahead.db").scan(folder, scheme=SPEC)
    with monkeypatch.context() as patched:
        patched.setattr(Builder, "first", lambda *_: None)
        Store(tmp_path / "after.db").scan(folder, scheme=SPEC)
    assert made(tmp_path / "ahead.db") == made(tmp_path / "after.db")


def test_texts_without_a_letter_have_one_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "dots.txt").write_bytes(b"...")
    monkeypatch.setattr(Builder, "build", lambda *_: None)
    Store(tmp_path / "kin.db").scan(tmp_path / "docs", scheme=SPEC)
    assert made(tmp_path / "kin.db")[:2] == (1, 0)


def test_of_a_scan_that_fails_nothing_stays(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "kin.db"

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("nearkin.matching.segment_builder.RUN", 1)  # content by content, each in a file of its own
        patched.setattr(Grouping, "store", stopped)
        with pytest.raises(KeyboardInterrupt):
            Store(store).scan(folder, scheme=SPEC)
    assert files(store) == []
    with one_builder(store, wait=False) as mine:
        assert mine, "whoever comes next may build"
    Store(store).scan(folder, scheme=SPEC)
    assert len(files(store)) == 1


def test_whoever_groups_again_leaves_the_turn_to_others(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    Store(store).scan(folder, scheme=SPEC)
    (folder / "13.txt").write_bytes(prose(1, 1_000) + b" and more")
    Store(store).scan(folder, scheme=SPEC)
    Store(store).set_verdict(("01.txt", "13.txt"), "not-similar")
    with one_builder(store, wait=False) as mine:
        assert mine


def test_a_full_disk_leaves_it_to_whoever_comes_next(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "kin.db"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Builder, "_merged", full)
        Store(store).scan(folder, scheme=SPEC)
    connection = connect(store)
    assert connection.execute("SELECT state FROM run").fetchall() == [("done",)]
    assert len(delta_of(connection, 1)) == 12
    connection.close()


def test_another_builder_is_not_disturbed(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "kin.db"
    Store(store).scan(folder, scheme=SPEC)
    with one_builder(store, wait=False) as mine:
        assert mine
        with closing(connect(store)) as connection:
            SegmentAhead(store, SCHEME, 1, ignored=NONE, memory=1 << 20, cached=None).give_up(connection)
    assert len(files(store)) == 1
