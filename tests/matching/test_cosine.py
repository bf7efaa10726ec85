"""Collisions and cosines: which pairs are found, what they score, in pieces of any size."""

import random
from collections.abc import Sequence
from itertools import combinations
from string import ascii_lowercase

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.group.families import Evidence, complete_to_pivot
from nearkin.group.views import chain
from nearkin.matching.candidates import Postings
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.score import cosine_of, cosines, find_matches, find_similar, rank
from nearkin.matching.verify import Corpus
from nearkin.scheme import parse_scheme, sign
from nearkin.settings import MatchSettings
from oracle import terms as oracle

FUZZY = parse_scheme("fuzzy")


def words(seed: int, count: int = 300) -> list[str]:
    """A text of a topic of its own: some words, and so some first letters, are frequent."""
    dice = random.Random(seed)
    lexicon = [f"{dice.choice(ascii_lowercase)}{dice.choice('aeiou')}{number}q" for number in range(60)]
    return dice.choices(lexicon, [1 / (1 + rank) for rank in range(60)], k=count)


def shelf(seeds: int = 6, versions: int = 4) -> list[bytes]:
    """Families of edited texts, and one that is too short to have a fingerprint."""
    texts = [b"nothing much"]
    for seed in range(seeds):
        text = words(seed)
        for version in range(versions):
            dice = random.Random(f"{seed} {version}")
            texts.append(" ".join(w if dice.random() > 0.02 * version else dice.choice(text) for w in text).encode())
    return texts


def postings_of(texts: list[bytes]) -> Postings:
    features = [sign(text, FUZZY).features for text in texts]
    return Postings(
        offsets=np.cumsum([0, *map(len, features)], dtype=np.uint64),
        features=np.concatenate([np.zeros(0, np.uint64), *features]),
        weights=np.zeros(0, np.uint32),
        moduli=np.ones(len(texts), np.uint64),
    )


def lengths_of(texts: list[bytes]) -> "np.typing.NDArray[np.int64]":
    return np.array([len(text) for text in texts], np.int64)


def expected(texts: list[bytes], least: float) -> dict[tuple[int, int], float]:
    codes = [set(sign(text, FUZZY).features.tolist()) for text in texts]
    found = {}
    for a, b in combinations(range(len(texts)), 2):
        if codes[a] & codes[b] and (score := oracle.cosine(texts[a].decode(), texts[b].decode())) >= least:
            found[a, b] = score
    return found


def as_pairs(matches: MatchColumns) -> dict[tuple[int, int], float]:
    return dict(
        zip(zip(matches.a.tolist(), matches.b.tolist(), strict=True), matches.resemblance.tolist(), strict=True)
    )


@given(
    st.lists(st.sets(st.integers(0, 9), max_size=4), max_size=20),
    st.integers(1, 50),
)
def test_collisions_are_all_pairs_with_a_feature_in_common(features: list[set[int]], most: int) -> None:
    offsets = np.cumsum([0, *map(len, features)], dtype=np.uint64)
    flat = np.array([feature for some in features for feature in sorted(some)], np.uint64)
    found, pairs = _native.Collisions(offsets, flat), []
    while len((part := found.next(most))[0]):
        pairs += list(zip(*(side.tolist() for side in part), strict=True))
    assert pairs == [(a, b) for a, b in combinations(range(len(features)), 2) if features[a] & features[b]]


def test_offsets_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="offsets"):
        _native.Collisions(np.array([0, 3], np.uint64), np.zeros(2, np.uint64))
    with pytest.raises(ValueError, match="offsets"):
        _native.Collisions(np.zeros(0, np.uint64), np.zeros(0, np.uint64))


@pytest.mark.parametrize(("memory", "most", "threads"), [(1 << 30, 1 << 20, 1), (4000, 7, 2), (1, 1, 1)])
def test_similar_pairs_are_colliding_ones_of_enough_cosine(memory: int, most: int, threads: int) -> None:
    texts = shelf()

    def load(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] for row in rows]

    limits = MatchSettings(threshold=0.8, floor=0.6)
    found = find_similar(postings_of(texts), Corpus(lengths_of(texts), load, memory, threads), limits, most=most)
    wanted = expected(texts, 0.6)
    assert len(wanted) > 20
    assert as_pairs(found) == pytest.approx(wanted, abs=1e-12)
    assert found.exact.all()
    assert np.isnan(found.a_in_b).all()
    assert np.isnan(found.b_in_a).all()


def test_a_text_that_was_not_kept_is_in_no_match() -> None:
    texts = shelf(2)
    limits = MatchSettings(threshold=0.8, floor=0.6)

    def load(rows: Sequence[int]) -> list[bytes | None]:
        return [None if row == 1 else texts[row] for row in rows]

    corpus = Corpus(lengths_of(texts), load, 1 << 20, threads=1)
    found = find_matches(postings_of(texts), corpus, FUZZY, limits).matches
    pairs = as_pairs(found)
    assert pairs == pytest.approx({pair: s for pair, s in expected(texts, 0.6).items() if 1 not in pair}, abs=1e-12)
    assert pairs


def test_matches_join_families_by_cosine_and_are_measured_to_their_pivot() -> None:
    texts = shelf()

    def load(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] for row in rows]

    limits = MatchSettings(threshold=0.9, floor=0.9)
    lengths = lengths_of(texts)
    corpus = Corpus(lengths, load, 1 << 20, threads=1)
    matches = find_matches(postings_of(texts), corpus, FUZZY, limits).matches
    families = chain(Evidence.of(matches, limits), lengths, np.ones(len(texts), np.int64)).listed()
    assert sorted(sorted(family.members) for family in families) == [
        list(range(first, first + 4)) for first in range(1, 25, 4)
    ]
    assert not any(family.parts for family in families)
    for family in families:
        family.to_pivot = {family.pivot: 1.0}
    complete_to_pivot(families, corpus, None)
    for family in families:
        pivot = texts[family.pivot].decode()
        assert family.to_pivot == pytest.approx(
            {row: oracle.cosine(pivot, texts[row].decode()) for row in family.members}, abs=1e-12
        )


def test_contents_are_ranked_by_their_cosine_with_a_query() -> None:
    texts = [shelf()[5], *shelf(), "война и мир".encode(), b""]

    def load(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] for row in rows]

    rows = np.array([1, 10, 7, 6, 9, 8, 26, 27], np.uint32)
    for memory in (1 << 20, 1):
        found = rank(rows, Corpus(lengths_of(texts), load, memory, threads=1))
        assert found[0] == (6, 1.0)
        assert {row for row, _ in found[1:4]} == {7, 8, 9}
        assert found == sorted(found, key=lambda one: (-one[1], one[0]))
        assert dict(found) == pytest.approx(
            {row: oracle.cosine(texts[0].decode(), texts[row].decode()) for row in rows.tolist() if row != 27},
            abs=1e-12,
        )
    assert rank(rows[:0], Corpus(lengths_of(texts), load, 1, threads=1)) == []


def test_a_cosine_of_texts_without_terms_is_none() -> None:
    assert cosine_of(b"the of and", b"cat dog") is None
    assert cosine_of(b"cat dog", b"dog cat") == 1.0
    one = np.zeros(1, np.uint32)
    corpus = Corpus(np.array([3, 3]), lambda rows: [None, b"cat"], 9, threads=1)
    assert np.isnan(cosines(one, one + 1, corpus)).all()
