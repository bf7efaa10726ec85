"""From signatures to matches, end to end: what is found and what it scores, against every pair of texts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.matching.candidates import Postings
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.score import find_matches
from nearkin.matching.verify import Corpus
from nearkin.scheme import Scheme, parse_scheme, sign
from nearkin.settings import MatchSettings
from oracle.candidates import Pair as Scored
from oracle.candidates import strongest
from oracle.prose import prose
from oracle.shingles import covered, shingles

WINDOW = 20
EXACT = parse_scheme("exact:window=20")
DEFAULT = parse_scheme("mod:window=20,sample=200,most=64")
CHUNKS = parse_scheme("tttd:mean=50")


def postings_of(texts: list[bytes], scheme: Scheme) -> Postings:
    signatures = [sign(text, scheme) for text in texts]
    weighted = scheme.measure == "bytes"
    return Postings(
        offsets=np.array([0, *np.cumsum([len(signature) for signature in signatures])], np.uint64),
        features=np.concatenate([np.zeros(0, np.uint64), *(signature.features for signature in signatures)]),
        weights=np.concatenate([np.zeros(0, np.uint32), *(signature.weights for signature in signatures if weighted)]),
        moduli=np.array([signature.modulus for signature in signatures], np.uint64),
    )


def matches_of(
    texts: list[bytes],
    scheme: Scheme,
    limits: MatchSettings,
    *,
    threads: int = 2,
    memory: int = 1 << 30,
    kept: bool = True,
) -> MatchColumns:
    def shelf(rows: Sequence[int]) -> list[bytes | None]:
        return [texts[row] if kept else None for row in rows]

    lengths = np.array([len(text) for text in texts], np.int64)
    corpus = Corpus(lengths, shelf, memory, threads)
    return find_matches(postings_of(texts, scheme), corpus, scheme, limits).matches


@dataclass(frozen=True)
class Exact:
    """A pair by its sets of shingles."""

    a: bytes
    b: bytes
    shared: int
    size_a: int
    size_b: int

    @property
    def shared_bytes(self) -> int:
        least = self.shared + WINDOW - 1
        assert least <= min(covered(self.a, self.b, WINDOW), covered(self.b, self.a, WINDOW))
        return least

    @property
    def scores(self) -> tuple[float, float, float]:
        union = self.size_a + self.size_b - self.shared
        return self.shared / union, self.shared / self.size_a, self.shared / self.size_b


def by_sets(texts: list[bytes]) -> dict[tuple[int, int], Exact]:
    sets = [shingles(text, WINDOW) for text in texts]
    pairs = {}
    for a, b in combinations(range(len(texts)), 2):
        shared = len(sets[a] & sets[b])
        if shared:
            pairs[a, b] = Exact(texts[a], texts[b], shared, len(sets[a]), len(sets[b]))
    return pairs


def strong_pairs(texts: list[bytes], limits: MatchSettings) -> dict[tuple[int, int], Exact]:
    return {
        key: pair
        for key, pair in by_sets(texts).items()
        if (pair.scores[0] >= limits.threshold or max(pair.scores[1:]) >= limits.containment)
        and (limits.min_shared_bytes == 0 or pair.shared_bytes >= limits.min_shared_bytes)
    }


def scores(found: MatchColumns) -> dict[tuple[int, int], tuple[float, float, float]]:
    columns = (found.a, found.b, found.resemblance, found.a_in_b, found.b_in_a)
    return {(a, b): (r, x, y) for a, b, r, x, y in zip(*(c.tolist() for c in columns), strict=True)}


def collection(seed: int, *, count: int, sizes: tuple[int, int]) -> list[bytes]:
    """Versions, parts, containers and strangers. All different and none empty, as contents are."""
    dice = random.Random(seed)
    texts: list[bytes] = []
    while len(texts) < count:
        size = dice.randint(*sizes)
        if not texts or dice.random() < 0.25:
            texts.append(prose(dice.getrandbits(30), size))
            continue
        text = dice.choice(texts)
        start = dice.randrange(len(text))
        texts.append(
            dice.choice(
                [
                    text[:start] + prose(dice.getrandbits(30), dice.randint(1, 60)) + text[start:],
                    text[start:] or text,
                    text[: start + 1],
                    text + prose(dice.getrandbits(30), dice.randint(1, size)),
                    text[start:] + text[:start],
                    text + dice.choice(texts),
                    text.replace(b"e", b"E", 2),
                ]
            )[: 3 * sizes[1]]
        )
    return list(dict.fromkeys(texts))


LIMITS = st.builds(
    lambda threshold, containment, below, at_least, weak: MatchSettings(
        threshold=threshold,
        containment=containment,
        floor=round(threshold * below, 3),
        min_shared_bytes=at_least,
        weak_matches=weak,
    ),
    st.sampled_from([0.5, 0.7, 0.9, 1.0]),
    st.sampled_from([0.6, 0.9, 1.0]),
    st.sampled_from([0.3, 0.7, 1.0]),
    st.sampled_from([0, 0, 20, 150]),
    st.sampled_from([0, 1, 3, 20]),
)


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), LIMITS, st.sampled_from([EXACT, DEFAULT]))
def test_with_full_lists_every_match_is_found_and_scored_to_the_last_digit(
    seed: int, limits: MatchSettings, scheme: Scheme
) -> None:
    # Up to 219 bytes the default scheme keeps every shingle too.
    sizes = (1, 70) if scheme is DEFAULT else (1, 250)
    texts = collection(seed, count=14, sizes=sizes)
    found = matches_of(texts, scheme, limits)
    strong = found[found.strong(limits.threshold, limits.containment)]
    expected = strong_pairs(texts, limits)
    assert scores(strong) == {key: pair.scores for key, pair in expected.items()}
    assert strong.exact.all()
    sizes_found = zip(strong.size_a.tolist(), strong.size_b.tolist(), strong.shared_bytes.tolist(), strict=True)
    assert list(sizes_found) == [(pair.size_a, pair.size_b, pair.shared_bytes) for _, pair in sorted(expected.items())]


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), LIMITS)
def test_weak_matches_are_the_strongest_above_the_floor(seed: int, limits: MatchSettings) -> None:
    limits = replace(limits, min_shared_bytes=0)
    texts = collection(seed, count=16, sizes=(1, 250))
    found = matches_of(texts, EXACT, limits)
    weak = found[~found.strong(limits.threshold, limits.containment)]
    strong = strong_pairs(texts, limits)
    expected = {
        key: Scored(pair.shared, pair.size_a, pair.size_b, pair.size_a + pair.size_b - pair.shared, False)
        for key, pair in by_sets(texts).items()
        if key not in strong and pair.scores[0] >= limits.floor
    }
    # 16 contents: no feature is in more than weak_reach of them, so none may be missing.
    kept = strongest(expected, limits.weak_matches)
    assert {key: score[0] for key, score in scores(weak).items()} == {key: expected[key].resemblance for key in kept}


def long_collection(seed: int) -> list[bytes]:
    return collection(seed, count=40, sizes=(1500, 9000))


@pytest.mark.parametrize("seed", range(4))
def test_with_samples_what_is_found_is_verified_and_nothing_is_lost(seed: int) -> None:
    """The join lets through what may match at 99 %: in these collections all that does.

    But for parts under 200 shingles in long texts: at their modulus too little is left of them.
    """
    limits = MatchSettings()
    texts = long_collection(seed)
    assert max(postings_of(texts, DEFAULT).moduli) >= 32
    found = matches_of(texts, DEFAULT, limits)
    strong = found[found.strong(limits.threshold, limits.containment)]
    expected = strong_pairs(texts, limits)
    found_scores = scores(strong)
    assert found_scores == {key: expected[key].scores for key in found_scores}
    lost = [expected[key] for key in set(expected) - set(found_scores)]
    assert all(pair.scores[0] < 0.7 and min(pair.size_a, pair.size_b) < limits.part_shingles for pair in lost)
    assert len(found_scores) > 10
    assert strong.exact.all()


@pytest.mark.parametrize("seed", range(3))
def test_unverified_weak_matches_carry_their_interval(seed: int) -> None:
    limits = MatchSettings(threshold=0.9, containment=1.0, floor=0.2)
    texts = long_collection(seed)
    found = matches_of(texts, DEFAULT, limits)
    estimates = found[~found.exact]
    assert len(estimates) > 10
    truth = by_sets(texts)
    assert ((estimates.low <= estimates.resemblance) & (estimates.resemblance <= estimates.high)).all()
    assert (estimates.resemblance >= limits.floor).all()
    pairs = zip(
        estimates.a.tolist(),
        estimates.b.tolist(),
        estimates.low.tolist(),
        estimates.high.tolist(),
        strict=True,
    )
    held = [low <= truth[a, b].scores[0] <= high for a, b, low, high in pairs]
    assert sum(held) >= 0.95 * len(held)
    assert np.isnan(found[found.exact].low).all()


def test_without_texts_all_is_estimated() -> None:
    limits = MatchSettings()
    texts = long_collection(1)
    found = matches_of(texts, DEFAULT, limits, kept=False)
    moduli = postings_of(texts, DEFAULT).moduli
    assert (found.exact == (np.maximum(moduli[found.a], moduli[found.b]) == 1)).all()
    truth = by_sets(texts)
    verified = scores(matches_of(texts, DEFAULT, limits))
    estimated = scores(found)
    assert len(set(estimated) & set(verified)) > 0.9 * len(verified)
    for key, (estimate, _, _) in estimated.items():
        assert abs(estimate - truth[key].scores[0]) < 0.35


@pytest.mark.parametrize("scheme", [EXACT, DEFAULT, CHUNKS], ids=lambda scheme: str(scheme.spec))
def test_threads_memory_and_order_change_nothing(scheme: Scheme) -> None:
    texts = collection(5, count=40, sizes=(100, 2500))
    limits = MatchSettings(weak_matches=1000)
    once = scores(matches_of(texts, scheme, limits))
    assert once
    assert scores(matches_of(texts, scheme, limits, threads=3)) == once
    assert scores(matches_of(texts, scheme, limits, memory=1)) == once
    order = list(range(len(texts)))
    random.Random(1).shuffle(order)
    turned = scores(matches_of([texts[i] for i in order], scheme, limits))
    back = {}
    for (a, b), (r, a_in_b, b_in_a) in turned.items():
        first, second = order[a], order[b]
        back[min(first, second), max(first, second)] = (
            r,
            *((a_in_b, b_in_a) if first < second else (b_in_a, a_in_b)),
        )
    assert back == once


def test_chunk_schemes_score_bytes_of_chunks() -> None:
    limits = MatchSettings()
    texts = collection(6, count=30, sizes=(500, 3000))
    found = matches_of(texts, CHUNKS, limits)
    strong = found[found.strong(limits.threshold, limits.containment)]
    assert len(strong) > 5
    expected = {}
    for a, b in combinations(range(len(texts)), 2):
        mine, theirs = sign(texts[a], CHUNKS), sign(texts[b], CHUNKS)
        there, part, back = mine.resemblance(theirs), mine.containment(theirs), theirs.containment(mine)
        assert there is not None
        assert part is not None
        assert back is not None
        if there.value >= limits.threshold or max(part.value, back.value) >= limits.containment:
            expected[a, b] = (there.value, part.value, back.value)
    assert scores(strong) == expected
    assert strong.size_a.tolist() == [len(texts[a]) for a in strong.a.tolist()]


@pytest.mark.parametrize("scheme", [EXACT, DEFAULT, CHUNKS], ids=lambda scheme: str(scheme.spec))
@pytest.mark.parametrize("texts", [[], [b"a"], [b"a", b"b"]], ids=len)
def test_nothing_matches_in_small_repositories(scheme: Scheme, texts: list[bytes]) -> None:
    assert len(matches_of(texts, scheme, MatchSettings())) == 0


def test_the_weak_cap_counts_for_each_content() -> None:
    # One hub that shares half of itself with each of nine others, which share nothing among themselves.
    passages = [prose(100 + i, 300) for i in range(9)]
    hub = b"".join(passages)
    texts = [hub, *(hub[300 * i : 300 * i + 300] + prose(200 + i, 120) for i in range(9))]
    limits = MatchSettings(threshold=0.5, floor=0.05, weak_matches=2)
    # Each of the nine has only the hub, so each keeps it, although the hub alone would keep two.
    assert sorted(scores(matches_of(texts, EXACT, limits))) == [(0, i) for i in range(1, 10)]
    assert len(matches_of(texts, EXACT, replace(limits, weak_matches=0))) == 0


def test_signatures_without_a_theory_give_estimates_without_intervals() -> None:
    text = prose(1, 3000)
    texts = [text, text[:1500], text[:2900] + prose(2, 100), prose(3, 40), prose(3, 60)]
    found = matches_of(texts, parse_scheme("bsw:window=20,n=100"), MatchSettings(), kept=False)
    assert len(found)
    assert not found.exact.any()
    assert np.isnan(found.low).all()
    assert np.isnan(found.high).all()
    # A chunk counts as n shingles, but a text has no more bytes than it has.
    assert (found.shared_bytes <= np.minimum([len(texts[a]) for a in found.a], [len(texts[b]) for b in found.b])).all()
