"""The join against every pair: no strong pair lost, none made up, whatever the collection looks like."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.candidates import Postings, find_candidates
from nearkin.scheme import parse_scheme, sign
from nearkin.settings import MatchSettings
from oracle.candidates import Content, Limits, may_reach
from oracle.join import (
    DEFAULTS,
    LIMITS,
    Found,
    feature,
    join,
    judge,
    options,
    sampled_collection,
    weighted_collection,
)
from oracle.prose import prose


@settings(max_examples=120)
@given(
    limits=LIMITS,
    seed=st.integers(0, 1 << 32),
    contents=st.integers(0, 24),
    universe=st.sampled_from([1, 3, 10, 40, 150]),
    moduli=st.sampled_from([[1], [1, 2], [1, 2, 4, 8, 16, 32, 64], [1, 64], [4, 8, 64], [64], [2], [1, 2, 512, 1024]]),
    change=st.sampled_from([0.02, 0.1, 0.3]),
    template=st.sampled_from([0, 0, 1, 5]),
)
@example(DEFAULTS, 3, 8, 900, [1, 2, 4], 0.1, 0)  # more features of one level than a counter of a byte holds
@example(DEFAULTS, 1, 24, 150, [1, 2, 4, 8, 16, 32, 64], 0.1, 0)
@example(DEFAULTS, 2, 24, 150, [1, 64], 0.02, 5)
def test_samples_of_unequal_modulus(
    limits: Limits, seed: int, contents: int, universe: int, moduli: list[int], change: float, template: int
) -> None:
    template = min(template, universe)
    collection = sampled_collection(
        seed, contents=contents, universe=universe, moduli=moduli, change=change, template=template
    )
    judge(collection, limits)


@settings(max_examples=80)
@given(
    limits=LIMITS,
    seed=st.integers(0, 1 << 32),
    contents=st.integers(0, 24),
    universe=st.sampled_from([1, 3, 10, 40]),
    change=st.sampled_from([0.02, 0.1, 0.3]),
    template=st.sampled_from([0, 0, 1]),
)
def test_complete_lists_with_weights_and_repeats(
    limits: Limits, seed: int, contents: int, universe: int, change: float, template: int
) -> None:
    collection = weighted_collection(seed, contents=contents, universe=universe, change=change, template=template)
    judge(collection, replace(limits, sampled=False))


@pytest.mark.parametrize("spread", [1 << 64, 1 << 40, 200_000])
@pytest.mark.parametrize("scheme", ["mod:window=20,n=1", "sketch:n=2000"])
def test_so_many_features_that_they_are_dealt_in_bands(spread: int, scheme: str) -> None:
    """Of 140,000 postings there are sixteen bands of several parts each, or as many as there are threads."""
    chance = np.random.default_rng(7)
    drawn = chance.integers(0, spread, (35, 2000), np.uint64)
    lists = [np.unique(np.where(chance.random(2000) < 0.1, drawn[(at + 1) % 35], drawn[at])) for at in range(35)] * 2
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.uint64)
    assert offsets[-1] > 1 << 16
    postings = Postings(offsets, np.concatenate(lists), np.zeros(0, np.uint32), np.ones(len(lists), np.uint64))
    limits = MatchSettings(threshold=0.5, floor=0.5)
    wanted = []
    for a, b in combinations(range(len(lists)), 2):
        shared = len(np.intersect1d(lists[a], lists[b], assume_unique=True))
        if shared >= 0.5 * (len(lists[a]) + len(lists[b]) - shared):
            wanted.append((a, b, shared))
    for threads in (1, 2, 5):
        found = find_candidates(postings, parse_scheme(scheme), limits, threads=threads)
        similar = found.shared / (found.size_a + found.size_b - found.shared) >= 0.5
        columns = (found.a[similar], found.b[similar], found.shared[similar])
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == wanted


@settings(max_examples=60)
@given(LIMITS, st.lists(st.frozensets(st.integers(0, 11), max_size=8), max_size=9))
def test_complete_lists_of_a_few_features(limits: Limits, lists: list[frozenset[int]]) -> None:
    """Small enough that a failure shrinks to something one can read."""
    collection = [Content(Counter(feature << 56 | 1 for feature in features)) for features in lists]
    judge(collection, replace(limits, sampled=False))
    judge(collection, limits)


@settings(max_examples=60)
@given(LIMITS, st.lists(st.tuples(st.frozensets(st.integers(1, 40), max_size=20), st.integers(0, 4)), max_size=9))
def test_samples_of_a_few_features(limits: Limits, lists: list[tuple[frozenset[int], int]]) -> None:
    collection = [
        Content(Counter(number for number in numbers if number % (1 << level) == 0), 1 << level)
        for numbers, level in lists
    ]
    judge(collection, limits)


def smallest_of(contents: list[Content], limit: int) -> list[Content]:
    return [Content(Counter(sorted(content.features)[:limit]), content.modulus) for content in contents]


@settings(max_examples=120)
@given(
    limits=LIMITS,
    seed=st.integers(0, 1 << 32),
    contents=st.integers(0, 24),
    universe=st.sampled_from([1, 3, 10, 40, 150]),
    limit=st.sampled_from([1, 2, 5, 20, 60, 200]),
    modulus=st.sampled_from([1, 1, 8]),
    change=st.sampled_from([0.02, 0.1, 0.3]),
    template=st.sampled_from([0, 0, 1, 5]),
)
def test_the_smallest_of_each(
    limits: Limits, seed: int, contents: int, universe: int, limit: int, modulus: int, change: float, template: int
) -> None:
    collection = sampled_collection(
        seed,
        contents=contents,
        universe=universe,
        moduli=[modulus],
        change=change,
        template=min(template, universe),
    )
    limits = replace(limits, estimator="smallest", limit=limit, contains=False)
    judge(smallest_of(collection, limit), limits)


@settings(max_examples=80)
@given(LIMITS, st.lists(st.frozensets(st.integers(0, 40), max_size=20), max_size=9), st.integers(1, 12))
def test_the_smallest_of_a_few(limits: Limits, lists: list[frozenset[int]], limit: int) -> None:
    collection = [Content(Counter(features)) for features in lists]
    judge(smallest_of(collection, limit), replace(limits, estimator="smallest", limit=limit, contains=False))


def test_of_the_smallest_only_those_of_the_union_count() -> None:
    # Theorem 1: of the 4 smallest of the union, 1 2 3 4, the first and the last are in both; 9 is too, and too large.
    limits = Limits(estimator="smallest", limit=4, contains=False, floor=0.1)
    (found,) = join([one(1, 2, 4, 9), one(1, 3, 4, 9)], limits).values()
    assert (found.shared, found.united) == (2, 4)


@settings(max_examples=80)
@given(
    limits=LIMITS,
    seed=st.integers(0, 1 << 32),
    contents=st.integers(0, 24),
    slots=st.sampled_from([1, 3, 10, 100]),
    change=st.sampled_from([0.02, 0.1, 0.3, 0.6]),
)
def test_slots(limits: Limits, seed: int, contents: int, slots: int, change: float) -> None:
    dice = random.Random(seed)
    made: list[list[int]] = []
    for _ in range(contents):
        if made and dice.random() < 0.8:
            before = dice.choice(made)
            made.append([dice.getrandbits(20) if dice.random() < change else value for value in before])
        else:
            made.append([] if dice.random() < 0.1 else [dice.getrandbits(20) for _ in range(slots)])
    collection = [Content(Counter(slot << 20 | value for slot, value in enumerate(of_one))) for of_one in made]
    judge(collection, replace(limits, estimator="slots", limit=slots, contains=False))


@settings(max_examples=60)
@given(st.lists(st.frozensets(st.integers(0, 30), max_size=4), max_size=20))
def test_one_feature_in_common_is_a_collision(lists: list[frozenset[int]]) -> None:
    collection = [Content(Counter(features)) for features in lists]
    limits = Limits(estimator="collision", sampled=False, contains=False)
    judge(collection, limits)
    assert set(join(collection, limits)) == {
        (i, j) for i in range(len(lists)) for j in range(i + 1, len(lists)) if lists[i] & lists[j]
    }


@pytest.mark.parametrize("sampled", [False, True])
def test_containment_is_not_looked_for_where_it_cannot_be_told(sampled: bool) -> None:
    whole, part = one(*range(100)), one(*range(30))
    limits = Limits(sampled=sampled)
    assert join([whole, part], limits)[0, 1].strong
    assert join([whole, part], replace(limits, contains=False)) == {}


def test_a_join_that_makes_no_sense_is_refused() -> None:
    for limits in (Limits(limit=3), Limits(estimator="slots"), Limits(estimator="guess")):
        with pytest.raises(ValueError, match=r"limit|estimators"):
            join([one(1)], limits)


def one(*numbers: int, modulus: int = 1) -> Content:
    return Content(Counter(number * 64 for number in numbers), modulus)


@pytest.mark.parametrize(
    "contents",
    [
        [],
        [one()],
        [one(), one()],
        [one(1), one(1)],
        [one(1), one(2)],
        [one(1), one(), one(1, 2)],
        [one(*range(100))] * 5,
        [one(*range(100)), one(*range(90)), one(*range(89)), one(*range(70)), one(*range(69))],
        [one(*range(10), 100 + i) for i in range(30)],
        [one(*range(200), modulus=1), one(*range(3), modulus=64)],
        [one(1, modulus=64), one(1, modulus=1), one(1, modulus=2)],
    ],
    ids=str,
)
@pytest.mark.parametrize("sampled", [False, True])
def test_edges(contents: list[Content], sampled: bool) -> None:
    judge(contents, Limits(sampled=sampled))


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_exactly_the_threshold_is_enough(threshold: float) -> None:
    # In doubles, 7 / 10 ≥ 0.7: what a reader of the score would say.
    for tens in (1, 3, 7, 10, 33):
        whole = one(*range(10 * tens))
        part = one(*range(round(10 * threshold) * tens))
        limits = Limits(sampled=False, resemblance=threshold, containment=1.0, floor=threshold)
        judge([whole, part], limits)
        assert join([whole, part], limits)[0, 1].strong


def test_the_short_part_rule() -> None:
    # A stub of 100 shingles has three features at modulus 64: looked for in others only by a rare one of them.
    stub = Content(Counter(64 * i for i in range(1, 4)) | Counter(64 * i + 1 for i in range(10_000, 10_097)), 1)
    container = Content(Counter(64 * i for i in range(1, 200)), 64)
    assert stub.size() == 100
    assert join([stub, container], DEFAULTS)[0, 1].strong
    common = replace(DEFAULTS, floor_reach=1)  # each of the three is in both
    assert join([stub, container], common) == {}
    assert join([stub, container], replace(common, short_sample=3))[0, 1].strong
    assert join([stub, container], replace(common, short_part=100))[0, 1].strong


@pytest.mark.parametrize("often", [31, 32, 33])
def test_one_rare_feature_tells_a_short_part(often: int) -> None:
    """Two of the stub's three features are in a hundred contents, one in `often`, of which two are these."""
    stub = Content(Counter(64 * i for i in range(1, 4)) | Counter(64 * i + 1 for i in range(10_000, 10_097)), 1)
    container = Content(Counter(64 * i for i in range(1, 200)), 64)
    others = []
    for i in range(1, 99):
        everywhere = [64, 128, 192] if i <= often - 2 else [64, 128]
        others.append(Content(Counter([*everywhere, *(64 * (1000 * i + j) for j in range(55))]), 64))
    contents = [stub, container, *others]
    assert sum(192 in content.features for content in contents) == often
    judge(contents, DEFAULTS)
    assert ((0, 1) in join(contents, DEFAULTS)) is (often <= 32)


