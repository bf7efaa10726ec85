"""Families against the rules written out slowly; and each rule once by example."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.group.families import ContentFamily, Evidence, complete_to_pivot
from nearkin.group.views import chain
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.verify import Corpus
from nearkin.model import Kind
from nearkin.scheme.shingler import Shingler
from nearkin.settings import MatchSettings
from oracle import family as oracle
from oracle.family import Match
from oracle.prose import prose
from oracle.shingles import resemblance

LIMITS = MatchSettings()


def columns(matches: list[Match]) -> MatchColumns:
    def of(name: str) -> list[float]:
        return [getattr(match, name) for match in matches]

    nothing = np.full(len(matches), np.nan)
    return MatchColumns(
        a=np.array(of("a"), np.uint32),
        b=np.array(of("b"), np.uint32),
        resemblance=np.array(of("resemblance"), np.float64),
        a_in_b=np.array(of("a_in_b"), np.float64),
        b_in_a=np.array(of("b_in_a"), np.float64),
        payload=nothing,
        shared_bytes=np.zeros(len(matches), np.int64),
        size_a=np.array(of("size_a"), np.int64),
        size_b=np.array(of("size_b"), np.int64),
        exact=np.ones(len(matches), np.bool_),
        low=nothing,
        high=nothing,
        payload_sample=nothing,
    )


def chained(matches: list[Match], lengths: list[int], copies: list[int] | None = None) -> list[ContentFamily]:
    counts = copies or [1] * len(lengths)
    evidence = Evidence.of(columns(matches), LIMITS)
    return chain(evidence, np.array(lengths, np.int64), np.array(counts, np.int64)).listed()


def comparable(family: ContentFamily) -> oracle.Family:
    assert len(set(family.members)) == len(family.members)
    assert len(set(family.parts)) == len(family.parts)
    return oracle.Family(
        frozenset(family.members),
        frozenset(family.parts),
        family.pivot,
        family.links,
        family.weakest and family.weakest[2],
        family.mean_resemblance,
        str(family.kind),
    )


def pair_of(a: int, b: int, sizes: list[int], shared: int) -> Match:
    union = sizes[a] + sizes[b] - shared
    return Match(a, b, shared / union, shared / sizes[a], shared / sizes[b], sizes[a], sizes[b])


@st.composite
def repositories(draw: st.DrawFn) -> tuple[list[Match], list[int], list[int]]:
    """Contents of a few sizes, with matches among some of them: alike, contained, or weak."""
    count = draw(st.integers(0, 10))
    sizes = draw(st.lists(st.sampled_from([150, 199, 200, 300, 300, 1000, 5000]), min_size=count, max_size=count))
    matches = []
    for a, b in combinations(range(count), 2):
        share = draw(st.sampled_from([0, 0, 0, 0, 0.5, 0.89, 0.9, 0.95, 1]))
        shared = int(share * min(sizes[a], sizes[b]))
        if shared:
            matches.append(pair_of(a, b, sizes, shared))
    copies = draw(st.lists(st.sampled_from([1, 1, 2, 5]), min_size=count, max_size=count))
    return matches, sizes, copies


@settings(max_examples=300)
@given(repositories())
def test_families_follow_the_rules(repository: tuple[list[Match], list[int], list[int]]) -> None:
    matches, lengths, copies = repository
    found = chained(matches, lengths, copies)
    expected = oracle.families(
        matches,
        lengths,
        copies,
        threshold=LIMITS.threshold,
        containment=LIMITS.containment,
        part_shingles=LIMITS.part_shingles,
    )
    assert {comparable(family).members for family in found} == {family.members for family in expected}
    for family in found:
        (right,) = (one for one in expected if one.members == frozenset(family.members))
        mine = comparable(family)
        assert mine.mean == pytest.approx(right.mean)
        assert (mine.parts, mine.pivot, mine.links, mine.weakest, mine.kind) == (
            right.parts,
            right.pivot,
            right.links,
            right.weakest,
            right.kind,
        )
    everyone = [row for family in found for row in (*family.members, *family.parts)]
    assert len(everyone) == len(set(everyone)), "a content is in one family only"


@settings(max_examples=100)
@given(repositories())
def test_the_weakest_link_and_the_pivots_resemblances_are_real_matches(
    repository: tuple[list[Match], list[int], list[int]],
) -> None:
    matches, lengths, copies = repository
    known = {(match.a, match.b): match.resemblance for match in matches}
    for family in chained(matches, lengths, copies):
        if family.weakest:
            a, b, value = family.weakest
            assert known[a, b] == value >= LIMITS.threshold
        rows = {*family.members, *family.parts} - {family.pivot}
        assert family.to_pivot.pop(family.pivot) == 1.0
        for row, value_to_pivot in family.to_pivot.items():
            assert row in rows
            assert known[min(row, family.pivot), max(row, family.pivot)] == value_to_pivot
        linked = {row for row in rows if (min(row, family.pivot), max(row, family.pivot)) in known}
        assert linked == set(family.to_pivot)


def digests_of(families: list[ContentFamily], names: list[str]) -> set[tuple[frozenset[str], frozenset[str], str]]:
    return {
        (
            frozenset(names[row] for row in family.members),
            frozenset(names[row] for row in family.parts),
            str(family.kind),
        )
        for family in families
    }


@settings(max_examples=200)
@given(st.integers(0, 1 << 32))
def test_rows_are_only_names(seed: int) -> None:
    """Sizes and shares all differ here; between equal ones the digest decides, and rows follow digests."""
    dice = random.Random(seed)
    count = dice.randint(2, 12)
    sizes = dice.sample(range(150, 6000), count)
    pairs = {
        pair: int(dice.uniform(0.4, 1.0) * min(sizes[pair[0]], sizes[pair[1]]))
        for pair in combinations(range(count), 2)
        if dice.random() < 0.3
    }
    copies = [dice.choice([1, 1, 2]) for _ in range(count)]
    names = [f"digest {row}" for row in range(count)]
    straight = chained([pair_of(a, b, sizes, shared) for (a, b), shared in pairs.items()], sizes, copies)
    order = list(range(count))
    dice.shuffle(order)
    at = {row: place for place, row in enumerate(order)}
    turned_sizes = [sizes[row] for row in order]
    turned_pairs = sorted((*sorted((at[a], at[b])), shared) for (a, b), shared in pairs.items())
    turned = chained(
        [pair_of(a, b, turned_sizes, shared) for a, b, shared in turned_pairs],
        turned_sizes,
        [copies[row] for row in order],
    )
    assert digests_of(turned, [names[row] for row in order]) == digests_of(straight, names)


def alike(a: int, b: int, value: float) -> Match:
    return Match(a, b, value, 0.85, 0.85, 1000, 1000)


def inside(part: int, whole: int, *, size: int = 500, whole_size: int = 5000, share: float = 1.0) -> Match:
    shared = share * size
    value = shared / (size + whole_size - shared)
    if part < whole:
        return Match(part, whole, value, share, shared / whole_size, size, whole_size)
    return Match(whole, part, value, shared / whole_size, share, whole_size, size)


def only(families: list[ContentFamily]) -> ContentFamily:
    (family,) = families
    return family


def test_resemblance_chains() -> None:
    family = only(chained([alike(0, 1, 0.8), alike(1, 2, 0.71)], [1000] * 3))
    assert sorted(family.members) == [0, 1, 2]
    assert family.kind is Kind.VERSIONS
    assert family.pivot == 1
    assert family.links == 2
    assert family.weakest == (1, 2, 0.71)
    assert family.mean_resemblance == pytest.approx(0.755)


def test_a_hair_below_the_threshold_does_not_join() -> None:
    assert chained([alike(0, 1, 0.6999999)], [1000] * 2) == []
    assert only(chained([alike(0, 1, 0.7)], [1000] * 2)).kind is Kind.PAIR


def test_a_link_inside_a_family_is_not_its_weakest() -> None:
    # 0-2 is the weakest of three, but the family hangs together without it.
    family = only(chained([alike(0, 1, 0.9), alike(0, 2, 0.7), alike(1, 2, 0.8)], [1000] * 3))
    assert family.weakest == (1, 2, 0.8)


def test_two_containers_of_one_part_stay_apart() -> None:
    family = only(chained([inside(0, 1), inside(0, 2, whole_size=9000)], [500, 5000, 9000]))
    assert (family.members, family.parts, family.kind) == ([1], [0], Kind.CONTAINS)


def test_two_parts_of_one_container_are_an_archive() -> None:
    family = only(chained([inside(0, 2), inside(1, 2)], [500, 500, 5000]))
    assert (family.members, sorted(family.parts), family.kind) == ([2], [0, 1], Kind.ARCHIVE)
    assert family.links == 2
    assert family.weakest is None
    assert family.mean_resemblance is None


def test_a_part_of_a_part_belongs_to_the_outermost_container() -> None:
    nested = [inside(0, 1, whole_size=1000), inside(1, 2, size=1000, whole_size=9000)]
    family = only(chained(nested, [500, 1000, 9000]))
    assert (family.members, sorted(family.parts), family.kind) == ([2], [0, 1], Kind.ARCHIVE)


@pytest.mark.parametrize(("size", "grouped"), [(199, False), (200, True)])
def test_parts_under_200_shingles_are_not_grouped(size: int, grouped: bool) -> None:
    assert bool(chained([inside(0, 1, size=size)], [size + 19, 5019])) is grouped


def test_a_version_is_never_a_part() -> None:
    # 0 resembles 1 and lies in 2: it stays with 1, and 2 stays alone.
    family = only(chained([alike(0, 1, 0.9), inside(0, 2)], [1000, 1000, 5000]))
    assert (sorted(family.members), family.parts, family.kind) == ([0, 1], [], Kind.PAIR)


def test_a_part_of_one_version_makes_the_family_mixed() -> None:
    family = only(chained([alike(1, 2, 0.9), inside(0, 1)], [500, 5000, 5000]))
    assert (sorted(family.members), family.parts, family.kind) == ([1, 2], [0], Kind.MIXED)
    assert family.pivot in (1, 2)


def test_copies_alone_are_an_identical_family() -> None:
    family = only(chained([], [500, 700], [1, 3]))
    assert (family.members, family.kind, family.links) == ([1], Kind.IDENTICAL, 0)


def test_copies_of_a_part_stay_a_part() -> None:
    family = only(chained([inside(0, 1)], [500, 5000], [4, 1]))
    assert (family.members, family.parts) == ([1], [0])


def test_the_pivot_is_most_linked_then_longest_then_first() -> None:
    assert only(chained([alike(0, 1, 0.9), alike(1, 2, 0.9)], [9000, 10, 10])).pivot == 1
    assert only(chained([alike(0, 1, 0.9)], [10, 11])).pivot == 1
    assert only(chained([alike(0, 1, 0.9)], [10, 10])).pivot == 0


def test_nothing_at_all() -> None:
    assert chained([], []) == []
    assert chained([], [5, 5]) == []


def test_a_ring_of_parts_ends() -> None:
    import signal

    def too_long(*_: object) -> None:
        raise TimeoutError

    # Texts not kept: each pair's sizes are estimates at its own modulus, so 0 < 1 < 2 < 0 is possible.
    ring = [
        inside(0, 1, size=300, whole_size=400),
        inside(1, 2, size=300, whole_size=400),
        inside(2, 0, size=300, whole_size=400),
    ]
    ring = [Match(m.a, m.b, 0.6, m.a_in_b, m.b_in_a, m.size_a, m.size_b) for m in ring]
    before = signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    try:
        families = chained(ring, [300, 300, 300])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert sorted(row for family in families for row in (*family.members, *family.parts)) == [0, 1, 2]


def test_resemblance_to_the_pivot_is_measured_where_no_match_says_it() -> None:
    base = prose(1, 2000)
    texts = [base[200 * i : 200 * i + 1400] for i in range(4)]  # 0 and 3 hardly overlap
    value = resemblance(texts[0], texts[1], 20)
    matches = [Match(i, i + 1, value, 0.85, 0.85, 1381, 1381) for i in range(3)]
    families = chain(
        Evidence.of(columns(matches), MatchSettings(threshold=round(value, 3) - 0.01, floor=0.1)),
        np.array([1400] * 4, np.int64),
        np.ones(4, np.int64),
    ).listed()
    (family,) = families
    lengths = np.array([len(text) for text in texts], np.int64)
    corpus = Corpus(lengths, lambda rows: [texts[row] for row in rows], 1 << 20, threads=1)
    complete_to_pivot(families, corpus, Shingler(20))
    assert family.pivot == 1
    assert family.to_pivot == {row: 1.0 if row == 1 else resemblance(texts[1], texts[row], 20) for row in range(4)}


LINKS = st.integers(1, 30).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.lists(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=40),
    )
)


@given(LINKS)
def test_components_are_named_by_their_smallest_node(graph: tuple[int, list[tuple[int, int]]]) -> None:
    nodes, links = graph
    a = np.array([link[0] for link in links], np.uint32)
    b = np.array([link[1] for link in links], np.uint32)
    assert _native.components(nodes, a, b).tolist() == oracle.components(nodes, links)


def test_a_long_chain_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(100_000).astype(np.uint32)
    labels = _native.components(100_000, np.ascontiguousarray(order[1:]), np.ascontiguousarray(order[:-1]))
    assert not labels.any()


def test_links_to_nowhere_are_refused() -> None:
    nowhere = np.array([3], np.uint32)
    with pytest.raises(IndexError, match="names no node"):
        _native.components(3, nowhere, np.zeros(1, np.uint32))
    assert _native.components(0, np.zeros(0, np.uint32), np.zeros(0, np.uint32)).tolist() == []
