"""`sketch` against its definition, its two kernels against each other, and what the theory promises."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nearkin import _native
from nearkin.scheme import parse_scheme, place, sign
from oracle import shingles as shingle_oracle
from oracle import sketch as oracle
from oracle.prose import prose

U64 = NDArray[np.uint64]
Sets = Callable[[np.random.Generator, int, int], list[U64]]
NUMBERS = st.integers(0, (1 << 64) - 1)
FINGERPRINTS = st.one_of(
    st.lists(NUMBERS, max_size=60),
    st.lists(st.integers(0, 40), max_size=200),
    st.builds(lambda start, count: [(start + i) & oracle.MASK for i in range(count)], NUMBERS, st.integers(0, 900)),
)


def sketch(fingerprints: list[int] | U64, n: int, *, portable: bool = False) -> list[int]:
    found: list[int] = _native.slot_minima(np.array(fingerprints, np.uint64), n, portable).tolist()
    return found


@settings(max_examples=200)
@given(FINGERPRINTS, st.integers(1, 130))
def test_both_kernels_do_what_the_definition_says(fingerprints: list[int], n: int) -> None:
    expected = oracle.sketch(fingerprints, n)
    assert sketch(fingerprints, n) == expected
    assert sketch(fingerprints, n, portable=True) == expected


@pytest.mark.parametrize("n", [1, 2, 100, 128, 1000, 4096])
@pytest.mark.parametrize("count", [1, 3, 500, 5000, 50_000])
def test_kernels_agree_at_every_size(n: int, count: int) -> None:
    # Long lists take the loop that looks at four heights at once, short ones more rounds.
    fingerprints = np.random.default_rng([n, count]).integers(0, 1 << 64, count, np.uint64)
    assert sketch(fingerprints, n) == sketch(fingerprints, n, portable=True)


@given(FINGERPRINTS, st.integers(1, 200))
def test_a_sketch_has_one_number_a_slot_in_the_slots_order(fingerprints: list[int], n: int) -> None:
    found = sketch(fingerprints, n)
    assert [number * n >> 64 for number in found] == (list(range(n)) if fingerprints else [])


@given(st.lists(NUMBERS, min_size=1, max_size=50), st.randoms(use_true_random=False))
def test_a_sketch_is_of_a_set(fingerprints: list[int], dice: random.Random) -> None:
    again = fingerprints * 3
    dice.shuffle(again)
    assert sketch(fingerprints, 20) == sketch(again, 20)


@given(st.lists(NUMBERS, min_size=1, max_size=50), st.lists(NUMBERS, min_size=1, max_size=50))
def test_the_sketch_of_a_union_is_made_of_the_two(a: list[int], b: list[int]) -> None:
    # What makes slots comparable: each holds the smallest of a function of its own.
    for one, two, both in zip(sketch(a, 30), sketch(b, 30), sketch(a + b, 30), strict=True):
        assert both in (one, two)


@given(
    st.one_of(st.binary(max_size=300), st.builds(prose, st.integers(0, 50), st.integers(0, 2500))),
    st.integers(1, 30),
    st.integers(1, 150),
)
def test_a_signature_is_the_sketch_of_the_shingles(text: bytes, window: int, n: int) -> None:
    shingles = {shingle_oracle.fingerprint(shingle) for shingle in shingle_oracle.shingles(text, window)}
    assert sign(text, parse_scheme(f"sketch:window={window},n={n}")).features.tolist() == oracle.sketch(shingles, n)


@pytest.mark.parametrize("size", [2047, 2048, 2066, 2067, 2068, 4096, 4115, 4116, 60_000])
@pytest.mark.parametrize("keys", ["", ",seed=7", ",bits=24"])
def test_texts_of_many_blocks(size: int, keys: str) -> None:
    text = prose(size, size)
    every = sign(text, parse_scheme(f"exact:window=20{keys}")).features
    # 1,000 slots are not filled in one round by the shorter ones: their blocks are gone through again.
    for n in (50, 1000):
        found = sign(text, parse_scheme(f"sketch:window=20,n={n}{keys}")).features.tolist()
        assert found == sketch(every, n, portable=True)


@pytest.mark.parametrize(
    "keys", ["unit=word,window=3", "unit=char,window=5", "label=yes,window=8", "unit=line,window=1"]
)
def test_shingles_of_other_kinds(keys: str) -> None:
    text = prose(1, 3000).replace(b"th", b"\n") * 2
    every = sign(text, parse_scheme(f"exact:{keys}")).features
    assert sign(text, parse_scheme(f"sketch:n=64,{keys}")).features.tolist() == sketch(every, 64, portable=True)


@given(st.builds(prose, st.integers(0, 20), st.integers(1, 900)), st.integers(1, 60))
def test_placed_features_are_the_signature_at_first_places(text: bytes, n: int) -> None:
    scheme = parse_scheme(f"sketch:window=8,n={n}")
    placed = place(text, scheme)
    assert sorted(feature for _, feature, _ in placed) == sign(text, scheme).features.tolist()
    assert [offset for _, _, offset in placed] == sorted(offset for _, _, offset in placed)
    for weight, feature, offset in placed:
        shingle = text[offset : offset + 8]
        assert weight == 1
        assert text.find(shingle) == offset
        own = shingle_oracle.fingerprint(shingle)
        assert any(oracle.splitmix64(own, step) == feature for step in range(5000))


def agreements(first: list[U64], second: list[U64], n: int) -> NDArray[np.float64]:
    """The share of slots in which each pair agrees."""
    return np.array(
        [np.mean(_native.slot_minima(a, n) == _native.slot_minima(b, n)) for a, b in zip(first, second, strict=True)]
    )


def random_sets(dice: np.random.Generator, trials: int, size: int) -> list[U64]:
    return [dice.integers(0, 1 << 64, size, np.uint64) for _ in range(trials)]


def consecutive_sets(dice: np.random.Generator, trials: int, size: int) -> list[U64]:
    """As unlike random fingerprints as can be."""
    return [dice.integers(0, 1 << 64, dtype=np.uint64) + np.arange(size, dtype=np.uint64) for _ in range(trials)]


def texts_sets(dice: np.random.Generator, trials: int, size: int) -> list[U64]:
    """Fingerprints of windows that differ in a digit or two."""
    starts = dice.integers(0, 10**9, trials)
    return [
        np.array([_native.fingerprint(b"invoice number %012d" % (start + i)) for i in range(size)], np.uint64)
        for start in starts.tolist()
    ]


@pytest.mark.parametrize("make", [random_sets, consecutive_sets, texts_sets])
@pytest.mark.parametrize(("union", "shared"), [(3, 1), (20, 10), (100, 90), (1000, 300)])
def test_estimates_are_unbiased_and_slots_do_not_move_together(make: Sets, union: int, shared: int) -> None:
    """The mean is the resemblance, and the spread is no wider than of n independent slots.

    Bounds lie at 4.5 standard errors; seeds are fixed.
    """
    n, trials = 64, 1200
    whole = make(np.random.default_rng([union, shared]), trials, union)
    rest = (union - shared) // 2
    first = [one[: shared + rest] for one in whole]
    second = [np.delete(one, np.s_[shared : shared + rest]) for one in whole]
    found = agreements(first, second, n)
    r = shared / union
    independent = r * (1 - r) / n
    assert abs(found.mean() - r) < 4.5 * np.sqrt(independent / trials)
    assert found.var() < independent * (1 + 4.5 * np.sqrt(2 / trials))
    assert found.var() > 0