def relabelled(contents: list[Content], limits: Limits, order: list[int]) -> Found:
    turned: Found = {}
    for (a, b), pair in join([contents[i] for i in order], limits).items():
        first, second = order[a], order[b]
        if first < second:
            turned[first, second] = pair
        else:
            turned[second, first] = replace(pair, size_a=pair.size_b, size_b=pair.size_a)
    return turned


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), st.sampled_from([[1], [1, 2, 4], [1, 64]]), st.booleans())
def test_order_of_contents_does_not_matter(seed: int, moduli: list[int], sampled: bool) -> None:
    # Ties among the weak are broken by row; so many are kept here that none has to be.
    limits = Limits(sampled=sampled, floor=0.1, floor_most=1000)
    collection = sampled_collection(
        seed, contents=20, universe=60, moduli=moduli if sampled else [1], change=0.1, template=2
    )
    order = list(range(len(collection)))
    random.Random(seed).shuffle(order)
    assert relabelled(collection, limits, order) == join(collection, limits)


def test_signatures_of_texts_of_very_different_length() -> None:
    """As in a repository: drafts, parts, containers, and a log that repeats ten lines for half a megabyte."""
    dice = random.Random(8)
    base = [prose(seed, size) for seed, size in enumerate([300, 900, 4000, 4000, 20_000, 60_000])]
    texts = list(base)
    for text in base:
        for _ in range(4):
            start = dice.randrange(len(text) // 2)
            texts.append(text[start : start + dice.randint(len(text) // 3, len(text))])
            at = dice.randrange(len(text))
            texts.append(text[:at] + prose(dice.getrandbits(30), 40) + text[at:])
    texts.append(base[0] + base[1] + base[2])
    log = b"".join(prose(100 + i, 40) for i in range(10)) * 1200
    texts += [log, log[:400], log[:200_000] + base[1], b"z" * 100_000, b"z" * 50, b"z" * 10]
    scheme = parse_scheme("mod:window=20,sample=200,most=64")
    contents = []
    for text in texts:
        signature = sign(text, scheme)
        contents.append(Content(Counter(signature.features.tolist()), signature.modulus))
    assert {content.modulus for content in contents} >= {1, 2, 4, 16, 32, 64}
    judge(contents, DEFAULTS)
    assert sum(pair.strong for pair in join(contents, DEFAULTS).values()) > 40


def test_chunks_of_texts() -> None:
    dice = random.Random(9)
    scheme = parse_scheme("tttd:mean=100")
    texts = [prose(seed, 5000) for seed in range(4)]
    for _ in range(20):
        text = dice.choice(texts)
        at = dice.randrange(len(text))
        texts.append(text[:at] + dice.choice([b"", b"-", b"0" * 900, prose(dice.getrandbits(30), 900)]) + text[at:])
    texts += [b"=" * 30_000, b"=" * 20_000, b""]
    contents = []
    for text in texts:
        signature = sign(text, scheme)
        features, weights = signature.features.tolist(), signature.weights.tolist()
        contents.append(Content(Counter(features), 1, dict(zip(features, weights, strict=True))))
    judge(contents, Limits(sampled=False))


def test_many_contents_that_share_a_template() -> None:
    """All have 40 features in common: hot ones cost time, never a pair."""
    dice = random.Random(10)
    template = [feature(dice, 0) for _ in range(40)]
    contents = []
    for i in range(120):
        own = [feature(dice, 0) for _ in range(60 if i % 10 else 3)]
        contents.append(Content(Counter(template + own)))
    limits = Limits(sampled=False, floor=0.5)
    judge(contents, limits)
    assert len(join(contents, limits)) >= 12 * 11 // 2


@pytest.mark.parametrize("union", [9000, 20_000, 60_000])
def test_samples_beyond_the_tabled_sizes_lose_nothing(union: int) -> None:
    # Over 8,192 features the bound is three standard deviations wide: a few more are verified than must be.
    fewest = next(k for k in range(int(union * 0.6), union) if may_reach(k, union, 0.7, 0.99))
    for k, expected in ((fewest - 1000, False), (fewest, True), (fewest + 1, True), (union * 7 // 10, True)):
        half = (union - k) // 2
        a = Content(Counter(range(64, 64 * (k + half + 1), 64)), 64)
        b = Content(Counter(range(64 * (half + 1), 64 * (union + 1), 64)), 64)
        found = join([a, b], replace(DEFAULTS, floor=0.01))[0, 1]
        assert (found.shared, found.size_a + found.size_b) == (k, union + k)
        assert found.strong is expected


def test_arrays_that_do_not_fit_are_refused() -> None:
    empty = np.zeros(0, np.uint64)
    with pytest.raises(ValueError, match="do not fit together"):
        _native.candidates(
            np.zeros(3, np.uint64),
            empty,
            np.zeros(0, np.uint32),
            np.ones(1, np.uint64),
            options(DEFAULTS),
            touched=np.zeros(0, np.uint8),
            common=np.zeros(0, np.uint64),
        )


@pytest.mark.parametrize("threads", [1, 3, 96])
def test_what_is_in_several_lists_is_found_whoever_saw_it_first(threads: int) -> None:
    """Threads mark features each for itself, or together where these marks would take too much memory: with 96 of them
    and a million features they do. Features of two lists are all there is to find a pair by."""
    dice = np.random.default_rng(7)
    contents, size = 11_000, 100
    lists = dice.integers(0, 1 << 63, (contents, size), np.uint64)
    kin = np.arange(0, contents // 2, 97)
    far = kin + contents // 2  # so that other threads see them
    lists[far, :90] = lists[kin, :90]
    lists.sort(axis=1)
    postings = Postings(
        offsets=np.arange(0, contents * size + 1, size, dtype=np.uint64),
        features=lists.ravel(),
        weights=np.zeros(0, np.uint32),
        moduli=np.ones(contents, np.uint64),
    )
    found = find_candidates(postings, parse_scheme("exact:window=20"), MatchSettings(), threads=threads)
    assert (found.a.tolist(), found.b.tolist()) == (kin.tolist(), far.tolist())
    assert set(found.shared.tolist()) == {90}
