"""Segments and delta of a store: whatever becomes of the files, what was signed is found."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nearkin.api.store import Store
from nearkin.matching import feature_index
from nearkin.matching import segment_builder as building
from nearkin.matching.feature_index import FeatureIndex
from nearkin.matching.segment_builder import build_segments
from nearkin.scheme import parse_scheme, sign
from nearkin.store.database import connect, transaction
from nearkin.store.segments import delta_of, drop_segments, folder_of, one_builder, remove_unnamed, segment_files
from oracle.prose import prose

SPEC = "mod:window=20,sample=200,most=64"
SCHEME = parse_scheme(SPEC)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for number in range(30):
        size = random.Random(number).randrange(100, 9_000)
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / f"{number:02}.txt").write_bytes(prose(number, size))
    path = tmp_path / "kin.db"
    Store(path).scan(tmp_path / "docs", scheme=SPEC)
    return path


@pytest.fixture
def connection(store: Path) -> Iterator[sqlite3.Connection]:
    opened = connect(store)
    yield opened
    opened.close()


def files(store: Path) -> list[str]:
    return sorted(path.name for path in folder_of(store).iterdir() if path.name != "lock")


def signatures(connection: sqlite3.Connection, scheme: int = 1) -> dict[int, tuple[int, set[int]]]:
    rows = connection.execute("SELECT content, modulus, features FROM signature WHERE scheme = ?", (scheme,))
    return {content: (modulus, set(np.frombuffer(blob, "<u8").tolist())) for content, modulus, blob in rows}


def assert_all_found(connection: sqlite3.Connection, index: FeatureIndex) -> None:
    """Every content, by its own signature at its own modulus, and whoever shares a feature."""
    everything = index.thresholds(resemblance=2.0, containment=2.0, confidence=0.99, floor=1e-9)
    signed = {content: row for content, row in signatures(connection).items() if row[1]}
    assert len(signed) > 20
    for modulus, features in signed.values():
        asked = np.array(sorted(features), np.uint64)
        hits = index.search(asked, everything, modulus=modulus)
        sharing = {content: len(features & theirs) for content, (_, theirs) in signed.items() if features & theirs}
        assert dict(zip(hits.contents.tolist(), hits.shared.tolist(), strict=True)) == sharing
    asked = np.array(sorted({feature for _, features in signed.values() for feature in features}), np.uint64)
    offsets, contents = index.lists(asked)
    for i, feature in enumerate(asked.tolist()):
        found = contents[int(offsets[i]) : int(offsets[i + 1])].tolist()
        assert sorted(found) == sorted(content for content, (_, theirs) in signed.items() if feature in theirs)


def more(store: Path, first: int, count: int = 3) -> None:
    folder = store.parent / "docs"
    for number in range(first, first + count):
        (folder / f"{number}.txt").write_bytes(prose(number, 1_500))
    Store(store).scan(folder, scheme=SPEC)


def test_a_scan_leaves_one_segment_of_everything(store: Path, connection: sqlite3.Connection) -> None:
    (one,) = segment_files(connection, 1)
    assert files(store) == [one.name]
    assert delta_of(connection, 1) == []
    assert one.contents == len(signatures(connection))
    assert folder_of(store).stat().st_mode & 0o777 == 0o700
    assert (folder_of(store) / one.name).stat().st_mode & 0o777 == 0o600
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))


def test_what_comes_later_waits_in_the_delta_and_is_found(store: Path, connection: sqlite3.Connection) -> None:
    index = FeatureIndex(connection, store, SCHEME, 1)
    assert_all_found(connection, index)
    before = files(store)
    for first in (100, 110, 120):  # the index follows, without being opened again
        more(store, first)
        assert_all_found(connection, index)
    assert files(store) == before
    assert len(delta_of(connection, 1)) == 9


def test_segments_are_merged_and_stay_few(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "WAIT", 1)
    monkeypatch.setattr(building, "RUN", 500)  # features: several runs for the first
    monkeypatch.setattr(build_segments, "__kwdefaults__", {**(build_segments.__kwdefaults__ or {}), "least": 1})
    index = FeatureIndex(connection, store, SCHEME, 1)
    for first in range(100, 160, 5):
        more(store, first, count=1)
        assert_all_found(connection, index)
        assert delta_of(connection, 1) == []
        assert 1 <= len(segment_files(connection, 1)) <= 4
        assert files(store) == sorted(one.name for one in segment_files(connection, 1))


def test_what_sound_segments_hold_is_not_written_again(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_segments, "__kwdefaults__", {**(build_segments.__kwdefaults__ or {}), "least": 1})
    more(store, 100, count=1)
    large, small = segment_files(connection, 1)
    assert small.contents == 1
    (folder_of(store) / small.name).unlink()
    build_segments(connection, store, SCHEME, 1)
    kept, made = segment_files(connection, 1)
    assert (kept, made.contents) == (large, 1)
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))


def spoil(how: str, path: Path) -> None:
    data = path.read_bytes()
    match how:
        case "lost":
            path.unlink()
        case "foreign":
            path.write_bytes(b"something else entirely" * 100)
        case "cut short":
            path.write_bytes(data[: len(data) // 2])
        case "damaged inside":
            path.write_bytes(data[:-2000] + b"\xff" * 2000)


@pytest.mark.parametrize("how", ["lost", "foreign", "cut short", "damaged inside"])
def test_a_spoilt_segment_is_made_anew(store: Path, connection: sqlite3.Connection, how: str) -> None:
    (before,) = segment_files(connection, 1)
    spoil(how, folder_of(store) / before.name)
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
    (after,) = segment_files(connection, 1)
    assert after.name != before.name
    assert files(store) == [after.name]


def test_a_lost_folder_is_made_anew(store: Path, connection: sqlite3.Connection) -> None:
    for path in folder_of(store).iterdir():
        path.unlink()
    folder_of(store).rmdir()
    assert Store(store).check(prose(3, 3_000)).num_rows == 1
    assert len(files(store)) == 1
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))


def test_who_may_not_write_serves_from_memory(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(feature_index, "build_segments", refused)
    (one,) = segment_files(connection, 1)
    (folder_of(store) / one.name).unlink()
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
    assert files(store) == []


def test_who_comes_second_does_not_wait(store: Path, connection: sqlite3.Connection) -> None:
    (one,) = segment_files(connection, 1)
    (folder_of(store) / one.name).unlink()
    with one_builder(store, wait=True) as mine:
        assert mine
        assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
    assert segment_files(connection, 1) == [one]


def test_a_transaction_of_the_callers_is_left_alone(store: Path, connection: sqlite3.Connection) -> None:
    (one,) = segment_files(connection, 1)
    (folder_of(store) / one.name).unlink()
    with transaction(connection):
        assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
        assert connection.in_transaction
    assert segment_files(connection, 1) == [one]


def test_too_long_a_delta_is_written_by_who_meets_it(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    more(store, 100, count=5)
    monkeypatch.setattr(feature_index, "MANY", 4)
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
    assert delta_of(connection, 1) == []


def test_a_scan_is_done_though_its_segments_could_not_be_written(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("nearkin.run.build_segments", full)
        more(store, 100)
    assert connection.execute("SELECT DISTINCT state FROM run").fetchall() == [("done",)]
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nearkin.run.build_segments", stopped)
    with pytest.raises(KeyboardInterrupt):
        more(store, 200)
    assert connection.execute("SELECT DISTINCT state FROM run").fetchall() == [("done",)]


def test_killed_before_the_files_are_named_nothing_is_changed(
    store: Path, connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    more(store, 100)
    before = segment_files(connection, 1)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(building, "replace_segments", killed)
        patched.setattr(building, "remove_unnamed", lambda *_: None)  # who is killed clears nothing up
        with pytest.raises(KeyboardInterrupt):
            build_segments(connection, store, SCHEME, 1, least=1)
    assert segment_files(connection, 1) == before
    assert len(files(store)) == 2
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))
    build_segments(connection, store, SCHEME, 1, least=1)
    assert delta_of(connection, 1) == []
    assert files(store) == sorted(one.name for one in segment_files(connection, 1))


def test_ignored_features_make_segments_stale(store: Path, connection: sqlite3.Connection) -> None:
    signed = signatures(connection)
    one, (modulus, features) = max(signed.items(), key=lambda row: len(row[1][1]))
    ignored = np.array(sorted(features)[: len(features) // 2], np.uint64)
    index = FeatureIndex(connection, store, SCHEME, 1, ignored)
    bars = index.thresholds(resemblance=0.99, containment=2.0, confidence=0.99)
    hits = index.search(np.array(sorted(features), np.uint64), bars, modulus=modulus)
    assert hits.contents.tolist() == [one]
    assert hits.sizes.tolist() == hits.shared.tolist() == [len(features) - len(ignored)]
    (made,) = segment_files(connection, 1)
    assert made.templates
    assert_all_found(connection, FeatureIndex(connection, store, SCHEME, 1))  # and back again
    (made,) = segment_files(connection, 1)
    assert made.templates == b""


def test_what_is_forgotten_is_in_no_file(store: Path, connection: sqlite3.Connection) -> None:
    gone = max(signatures(connection))
    with transaction(connection):
        connection.execute("DELETE FROM signature WHERE content = ?", (gone,))
        drop_segments(connection, [1])
    remove_unnamed(connection, store)
    assert files(store) == []
    index = FeatureIndex(connection, store, SCHEME, 1)
    assert_all_found(connection, index)
    assert gone not in index.lists(np.array(sorted(sign(prose(3, 500), SCHEME).features), np.uint64))[1].tolist()


def test_codes_have_no_segments(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_bytes(prose(1, 3_000))
    Store(tmp_path / "kin.db").scan(tmp_path / "docs", scheme="si:method=1,stream=word,variation=A,k=4")
    connection = connect(tmp_path / "kin.db")
    assert connection.execute("SELECT count(*) FROM segment").fetchone() == (0,)
    assert connection.execute("SELECT count(*) FROM delta").fetchone() == (0,)
    connection.close()


@pytest.mark.parametrize("spec", ["exact", "mod:n=100", "min:n=50", "min:n=50,mod=4", "sketch:n=100", "bsw:n=20"])
def test_every_set_scheme_has_its_segments(store: Path, spec: str) -> None:
    other = store.with_name("other.db")
    (store.parent / "docs" / "nothing.txt").write_bytes(b"...")  # no word: no feature
    (store.parent / "docs" / "little.txt").write_bytes(b"a few words")
    Store(other).scan(store.parent / "docs", scheme=spec)
    assert len(files(other)) == 1
    assert Store(other).check(prose(7, 9_000)[:4_000], min_resemblance=0.01).num_rows == 1
