"""The greedy view against every signature compared with every representative; and each rule once by example."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.group.families import ContentFamily
from nearkin.group.views import Representative, RowSignatures, estimate_to_pivot, greedy, measure_links
from nearkin.matching.candidates import Postings
from nearkin.model import Kind
from nearkin.scheme import Estimator, Scheme, parse_scheme, sign
from oracle import greedy as oracle
from oracle.greedy import Sketch
from oracle.prose import prose

AGREEMENTS = {"overlap": _native.OVERLAP, "smallest": _native.SMALLEST, "slots": _native.SLOTS}
MOST = 12


def columns(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.uint64)
    return offsets, np.array([feature for one in lists for feature in sorted(one)], np.uint64)


def clustered(
    lists: list[list[int]],
    moduli: list[int],
    order: list[int],
    *,
    weights: dict[int, int] | None = None,
    threshold: float,
    agreement: str = "overlap",
    by_popularity: bool = False,
) -> tuple[list[int], list[float]]:
    offsets, features = columns(lists)
    founders, nearness = _native.greedy(
        offsets,
        features,
        np.array([weights[f] for f in features.tolist()] if weights else [], np.uint32),
        np.array(moduli, np.uint64),
        np.array(order, np.uint32),
        threshold=threshold,
        agreement=AGREEMENTS[agreement],
        most=MOST,
        popular=by_popularity,
    )
    return founders.tolist(), nearness.tolist()


def judge(
    lists: list[list[int]],
    moduli: list[int],
    order: list[int],
    *,
    weights: dict[int, int] | None = None,
    threshold: float,
    agreement: str = "overlap",
) -> None:
    sketches = [Sketch.of(f, modulus=m, weights=weights) for f, m in zip(lists, moduli, strict=True)]
    for by_popularity in (False, True):
        expected = oracle.clusters(
            sketches, order, threshold=threshold, agreement=agreement, most=MOST, by_popularity=by_popularity
        )
        founders, nearness = clustered(
            lists,
            moduli,
            order,
            weights=weights,
            threshold=threshold,
            agreement=agreement,
            by_popularity=by_popularity,
        )
        assert {row: founders[row] for row in order} == {row: one[0] for one in expected for row in one}
        for cluster in expected:
            for row in cluster:
                representative = oracle.representative([sketches[one] for one in cluster], by_popularity)
                assert nearness[row] == oracle.resemblance(sketches[row], representative, agreement, MOST)


def drifting(dice: random.Random, universe: list[int], count: int, size: int) -> list[list[int]]:
    """Signatures that are each a changed one of those before, or new: families, and chains between them."""
    found: list[list[int]] = []
    for _ in range(count):
        base = dice.choice(found) if found and dice.random() < 0.7 else dice.sample(universe, size)
        kept = [feature for feature in base if dice.random() < 0.85]
        found.append(sorted({*kept, *dice.sample(universe, dice.randint(0, 4))}))
    return found


THRESHOLDS = st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0])


@settings(max_examples=150)
@given(st.integers(0, 1 << 32), THRESHOLDS, st.sampled_from(["overlap", "smallest", "slots"]))
def test_sets_are_clustered_as_the_paper_says(seed: int, threshold: float, agreement: str) -> None:
    dice = random.Random(seed)
    universe = dice.sample(range(1 << 40), 60)
    lists = drifting(dice, universe, dice.randint(0, 25), 16)
    if agreement == "smallest":
        lists = [one[:MOST] for one in lists]
    order = list(range(len(lists)))
    dice.shuffle(order)
    judge(lists, [1] * len(lists), order, threshold=threshold, agreement=agreement)


@settings(max_examples=150)
@given(st.integers(0, 1 << 32), THRESHOLDS)
def test_signatures_of_unequal_moduli_meet_at_the_larger(seed: int, threshold: float) -> None:
    dice = random.Random(seed)
    universe = [dice.getrandbits(40) << dice.choice([0, 1, 1, 2, 2, 3]) for _ in range(80)]
    moduli = [dice.choice([1, 2, 4]) for _ in range(dice.randint(0, 20))]
    lists = [
        [feature for feature in one if feature % modulus == 0]
        for one, modulus in zip(drifting(dice, universe, len(moduli), 30), moduli, strict=True)
    ]
    order = sorted(range(len(lists)), key=lambda row: dice.random())
    judge(lists, moduli, order, threshold=threshold)


@settings(max_examples=100)
@given(st.integers(0, 1 << 32), THRESHOLDS)
def test_chunks_count_by_their_bytes_and_as_often_as_they_occur(seed: int, threshold: float) -> None:
    dice = random.Random(seed)
    universe = dice.sample(range(1 << 40), 30)
    weights = {feature: dice.randint(1, 200) for feature in universe}
    lists = [
        [feature for feature in one for _ in range(dice.choice([1, 1, 1, 2, 3]))]
        for one in drifting(dice, universe, dice.randint(0, 20), 10)
    ]
    judge(lists, [1] * len(lists), list(range(len(lists))), weights=weights, threshold=threshold)


def test_best_not_first() -> None:
    """0 and 1 are apart; 2 resembles both enough, and 1 more."""
    lists = [[*range(10)], [*range(5, 15)], [*range(4, 14)]]
    assert clustered(lists, [1] * 3, [0, 1, 2], threshold=0.4)[0] == [0, 1, 1]
    assert clustered(lists, [1] * 3, [2, 0, 1], threshold=0.4)[0] == [2, 2, 2]


def test_no_chains() -> None:
    """0–1 and 1–2 resemble each other, 0–2 do not: a chain, but two greedy families."""
    lists = [[*range(10)], [*range(2, 12)], [*range(4, 14)]]
    assert clustered(lists, [1] * 3, [0, 1, 2], threshold=0.6)[0] == [0, 0, 2]


def test_popular_features_follow_the_family() -> None:
    """The first member has ten features of its own; what most of the others share takes their place."""
    others = [[*range(100), *range(200 + 10 * i, 210 + 10 * i)] for i in range(5)]
    lists = [[*range(90), *range(900, 920)], *others, [*range(100)]]
    order = list(range(len(lists)))
    first = clustered(lists, [1] * 7, order, threshold=0.65)[1]
    popular = clustered(lists, [1] * 7, order, threshold=0.65, by_popularity=True)[1]
    assert first[0] == 1.0
    assert popular[6] > first[6]
    assert popular[0] < max(popular)


def test_what_does_not_fit_together_is_refused() -> None:
    one, none = np.zeros(1, np.uint64), np.zeros(0, np.uint64)
    with pytest.raises(ValueError, match="do not fit together"):
        _native.greedy(one, none, np.zeros(0, np.uint32), np.ones(1, np.uint64), np.zeros(1, np.uint32),
                       threshold=0.5, agreement=0, most=0, popular=False)  # fmt: skip
    with pytest.raises(ValueError, match="agreement"):
        _native.greedy(one, none, np.zeros(0, np.uint32), none, np.zeros(0, np.uint32),
                       threshold=0.5, agreement=3, most=0, popular=False)  # fmt: skip


# Families of texts.


def versions(seed: int, words: int, count: int) -> list[bytes]:
    """A text, and versions each a little shorter than the one before."""
    text = prose(seed, words)
    return [text[: len(text) - 60 * i] for i in range(count)]


def postings(texts: list[bytes], scheme: Scheme) -> Postings:
    signed = [sign(text, scheme) for text in texts]
    weights = [one.weights for one in signed if scheme.measure == "bytes"]
    return Postings(
        offsets=np.cumsum([0, *map(len, signed)]).astype(np.uint64),
        features=np.concatenate([np.zeros(0, np.uint64), *(one.features for one in signed)]),
        weights=np.concatenate([np.zeros(0, np.uint32), *weights]),
        moduli=np.array([one.modulus for one in signed], np.uint64),
    )


def families(
    texts: list[bytes],
    spec: str,
    *,
    copies: list[int] | None = None,
    threshold: float = 0.7,
    representative: Representative = Representative.FIRST,
) -> list[ContentFamily]:
    scheme = parse_scheme(spec)
    found = greedy(
        postings(texts, scheme),
        np.array([len(text) for text in texts], np.int64),
        np.array(copies or [1] * len(texts), np.int64),
        scheme,
        threshold=threshold,
        representative=representative,
    )
    estimate_to_pivot(found, RowSignatures(postings(texts, scheme), scheme))
    measure_links(found)
    return found


SPECS = pytest.mark.parametrize("spec", ["exact:window=20", "mod:window=20,sample=200,most=64", "tttd:mean=100"])
BOTH = pytest.mark.parametrize("representative", list(Representative))


@SPECS
@BOTH
def test_the_longest_is_the_first(spec: str, representative: Representative) -> None:
    texts = [prose(9, 3000), *reversed(versions(1, 6000, 4)), prose(8, 3000)]
    (family,) = families(texts, spec, representative=representative)
    assert family.members == [4, 3, 2, 1]
    assert (family.kind, family.links, family.parts) == (Kind.VERSIONS, 3, [])
    if representative is Representative.FIRST:
        assert family.pivot == 4
    assert family.to_pivot[family.pivot] == 1.0
    others = {row: value for row, value in family.to_pivot.items() if row != family.pivot}
    assert family.weakest is not None
    assert family.weakest[2] == min(v for v in others.values() if v is not None)
    assert family.pivot in family.weakest[:2]
    assert family.mean_resemblance == pytest.approx(sum(v or 0.0 for v in others.values()) / 3)


def test_estimates_are_marked() -> None:
    texts = versions(1, 30_000, 3)
    (sampled,) = families(texts, "mod:window=20,sample=200,most=64")
    assert sampled.estimated == {1, 2}
    (exact,) = families(texts, "exact:window=20")
    assert exact.estimated == set()
    (chunks,) = families(texts, "tttd:mean=100")
    assert chunks.estimated == set()


def test_equal_lengths_are_taken_by_digest() -> None:
    text = prose(1, 3000)
    assert families([text[:-1] + b"x", text[:-1] + b"y"], "exact:window=20")[0].pivot == 0


def test_copies_alone_are_a_family_and_counted_apart() -> None:
    texts = [prose(1, 2000), prose(2, 2000), *versions(3, 4000, 2)]
    found = families(texts, "exact:window=20", copies=[2, 1, 1, 1])
    assert sorted((family.kind, len(family.members)) for family in found) == [(Kind.IDENTICAL, 1), (Kind.PAIR, 2)]


def test_texts_without_features_stay_alone() -> None:
    assert families([b"short", b"other"], "exact:window=20") == []
    assert len(families([b"short", b"other"], "exact:window=20", copies=[2, 2])) == 2
    assert families([], "exact:window=20") == []


def test_schemes_whose_signatures_tell_no_resemblance_are_refused() -> None:
    class Collides:
        estimator = Estimator.COLLISION
        spec = "fuzzy:classes=18"

    nothing = postings([], parse_scheme("exact"))
    lengths = np.zeros(0, np.int64)
    with pytest.raises(UsageError, match="do not estimate resemblance"):
        greedy(nothing, lengths, lengths, Collides(), threshold=0.7, representative=Representative.FIRST)  # type: ignore[arg-type]
