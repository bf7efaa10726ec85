"""What was read, cached: the same texts and the same join as of what is read back, or none at all."""

import os
import random
import weakref
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import Store, _native
from nearkin.api.texts import IGNORED, canon_for
from nearkin.engine import scan_files
from nearkin.group import grouping
from nearkin.matching import matcher
from nearkin.matching.candidates import Levels, Postings, find_candidates
from nearkin.matching.scan_cache import CachedContents, ScanCache
from nearkin.scheme import parse_scheme, sign
from nearkin.settings import MatchSettings
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import Contents
from nearkin.store.database import connect
from nearkin.store.segments import signed_contents, signed_rows
from nearkin.store.signatures import Signatures, signatures, signatures_of
from oracle.prose import prose

SCHEME = parse_scheme("mod:window=20,sample=200,most=64")
RAW = canon_for(True, IGNORED, SCHEME)
ROOM = 1 << 20


def collection() -> list[bytes]:
    texts = [prose(i // 3, 400 + 90 * (i // 3)) + prose(100 + i, i % 3 * 40) for i in range(60)]
    return [*texts, b"short"]


def readings(texts: list[bytes], scheme: str = "mod:window=20,sample=200,most=64") -> DocumentBatch:
    """Some at a time; an empty one comes first."""
    how = scan_files.recipe(parse_scheme(scheme), RAW, max_size=1 << 30)
    given = [b"", *texts]
    batch = _native.ingest_bytes(given, [False] * len(given), how)
    return DocumentBatch.of_rows([b"%d" % i for i in range(len(given))], batch, raw=True)


def contents(texts: list[bytes]) -> Contents:
    digests = [sha256(text).digest() for text in texts]
    return Contents(np.arange(len(texts)), digests, np.array([len(text) for text in texts]))


def cached(*batches: DocumentBatch, texts: int = ROOM, signatures: int = ROOM, asked: list[bytes]) -> CachedContents:
    cache = ScanCache(texts=texts, signatures=signatures)
    for batch in batches:
        cache.add(batch)
    in_order = cache.in_order_of(contents(asked))
    assert in_order is not None
    assert cache.in_order_of(contents(asked)) is None, "it was handed over"
    return in_order


def test_they_are_joined_as_those_end_to_end_are() -> None:
    texts = collection()
    random.Random(1).shuffle(texts)
    batches = readings(texts[:30]), readings(texts[20:])
    texts.sort()
    kept = cached(*batches, asked=texts)
    read = kept.signatures
    assert read is not None
    signed = [sign(text, SCHEME) for text in texts]
    whole = Postings(
        np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        np.concatenate([one.features for one in signed]),
        np.zeros(0, np.uint32),
        np.array([one.modulus for one in signed], np.uint64),
    )
    assert np.concatenate([*read.features_of(np.arange(len(texts)))]).tobytes() == whole.features.tobytes()
    found, expected = (find_candidates(one, SCHEME, MatchSettings(), threads=2) for one in (read, whole))
    assert len(expected.a) > 20
    for name in ("a", "b", "shared", "size_a", "size_b", "united", "strong"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    rows = np.array([5, 0, 0, len(texts) - 1])
    few = kept.signatures_of(rows)
    assert few is not None
    assert few.features.tolist() == np.concatenate([signed[row].features for row in rows]).tolist()
    assert few.offsets.tolist() == np.cumsum([0, *(len(signed[row]) for row in rows)]).tolist()
    assert few.moduli.tolist() == [signed[row].modulus for row in rows]
    rows = np.array([*rows, -1])
    some = [[] if row < 0 else signed[row].features.tolist() for row in rows]
    before = read.features_of(rows)
    assert [one.tolist() for one in before] == some
    assert read.features.tobytes() == whole.features.tobytes()
    assert [one.tolist() for one in read.features_of(rows)] == some, "wherever they are now"
    assert [one.tolist() for one in before] == some, "what was lent is still there"
    assert len(before) == len(rows)
    for beyond in (-2, len(texts)):
        with pytest.raises(IndexError, match="no content"):
            read.features_of(np.array([beyond]))


def test_signatures_of_all_or_of_none() -> None:
    texts = collection()
    batch = [readings(texts[:-1]) for _ in range(3)]
    assert cached(batch[0], asked=texts).signatures is None
    assert cached(batch[1], asked=[*texts[:10], b"unknown"]).signatures is None
    assert cached(batch[2], asked=texts[:10]).signatures is not None
    size = sum(8 * len(sign(text, SCHEME).features) for text in texts)
    for room, some in ((size - 1, False), (size, True)):
        found = cached(readings(texts), signatures=room, asked=texts)
        assert (found.signatures is not None) == some
    later = (readings(texts), readings([prose(5, 900)]))
    found = cached(*later, signatures=size, asked=texts)
    assert found.signatures is None, "nothing is held that is of no use"
    assert found.signatures_of(np.arange(2)) is None
    held = found.texts(range(len(texts)))
    assert held is not None
    assert list(held) == texts
    weighted = cached(readings(texts, "tttd:mean=100"), asked=texts)
    assert weighted.signatures is None, "weights are read from the store"


def test_texts_while_there_is_room() -> None:
    first, second, third = prose(1, 3000), prose(2, 9000), prose(3, 3000)
    room = len(first) + len(third)
    batches = map(readings, ([first], [first], [second, first], [third]))
    found = cached(*batches, texts=room, asked=[first, second, third])
    held = found.texts([2, 1, 0])
    assert not held.complete
    assert list(held) == [b"", b"", first], "after the first that there was no room for, none is kept"
    assert found.signatures is not None
    assert found.texts([0]).complete
    assert ScanCache(texts=ROOM, signatures=ROOM).in_order_of(contents([first])) is None
    very_long = first * 12_000
    later = cached(readings([very_long]), readings([third]), texts=room, asked=[third, very_long]).texts([0, 1])
    assert list(later) == [third, b""], "one very long text leaves the room to others"


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 12), max_size=6), max_size=6),
    st.lists(st.integers(0, 15), unique=True),
    st.integers(0, 20_000),
    st.integers(0, 20_000),
)
def test_against_a_dictionary(batches: list[list[int]], asked: list[int], for_texts: int, for_features: int) -> None:
    made = [prose(i, 30 + 90 * i) for i in range(16)]
    met = {i for batch in batches for i in batch}
    given = (readings([made[i] for i in batch]) for batch in batches)
    wanted = [made[i] for i in asked]
    if not batches:
        assert ScanCache(texts=for_texts, signatures=for_features).in_order_of(contents(wanted)) is None
        return
    found = cached(*given, texts=for_texts, signatures=for_features, asked=wanted)
    held = found.texts(range(len(asked)))
    for i, text in zip(asked, held, strict=True):
        assert text in (b"", made[i] if i in met else b"")
    if for_texts >= sum(len(made[i]) for batch in batches for i in batch):
        assert list(held) == [made[i] if i in met else b"" for i in asked]
    signed = found.signatures
    if signed is not None:
        assert met >= set(asked)
        lists = [sign(text, SCHEME).features for text in wanted]
        where = signed.features_of(np.arange(len(asked)))
        assert [one.tolist() for one in where] == [one.tolist() for one in lists]
        assert signed.moduli.tolist() == [sign(text, SCHEME).modulus for text in wanted]


