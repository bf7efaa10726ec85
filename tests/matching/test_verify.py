"""Exact measures on texts against sets of byte strings."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme.shingler import UNITS, Shingler
from oracle import units
from oracle.prose import prose
from oracle.shingles import containment, covered, resemblance, shingles

Rows = NDArray[np.uint32]


def rows(pairs: list[tuple[int, int]]) -> tuple[Rows, Rows]:
    table = np.array(pairs, np.uint32).reshape(-1, 2)
    return np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1])


def measures(
    texts: list[bytes],
    pairs: list[tuple[int, int]],
    *,
    window: int,
    bounds: tuple[float, float] = (0, 0),
    threads: int = 1,
) -> list[tuple[int, ...]]:
    a, b = rows(pairs)
    columns = _native.verify(
        texts,
        a,
        b,
        shingler=Shingler(window).native(),
        resemblance=bounds[0],
        containment=bounds[1],
        threads=threads,
    )
    return list(zip(*(column.tolist() for column in columns[:3]), strict=True))


def by_sets(a: bytes, b: bytes, window: int) -> tuple[int, ...]:
    first, second = shingles(a, window), shingles(b, window)
    return (len(first & second), len(first), len(second))


def reaches(measure: tuple[int, ...], bounds: tuple[float, float]) -> bool:
    shared, first, second = measure
    return bool(shared) and (
        shared / (first + second - shared) >= bounds[0] or shared / min(first, second) >= bounds[1]
    )


TEXTS = st.lists(
    st.one_of(
        st.text("ab", max_size=40).map(str.encode),
        st.binary(max_size=20),
        st.builds(prose, st.integers(0, 2), st.integers(0, 700)),
        st.builds(lambda unit, times: unit * times, st.binary(min_size=1, max_size=3), st.integers(0, 60)),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=150)
@given(TEXTS, st.integers(1, 24), st.sampled_from([(0.0, 0.0), (0.5, 0.9), (2.0, 2.0)]), st.integers(1, 3))
def test_counts(texts: list[bytes], window: int, bounds: tuple[float, float], threads: int) -> None:
    pairs = [(i, j) for i in range(len(texts)) for j in range(len(texts))]
    found = measures(texts, pairs, window=window, bounds=bounds, threads=threads)
    for (i, j), measure in zip(pairs, found, strict=True):
        expected = by_sets(texts[i], texts[j], window)
        if reaches(expected, bounds):
            assert measure == expected
        else:  # may have been given up
            assert measure in (expected, (0, *expected[1:]))


UNIT_TEXTS = st.lists(
    st.one_of(
        st.lists(st.sampled_from(["a", "rose", "is", "robert", "rupert", "1"]), max_size=30).map(
            lambda words: " ".join(words).encode()
        ),
        st.text("ab é\n ", max_size=40).map(str.encode),
        st.builds(prose, st.integers(0, 2), st.integers(0, 400)),
    ),
    min_size=2,
    max_size=5,
)


@settings(max_examples=150)
@given(UNIT_TEXTS, st.sampled_from(UNITS), st.integers(1, 5), st.booleans())
def test_counts_of_any_unit(texts: list[bytes], unit: str, window: int, label: bool) -> None:
    """The scheme's own measure: its unit, window and label, all bits, no permutation."""
    a, b = rows([(i, j) for i in range(len(texts)) for j in range(len(texts))])
    shingler = Shingler(window, unit, label, bits=16, seed=3).native()
    found = _native.verify(texts, a, b, shingler=shingler, resemblance=0, containment=0, threads=2)
    sets = [units.shingle_set(text, unit, window, label=label) for text in texts]
    for i, j, shared, size_a, size_b, least in zip(*(column.tolist() for column in (a, b, *found)), strict=True):
        assert (shared, size_a, size_b) == (len(sets[i] & sets[j]), len(sets[i]), len(sets[j]))
        assert (least > 0) == (shared > 0)
        in_both = [covered_by(texts[i], sets[i] & sets[j], unit, window, label), 0]
        in_both[1] = covered_by(texts[j], sets[i] & sets[j], unit, window, label)
        assert least <= min(in_both), "what lies in both, at least"


