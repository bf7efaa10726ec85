"""The join by range against every pair, and nothing unrelated in what it finds."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nearkin.matching.candidates import Postings
from nearkin.matching.score import find_matches, pairs_in_range
from nearkin.matching.verify import Corpus
from nearkin.scheme import parse_scheme, sign
from nearkin.scheme.similarity_index import LARGEST, SMALLEST
from nearkin.settings import MatchSettings
from oracle.prose import prose
from oracle.shingles import resemblance
from oracle.similarity_index import similar

NUMBERS = st.one_of(st.integers(-30, 30), st.integers(-(2**40), 2**40), st.integers(SMALLEST, LARGEST))


def postings(numbers: Sequence[int | None]) -> Postings:
    have = [number for number in numbers if number is not None]
    return Postings(
        offsets=np.cumsum([0, *(number is not None for number in numbers)], dtype=np.uint64),
        features=np.array([number % 2**64 for number in have], np.uint64),
        weights=np.zeros(0, np.uint32),
        moduli=np.ones(len(numbers), np.uint64),
    )


@settings(max_examples=300)
@given(st.lists(st.one_of(st.none(), NUMBERS), max_size=30), st.integers(1, 50))
@example([0, 0, 1, 1, -1, None], 1)
@example([SMALLEST, SMALLEST, LARGEST, LARGEST], 4)
@example([100, 71, 70, -100, -71], 2)
def test_pairs_are_those_one_of_whom_reaches_the_other(numbers: list[int | None], block: int) -> None:
    blocks = list(pairs_in_range(postings(numbers), block=block))
    assert all(1 <= len(a) <= block and len(a) == len(b) for a, b in blocks)
    found = [tuple(sorted(pair)) for a, b in blocks for pair in zip(a.tolist(), b.tolist(), strict=True)]
    assert len(found) == len(set(found))
    rows = range(len(numbers))
    expected = {
        (i, j)
        for i in rows
        for j in rows
        if i < j
        and (x := numbers[i]) is not None
        and (y := numbers[j]) is not None
        and (similar(x, y) or similar(y, x))
    }
    assert set(found) == expected


def edited(text: bytes, at: int) -> bytes:
    return text[:at] + b" altogether " + text[at:]


@pytest.mark.parametrize("memory", [1 << 12, 1 << 30])
def test_only_what_the_texts_confirm_is_kept(memory: int) -> None:
    # Every number is in range of every other, so that all are candidates; the texts decide.
    texts = [prose(1, 3000), edited(prose(1, 3000), 1500), prose(2, 3000), prose(3, 3000), edited(prose(3, 3000), 9)]
    numbers = [1000, 1010, 1020, 1030, 990]
    scheme = parse_scheme("si")
    lengths = np.array([len(text) for text in texts], np.int64)
    corpus = Corpus(lengths, lambda rows: [texts[row] for row in rows], memory, threads=1)
    found = find_matches(postings(numbers), corpus, scheme, MatchSettings()).matches
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(0, 1), (3, 4)]
    assert found.exact.all()
    for a, b, value in zip(found.a.tolist(), found.b.tolist(), found.resemblance.tolist(), strict=True):
        assert value == resemblance(texts[a], texts[b], 20)


def test_dense_ranges_are_made_block_by_block() -> None:
    # All of one number: half a million pairs, never more than a thousand at a time.
    sizes = [len(a) for a, _ in pairs_in_range(postings([7] * 1000), block=1000)]
    assert max(sizes) == 1000
    assert sum(sizes) == 1000 * 999 // 2


def test_the_number_is_a_signed_feature() -> None:
    text = next(text for seed in range(50) if len(sign(text := prose(seed, 3000), parse_scheme("si"))))
    (feature,) = sign(text, parse_scheme("si")).features.tolist()
    assert postings([feature - 2**64 if feature >> 63 else feature]).features.tolist() == [feature]