@pytest.mark.parametrize("most", [1, 300, 1000, 1 << 20])
def test_rows_for_a_segment_are_those_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate([b"", *collection()]):
        (folder / f"{i}.txt").write_bytes(text)
    views: list[CachedContents] = []
    in_order_of = ScanCache.in_order_of

    def keep(cache: ScanCache, contents: Contents) -> CachedContents | None:
        view = in_order_of(cache, contents)
        views.extend([] if view is None else [view])
        return view

    monkeypatch.setattr(ScanCache, "in_order_of", keep)
    Store.open(tmp_path / "store.db").scan(folder)
    with closing(connect(tmp_path / "store.db")) as connection:
        ids = np.array(signed_contents(connection, 1))
        (stored,) = signed_rows(connection, 1, ids.tolist(), 1 << 30)
        (empty,) = connection.execute("SELECT id FROM content WHERE length = 0").fetchone()
    (view,) = views
    assert ids[~view.has_signatures_of(ids)].tolist() == [empty]
    parts = list(view.signed_rows(ids, most))
    assert len(parts) > 1 or most > 1000
    assert all(one.offsets[-1] < most + 400 for one in parts)
    assert np.concatenate([one.contents for one in parts]).tolist() == stored.contents.tolist()
    lists = np.split(np.asarray(stored.features), stored.offsets[1:-1].astype(np.int64))
    assert [some.tolist() for one in parts for some in one.features] == [some.tolist() for some in lists]
    assert np.concatenate([np.diff(one.offsets) for one in parts]).tolist() == np.diff(stored.offsets).tolist()
    assert np.concatenate([one.moduli for one in parts]).tolist() == stored.moduli.tolist()
    assert not any(len(one.weights) for one in parts)
    levels = Levels.of(SCHEME)
    ignored = np.unique(np.asarray(stored.features))[::5]
    segments = [levels.segment(one, ignored=ignored) for one in parts]
    _native.Segment.merge(segments, str(tmp_path / "held"), token=bytes(16))
    levels.segment(stored, ignored=ignored).save(str(tmp_path / "stored"))
    assert (tmp_path / "held").read_bytes() == (tmp_path / "stored").read_bytes()