def covered_by(text: bytes, common: set[object], unit: str, window: int, label: bool) -> int:
    """Bytes of the text, from the first to the last unit of each shingle in common."""
    spans = [(at, at + len(name)) for name, at in units.units(text, unit)]
    if unit == "soundex":  # its names are codes
        words = {at: at + len(word) for word, at in units.units(text, "word")}
        spans = [(at, words[at]) for at, _ in spans]
    inside: set[int] = set()
    for i, (piece, _, occurrence) in enumerate(units.shingles(text, unit, window)):
        if ((piece, occurrence) if label else piece) in common:
            inside.update(range(spans[i][0], spans[min(i + window, len(spans)) - 1][1]))
    return len(inside)


def test_shared_bytes_of_words_are_near_the_truth() -> None:
    text = prose(1, 3000)
    other = text[:2000] + prose(2, 1000)
    a, b = rows([(0, 1)])
    shingler = Shingler(5, "word").native()
    *_, found = _native.verify([text, other], a, b, shingler=shingler, resemblance=0, containment=0, threads=1)
    assert 1900 <= int(found[0]) <= 2000


def test_a_hopeless_pair_is_given_up() -> None:
    texts = [prose(1, 300), prose(2, 20_000) + prose(1, 40)]
    shared, size_a, size_b = by_sets(texts[0], texts[1], 20)
    assert shared > 0
    assert measures(texts, [(0, 1)], window=20, bounds=(0.5, 0.9)) == [(0, size_a, size_b)]
    assert measures(texts, [(0, 1)], window=20) == [(shared, size_a, size_b)]


def test_pairs_may_come_in_any_order_and_more_than_once() -> None:
    texts = [prose(i % 3, 200 + 50 * i) for i in range(8)]
    pairs = [(i, j) for i in range(8) for j in range(8)] * 2
    random.Random(1).shuffle(pairs)
    assert measures(texts, pairs, window=20) == [by_sets(texts[i], texts[j], 20) for i, j in pairs]


@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_group_beside_many_small_ones(threads: int) -> None:
    """Texts of one group are worked on together, those of small groups one after the other in the same room."""
    texts = [prose(i // 4, 60 + i % 97) for i in range(400)]
    pairs = (
        [(i, i + 1) for i in range(299)]
        + [(i, i + 1) for i in range(300, 400, 2)]
        + [(i + 1, i) for i in range(300, 400, 4)]
    )
    random.Random(2).shuffle(pairs)
    assert measures(texts, pairs, window=20, threads=threads) == [by_sets(texts[i], texts[j], 20) for i, j in pairs]


@pytest.mark.parametrize("bounds", [(0.5, 0.9), (0.7, 2.0), (2.0, 0.9), (0.0, 0.9)])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_large_group_of_unlike_texts_falls_apart(bounds: tuple[float, float], threads: int) -> None:
    """Families that hang together only by pairs that come to nothing, some of them just under or over a bound; with
    texts that repeat themselves, that are shorter than the window, empty, or too long to be looked into."""
    dice = random.Random(4)
    texts = [b"", b"short", b"ab" * 300, prose(999, 5000), prose(999, 4990) + prose(998, 9)]
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4)]
    for family in range(150):
        size = dice.randrange(30, 400)
        text, other = prose(family, size), prose(1000 + family, size)
        share = round(len(text) * dice.choice([0.3, 0.5, 0.66, 0.72, 0.88, 0.9, 0.92, 1]))
        first = len(texts)
        texts += [text, text[:share] + other[share:], prose(2000 + family, 600) + text[:share] + text[:30]]
        pairs += [(first, first + 1), (first + 2, first), (first + 1, first + 2), (first, first - 1)]
    text = prose(7, 400)  # and with far fewer shingles than bytes
    texts += [text + b"again " * 25, prose(8, 300) + text, text[:340] + b"again " * 11, text]
    pairs += [(first, first + 3), (first + 3, first + 4), (first, first + 5), (first + 5, first + 6)]
    found = measures(texts, pairs, window=20, bounds=bounds, threads=threads)
    reached = 0
    for (i, j), measure in zip(pairs, found, strict=True):
        expected = by_sets(texts[i], texts[j], 20)
        reached += reaches(expected, bounds)
        assert measure == expected or (not reaches(expected, bounds) and measure == (0, *expected[1:]))
    assert reached > 20


