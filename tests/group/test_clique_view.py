"""The clique view against textbook agglomeration; and each rule once by example."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from group.graphs import columns, evidence, graphs
from nearkin import _native
from nearkin.group.families import ContentFamily
from nearkin.group.views import cliques
from nearkin.model import Kind
from oracle import views as oracle
from oracle.views import Link


def clusters(nodes: int, links: list[Link]) -> set[frozenset[int]]:
    label = _native.cliques(nodes, *columns(links)).tolist()
    assert all(label[name] == name <= row for row, name in enumerate(label)), "named by the smallest"
    return {frozenset(row for row in range(nodes) if label[row] == name) for name in label}


def complete(lengths: list[int], links: list[Link], unlisted: list[int] | None = None) -> list[ContentFamily]:
    rows = None if unlisted is None else np.array(unlisted, np.uint32)
    return cliques(evidence(links), np.array(lengths, np.int64), np.ones(len(lengths), np.int64), unlisted=rows)


@settings(max_examples=300)
@given(graphs())
def test_the_kernel_clusters_as_the_textbook_does(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    assert clusters(len(lengths), links) == oracle.cliques(len(lengths), links)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32))
def test_it_does_so_on_larger_graphs(seed: int) -> None:
    """Groups of close kin with noise between them: clusters of many grow, and neighbours are many."""
    dice = random.Random(seed)
    nodes = dice.randint(10, 28)
    group = [dice.randrange(4) for _ in range(nodes)]
    links = [
        (a, b, round(dice.uniform(0.7, 1.0), 2))
        for a, b in combinations(range(nodes), 2)
        if dice.random() < (0.97 if group[a] == group[b] else 0.2)
    ]
    assert clusters(nodes, links) == oracle.cliques(nodes, links)


@settings(max_examples=200)
@given(graphs())
def test_every_two_members_are_linked_and_all_links_count(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    known = {frozenset(link[:2]): link[2] for link in links}
    for family in complete(lengths, links):
        inside = [known[frozenset(pair)] for pair in combinations(family.members, 2)]
        assert family.links == len(inside)
        assert family.weakest is not None
        assert family.weakest[2] == min(inside) == known[frozenset(family.weakest[:2])]
        assert family.mean_resemblance == pytest.approx(sum(inside) / len(inside))
        assert family.pivot == min(family.members, key=lambda row: (-lengths[row], row))
        assert set(family.to_pivot) == set(family.members)
        assert family.evaluated


@settings(max_examples=100)
@given(graphs(14))
def test_the_order_of_links_does_not_matter(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    turned = [(b, a, value) for a, b, value in random.Random(1).sample(links, len(links))]
    assert complete(lengths, turned) == complete(lengths, links)


def test_the_strongest_link_decides_where_a_chain_is_cut() -> None:
    (family,) = complete([1, 1, 1], [(0, 1, 0.8), (1, 2, 0.9)])
    assert (family.members, family.kind) == ([1, 2], Kind.PAIR)
    (family,) = complete([1, 1, 1], [(0, 1, 0.9), (1, 2, 0.9)])
    assert family.members == [0, 1]


def test_a_large_group_in_which_all_are_linked_is_one() -> None:
    (family,) = complete([1] * 60, [(a, b, 0.7 + (a * b % 29) / 100) for a, b in combinations(range(60), 2)])
    assert len(family.members) == 60
    star = complete([1] * 3000, [(0, row, 0.7 + row / 1e5) for row in range(1, 3000)])
    assert [one.members for one in star] == [[0, 2999]]


def test_what_hangs_together_with_pairs_that_were_not_listed_is_not_evaluated() -> None:
    links = [(0, 1, 0.9), (0, 2, 0.8), (3, 4, 0.9)]
    families = complete([1] * 5, links, unlisted=[1, 2])
    assert [(family.members, family.evaluated) for family in families] == [([0, 1, 2], False), ([3, 4], True)]
    assert (families[0].links, families[0].weakest) == (2, (0, 2, 0.8))
    assert [family.members for family in complete([1] * 5, links, unlisted=[])] == [[0, 1], [3, 4]]