def test_nothing_is_held_when_the_index_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_bytes(prose(1, 900))
    held: list[weakref.ref[CachedContents]] = []
    in_order_of = ScanCache.in_order_of

    def watch(cache: ScanCache, contents: Contents) -> CachedContents | None:
        view = in_order_of(cache, contents)
        held.extend([] if view is None else [weakref.ref(view)])
        return view

    def index(*_: object, **__: object) -> None:
        assert [view() for view in held] == [None]

    monkeypatch.setattr(ScanCache, "in_order_of", watch)
    monkeypatch.setattr("nearkin.run.build_segments", index)
    Store.open(tmp_path / "store.db").scan(tmp_path / "folder")
    assert held


def test_copies_come_without_what_came_before(tmp_path: Path) -> None:
    texts = [prose(1, 900), prose(2, 900)]
    for i in range(6):
        (tmp_path / f"{i}.txt").write_bytes(texts[i % 2])
    how = scan_files.recipe(SCHEME, RAW, max_size=1 << 30)
    paths = [b"%d.txt" % i for i in range(6)]
    read = list(scan_files.ingest(os.fsencode(tmp_path), paths, how, jobs=1, once=True))
    found = cached(*read, asked=texts)
    held = found.texts([0, 1])
    assert held is not None
    assert list(held) == texts
    assert found.signatures is not None


def test_a_digest_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        _native.TextContents().put_in_order_of([b"short"])


def test_a_first_scan_reads_no_signature_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate(collection()):
        (folder / f"{i}.txt").write_bytes(text)
    asked: list[object] = []

    def counted(*about: Any) -> Signatures:
        asked.append(about)
        return signatures(*about)

    def few(connection: Any, scheme: int, ids: Any) -> Signatures | None:
        asked.append(ids)
        return signatures_of(connection, scheme, ids)

    monkeypatch.setattr(matcher, "signatures", counted)
    monkeypatch.setattr(grouping, "signatures_of", few)
    first, second = (Store.open(tmp_path / name) for name in ("first.db", "second.db"))
    first.scan(folder)
    assert asked == []
    monkeypatch.setattr(ScanCache, "add", lambda *_: None)
    second.scan(folder)
    assert len(asked) == 2
    found = first.matches()
    assert len(found) > 20
    assert found == second.matches()