EDITS = ("insert", "cut", "move", "repeat", "none")


@settings(max_examples=60)
@given(
    st.integers(0, 9),
    st.integers(1, 600),
    st.lists(st.tuples(st.sampled_from(EDITS), st.integers(0, 99), st.integers(0, 99)), max_size=14),
    st.integers(1, 24),
    st.sampled_from([(0.0, 0.0), (0.5, 0.9)]),
)
def test_a_family(
    seed: int, size: int, edits: list[tuple[str, int, int]], window: int, bounds: tuple[float, float]
) -> None:
    """Passages that texts share are found by comparing bytes from where a shingle of another text is met again."""
    texts = [prose(seed, size)]
    for number, (edit, which, where) in enumerate(edits):
        text = texts[which % len(texts)]
        at = where * len(text) // 100
        begin, end = text[:at], text[at:]
        new = {
            "insert": begin + prose(seed + number, 9) + end,
            "cut": begin + end[30:],
            "move": end + begin,
            "repeat": begin + begin[-40:] + end,
            "none": text,
        }
        texts.append(new[edit])
    pairs = [(i, j) for i in range(len(texts)) for j in range(len(texts))]
    for (i, j), measure in zip(pairs, measures(texts, pairs, window=window, bounds=bounds), strict=True):
        expected = by_sets(texts[i], texts[j], window)
        assert measure == expected or (not reaches(expected, bounds) and measure == (0, *expected[1:]))


@pytest.mark.parametrize("window", [12, 20])
@pytest.mark.parametrize("strangers", [0, 80])
def test_shingles_of_one_fingerprint_are_one(window: int, strangers: int) -> None:
    """Whatever their bytes are, whether texts are measured by numbers or, with many strangers, by lists."""
    text = prose(3, 300)
    multiple = (1 << 64 | _native.POLYNOMIAL).to_bytes(9, "big")
    other = bytearray(text)
    for at, byte in enumerate(multiple):
        other[100 + at] ^= byte
    texts = [text, bytes(other), text[50:], *(prose(10 + i, 300) for i in range(strangers))]
    sets = [set(_native.fingerprints(one, window).tolist()) for one in texts]
    assert len(shingles(texts[0], window) & shingles(texts[1], window)) < len(sets[0] & sets[1])
    pairs = [(i, j) for i in range(3) for j in range(3)] + [(0, i) for i in range(3, len(texts))]
    assert measures(texts, pairs, window=window) == [
        (len(sets[i] & sets[j]), len(sets[i]), len(sets[j])) for i, j in pairs
    ]


@settings(max_examples=60)
@given(st.integers(0, 9), st.integers(30, 900), st.integers(0, 900), st.sampled_from([(0.5, 0.9), (0.7, 2.0)]))
def test_pairs_at_a_bound_are_measured_to_the_end(seed: int, size: int, cut: int, bounds: tuple[float, float]) -> None:
    """Versions of a text that keep more and more of it: some reach a bound, others are given up on the way."""
    text = prose(seed, size)
    texts = [text, text[: cut % size] + prose(seed + 10, size - cut % size), text[cut % size :]]
    for (i, j), measure in zip(
        combinations(range(3), 2), measures(texts, [(0, 1), (0, 2), (1, 2)], window=8, bounds=bounds), strict=True
    ):
        expected = by_sets(texts[i], texts[j], 8)
        assert measure == expected or (not reaches(expected, bounds) and measure == (0, *expected[1:]))


def test_a_pair_that_names_no_text_is_refused() -> None:
    with pytest.raises(IndexError, match="names no text"):
        measures([b"one"], [(0, 1)], window=20)


