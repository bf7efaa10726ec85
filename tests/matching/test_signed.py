"""Signatures remembered from reading: the same join as of those read back, or none at all."""

import random
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nearkin import Store
from nearkin.matching import carry
from nearkin.matching.candidates import Postings, ReadPostings, find_candidates
from nearkin.matching.signed import SignatureCache
from nearkin.model import Readings
from nearkin.scheme import parse_scheme, sign
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents
from nearkin.store.signatures import Signatures, signatures
from oracle.prose import prose

SCHEME = parse_scheme("mod:window=20,sample=200,most=64")


def collection() -> list[bytes]:
    texts = [prose(i // 3, 400 + 90 * (i // 3)) + prose(100 + i, i % 3 * 40) for i in range(60)]
    return [*texts, b"short"]


def readings(texts: list[bytes], weights: bytes | None = None) -> Readings:
    """Only what is remembered; a file without a text comes first."""
    signed = [sign(text, SCHEME) for text in texts]
    columns: dict[str, list[object]] = {field.name: [None] * (len(texts) + 1) for field in fields(Readings)}
    columns["contents"] = [None, *texts]  # any bytes will do for a digest
    columns["moduli"] = [1, *(one.modulus for one in signed)]
    columns["features"] = [b"", *(one.features.tobytes() for one in signed)]
    columns["weights"] = [None, *([weights] * len(texts))]
    return Readings(**columns)  # type: ignore[arg-type]


def contents(texts: list[bytes]) -> Contents:
    return Contents(np.arange(len(texts)), texts, np.array([len(text) for text in texts]))


def test_they_are_joined_as_those_end_to_end_are() -> None:
    texts = collection()
    random.Random(1).shuffle(texts)
    cache = SignatureCache(1 << 20)
    cache.remember(readings(texts[:30]))
    cache.remember(readings(texts[20:]))
    texts.sort()
    read = cache.of(contents(texts))
    assert isinstance(read, ReadPostings)
    signed = [sign(text, SCHEME) for text in texts]
    whole = Postings(
        np.cumsum([0, *map(len, signed)], dtype=np.uint64),
        np.concatenate([one.features for one in signed]),
        np.zeros(0, np.uint32),
        np.array([one.modulus for one in signed], np.uint64),
    )
    assert read.features.tobytes() == whole.features.tobytes()
    found, expected = (find_candidates(one, SCHEME, MatchSettings(), threads=2) for one in (read, whole))
    assert len(expected.a) > 20
    for name in ("a", "b", "shared", "size_a", "size_b", "united", "strong"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_all_or_nothing() -> None:
    texts = collection()
    cache = SignatureCache(1 << 20)
    cache.remember(readings(texts[:-1]))
    assert cache.of(contents(texts)) is None
    assert cache.of(contents([*texts[:10], b"unknown"])) is None
    assert cache.of(contents(texts[:10])) is not None
    size = sum(8 * len(sign(text, SCHEME).features) for text in texts)
    for room, some in ((size, False), (size + 1, True)):
        cache = SignatureCache(room)
        cache.remember(readings(texts))
        assert bool(cache.signed) == some
        cache.remember(readings([prose(5, 900)]))
        assert not cache.signed, "nothing is held that is of no use"
    cache = SignatureCache(1 << 20)
    cache.remember(readings(texts, weights=b"\1\0\0\0"))
    assert cache.of(contents(texts)) is None, "weights are read from the store"


def test_a_list_of_another_length_is_refused() -> None:
    cache = SignatureCache(1 << 20)
    cache.remember(readings([prose(1, 300), prose(2, 300)]))
    read = cache.of(contents([prose(1, 300), prose(2, 300)]))
    assert read is not None
    read.lists[1] = read.lists[1][:-8]
    with pytest.raises(ValueError, match="another length"):
        find_candidates(read, SCHEME, MatchSettings(), threads=1)
    read.lists.pop()
    with pytest.raises(ValueError, match="fit together"):
        find_candidates(read, SCHEME, MatchSettings(), threads=1)


def test_a_first_scan_reads_no_signature_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for i, text in enumerate(collection()):
        (folder / f"{i}.txt").write_bytes(text)
    asked: list[object] = []

    def counted(*about: Any) -> Signatures:
        asked.append(about)
        return signatures(*about)

    monkeypatch.setattr(carry, "signatures", counted)
    first, second = (Store.open(tmp_path / name) for name in ("first.db", "second.db"))
    first.scan(folder)
    assert asked == []
    monkeypatch.setattr(SignatureCache, "remember", lambda *_: None)
    second.scan(folder)
    assert len(asked) == 1
    found = first.matches()
    assert len(found) > 20
    assert found == second.matches()
