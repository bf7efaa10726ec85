"""The native join, in memory and bounded, judged against every pair; and collections to judge it by."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nearkin import _native
from oracle.candidates import Content, Limits, Pair, all_pairs, strongest

Found = dict[tuple[int, int], Pair]


def columns(contents: list[Content]) -> tuple[Any, Any, Any, Any]:
    """Offsets, features, weights and moduli."""
    lists = [sorted(content.features.elements()) for content in contents]
    weighted = any(content.weights is not None for content in contents)
    weights = [
        content.weight(feature) for content, one in zip(contents, lists, strict=True) for feature in one if weighted
    ]
    return (
        np.cumsum([0, *map(len, lists)], dtype=np.uint64),
        np.array([feature for one in lists for feature in one], np.uint64),
        np.array(weights, np.uint32),
        np.array([content.modulus for content in contents], np.uint64),
    )


def options(limits: Limits, *, threads: int = 1) -> _native.JoinOptions:
    return _native.JoinOptions(threads=threads, **asdict(limits))


def named(result: _native.JoinResult) -> Found:
    keys = list(zip(result.a.tolist(), result.b.tolist(), strict=True))
    assert keys == sorted(set(keys))
    assert all(i < j for i, j in keys)
    columns = (result.shared, result.size_a, result.size_b, result.united, result.strong)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {key: Pair(*values) for key, values in zip(keys, rows, strict=True)}


def join(
    contents: list[Content],
    limits: Limits,
    *,
    threads: int = 1,
    touched: list[bool] | None = None,
    common: Sequence[int] = (),
) -> Found:
    return named(
        _native.candidates(
            *columns(contents),
            options(limits, threads=threads),
            touched=np.array([] if touched is None else touched, np.uint8),
            common=np.array(common, np.uint64),
        )
    )


def bounded(contents: list[Content], limits: Limits, *, memory: int, threads: int = 2) -> Found:
    """Added from the last content to the first, in batches of some."""
    offsets, features, weights, moduli = columns(contents)
    limited = _native.BoundedJoin(
        "/tmp", moduli, options(limits, threads=threads), weighted=bool(len(weights)), memory=memory
    )
    for last in range(len(contents), 0, -3):
        first = max(0, last - 3)
        low, high = int(offsets[first]), int(offsets[last])
        limited.add(
            np.arange(first, last, dtype=np.uint32),
            offsets[first : last + 1] - offsets[first],
            features[low:high],
            weights[low:high],
        )
    for stage in limited.Stage:
        limited.work(stage, 0, limited.PARTS)
    found = named(limited.stars())
    for pair in limited.pairs():
        more = named(limited.join(*pair))
        assert not more.keys() & found.keys()
        found |= more
    return found


def judge(contents: list[Content], limits: Limits) -> None:
    """The whole contract."""
    expected, found = all_pairs(contents, limits), join(contents, limits)
    strong = {key: pair for key, pair in expected.items() if pair.strong}
    assert {key: pair for key, pair in found.items() if pair.strong} == strong

    weak = {key: pair for key, pair in expected.items() if not pair.strong}
    weak_found = {key: pair for key, pair in found.items() if not pair.strong}
    assert weak_found.items() <= weak.items()
    assert set(weak_found) == strongest(weak, limits.floor_most)

    for threads in (2, 3):
        assert join(contents, limits, threads=threads) == found
    if limits.estimator != "collision":
        for memory in (1 << 16, 1):  # some bins, and hardly a content in each
            in_bins = bounded(contents, limits, memory=memory)
            assert {key: pair for key, pair in in_bins.items() if pair.strong} == strong
            of_bins = {key: pair for key, pair in in_bins.items() if not pair.strong}
            assert of_bins.items() <= weak.items()
            assert strongest(of_bins, limits.floor_most) == set(weak_found)
    if contents:
        judge_part(contents, limits, {0, *range(2, len(contents), 5)})


def judge_part(contents: list[Content], limits: Limits, touched: set[int]) -> None:
    """Some contents and their neighbours, joined as the whole collection would be."""
    limits = replace(limits, floor_most=1 << 20)
    postings = Counter[int]()
    for content in contents:
        postings.update(content.features)
    features = {feature for row in touched for feature in contents[row].features}
    rows = [row for row, content in enumerate(contents) if row in touched or features & content.features.keys()]
    found = join(
        [contents[row] for row in rows],
        limits,
        touched=[row in touched for row in rows],
        common=sorted(feature for feature in features if postings[feature] > limits.floor_reach),
    )
    expected = {key: pair for key, pair in all_pairs(contents, limits).items() if touched & {*key}}
    assert {(rows[a], rows[b]): pair for (a, b), pair in found.items()} == expected


def feature(dice: random.Random, zeros: int) -> int:
    """A fingerprint that is a multiple of 2^zeros, of exactly that power."""
    return ((dice.getrandbits(64 - zeros) | 1) << zeros) & (1 << 64) - 1


def sampled_collection(
    seed: int, *, contents: int, universe: int, moduli: list[int], change: float, template: int
) -> list[Content]:
    """Edited copies, parts and unions of a few base sets; each content keeps the multiples of its modulus.

    Moduli are dealt without regard to sizes, as repetitive texts do: a long one of few distinct shingles is
    sampled at a modulus far too large for it.
    """
    dice = random.Random(seed)
    deepest = max(moduli).bit_length() - 1
    pool = [feature(dice, min(deepest + 2, int(dice.expovariate(0.4)))) for _ in range(universe)]
    everywhere = pool[:template]
    made: list[set[int]] = []
    for _ in range(contents):
        kind = dice.random()
        if not made or kind < 0.25:
            chosen = set(dice.sample(pool, dice.randint(0, universe)))
        elif kind < 0.6:
            chosen = {f for f in dice.choice(made) if dice.random() > change}
            chosen |= set(dice.sample(pool, dice.randint(0, max(1, int(change * universe)))))
        elif kind < 0.75:
            base = sorted(dice.choice(made))
            chosen = set(dice.sample(base, dice.randint(0, len(base))))
        elif kind < 0.85:
            chosen = dice.choice(made) | dice.choice(made)
        else:
            chosen = set(dice.choice(made))
        made.append(chosen | set(everywhere))
    return [
        Content(Counter(f for f in chosen if f % modulus == 0), modulus)
        for chosen, modulus in ((chosen, dice.choice(moduli)) for chosen in made)
    ]


def weighted_collection(seed: int, *, contents: int, universe: int, change: float, template: int) -> list[Content]:
    """Sequences of chunks with repeats, cut and edited; every chunk has its own weight everywhere."""
    dice = random.Random(seed)
    pool = [feature(dice, 0) for _ in range(universe)]
    weights = {f: dice.choice([1, 46, 280, dice.randint(1, 300)]) for f in pool}
    made: list[list[int]] = []
    for _ in range(contents):
        if not made or dice.random() < 0.3:
            chosen = dice.choices(pool, k=dice.randint(0, 2 * universe))
        else:
            chosen = [f for f in dice.choice(made) if dice.random() > change]
            chosen += dice.choices(pool, k=dice.randint(0, 3))
            if dice.random() < 0.3:
                chosen = chosen[: dice.randint(0, len(chosen))]
        made.append(chosen + pool[:template])
    return [Content(Counter(chosen), 1, weights) for chosen in made]


LIMITS = st.builds(
    Limits,
    resemblance=st.sampled_from([0.5, 0.7, 0.85, 0.95, 1.0]),
    containment=st.sampled_from([0.6, 0.9, 0.99, 1.0]),
    floor=st.sampled_from([0.1, 0.3, 0.5]),
    confidence=st.sampled_from([0.9, 0.99]),
    floor_reach=st.sampled_from([1, 2, 4, 32]),
    floor_most=st.sampled_from([0, 1, 3, 20]),
    short_part=st.sampled_from([0, 20, 200]),
    short_sample=st.sampled_from([0, 1, 4]),
)
DEFAULTS = Limits()