def edited(seed: int) -> list[bytes]:
    dice = random.Random(seed)
    texts = [prose(seed + i, 600) for i in range(3)]
    for _ in range(9):
        text = dice.choice(texts)
        at = dice.randrange(len(text))
        texts.append(dice.choice([text[:at] + b"inserted" + text[at:], text[at:] + text[:at], text[: at + 30]]))
    return texts


class Shelf:
    """Texts by row, as the store gives them; some were not kept."""

    def __init__(self, texts: list[bytes], missing: frozenset[int] = frozenset()) -> None:
        self.texts, self.missing = texts, missing
        self.asked: list[list[int]] = []

    def __call__(self, wanted: Sequence[int]) -> list[bytes | None]:
        self.asked.append(list(wanted))
        return [None if row in self.missing else self.texts[row] for row in wanted]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(text) for text in self.texts], np.int64)


def verified(shelf: Shelf, pairs: list[tuple[int, int]], *, memory: int) -> tuple[list[dict[str, float]], list[bool]]:
    a, b = rows(pairs)
    corpus = Corpus(shelf.lengths, shelf, memory, threads=2)
    found, possible = verify(a, b, corpus, shingler=Shingler(20), resemblance=0.0, containment=0.0)
    names = ("a", "b", "resemblance", "a_in_b", "b_in_a", "shared_bytes", "size_a", "size_b", "exact")
    columns = zip(*(getattr(found, name).tolist() for name in names), strict=True)
    assert np.isnan(found.low).all()
    assert np.isnan(found.payload).all()
    return [dict(zip(names, row, strict=True)) for row in columns], possible.tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("memory", [0, 1, 700, 2000, 1 << 30])
def test_any_memory_gives_the_same_measures(seed: int, memory: int) -> None:
    shelf = Shelf(edited(seed))
    pairs = list(combinations(range(len(shelf.texts)), 2))
    random.Random(seed).shuffle(pairs)
    found, possible = verified(shelf, pairs, memory=memory)
    assert all(possible)
    assert [(row["a"], row["b"]) for row in found] == sorted(pairs)
    for row in found:
        a, b = shelf.texts[int(row["a"])], shelf.texts[int(row["b"])]
        assert row["exact"] == 1
        assert row["resemblance"] == resemblance(a, b, 20)
        assert row["a_in_b"] == containment(a, b, 20)
        assert row["b_in_a"] == containment(b, a, 20)
        assert (row["size_a"], row["size_b"]) == (len(shingles(a, 20)), len(shingles(b, 20)))
        shared = len(shingles(a, 20) & shingles(b, 20))
        assert row["shared_bytes"] == (shared + 19 if shared else 0)
        assert row["shared_bytes"] <= min(covered(a, b, 20), covered(b, a, 20)), "what lies in both, at least"
    for asked in shelf.asked:
        held = int(shelf.lengths[asked].sum())
        assert held <= memory or len(asked) <= 2, "never more texts at once than memory holds, but one pair"


@pytest.mark.parametrize("memory", [0, 1500, 1 << 30])
def test_texts_that_were_not_kept_are_said_to_be_missing(memory: int) -> None:
    shelf = Shelf(edited(3), missing=frozenset({0, 4, 7}))
    pairs = list(combinations(range(len(shelf.texts)), 2))
    found, possible = verified(shelf, pairs, memory=memory)
    expected = [not {a, b} & shelf.missing for a, b in pairs]
    assert possible == expected
    assert [(row["a"], row["b"]) for row in found] == [pair for pair, can in zip(pairs, expected, strict=True) if can]


def test_nothing_to_verify() -> None:
    shelf = Shelf([b"a text"])
    assert verified(shelf, [], memory=0) == ([], [])
    assert shelf.asked == []


def test_all_texts_missing() -> None:
    shelf = Shelf(edited(1), missing=frozenset(range(12)))
    assert verified(shelf, [(0, 1), (1, 2)], memory=1 << 20) == ([], [False, False])
