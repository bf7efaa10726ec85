"""The pivot view against its definition; and each rule once by example."""

import random

import numpy as np
import pytest
from hypothesis import given, settings

from group.graphs import columns, evidence, graphs
from nearkin import _native
from nearkin.group.families import ContentFamily, Evidence, families_in
from nearkin.group.views import principals
from nearkin.model import Kind
from oracle import views as oracle
from oracle.views import Link


def order_of(lengths: list[int]) -> np.ndarray:
    return np.lexsort((np.arange(len(lengths)), -np.array(lengths, np.int64))).astype(np.uint32)


def around_principals(links: Evidence, lengths: np.ndarray, copies: np.ndarray) -> list[ContentFamily]:
    found = principals(links, lengths)
    return families_in(found, found.labels(copies))


def pivoted(lengths: list[int], links: list[Link], copies: list[int] | None = None) -> list[ContentFamily]:
    counts = np.array(copies or [1] * len(lengths), np.int64)
    return around_principals(evidence(links), np.array(lengths, np.int64), counts)


@settings(max_examples=150)
@given(graphs())
def test_the_kernel_finds_the_principals_of_the_definition(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    found, via = _native.principals(order_of(lengths), *columns(links))
    assert found.tolist() == oracle.principals(lengths, links)
    for row, link in enumerate(via.tolist()):
        if found[row] == row:
            assert link == _native.NO_LINK
        else:
            assert {row, found[row]} == set(links[link][:2])


@settings(max_examples=100)
@given(graphs())
def test_every_member_reaches_the_threshold_with_its_pivot(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    known = {frozenset(link[:2]): link[2] for link in links}
    families = pivoted(lengths, links)
    for family in families:
        others = [row for row in family.members if row != family.pivot]
        values = {row: known[frozenset((row, family.pivot))] for row in others}
        assert family.to_pivot == {family.pivot: 1.0, **values}
        assert family.links == len(others)
        assert family.weakest is not None
        assert family.weakest[2] == min(values.values())
        assert family.mean_resemblance == pytest.approx(sum(values.values()) / len(values))
        assert family.pivot == min(family.members, key=lambda row: (-lengths[row], row))
    pivots = [family.pivot for family in families]
    assert not any(frozenset((a, b)) in known for a in pivots for b in pivots if a != b)


@settings(max_examples=100)
@given(graphs(14))
def test_the_order_of_links_does_not_matter(graph: tuple[list[int], list[Link]]) -> None:
    lengths, links = graph
    turned = [(b, a, value) for a, b, value in random.Random(1).sample(links, len(links))]
    assert pivoted(lengths, turned) == pivoted(lengths, links)


def test_a_chain_is_cut_where_its_ends_do_not_resemble_the_principal() -> None:
    families = pivoted([300, 200, 100], [(0, 1, 0.8), (1, 2, 0.9)])
    assert [(family.members, family.kind) for family in families] == [([0, 1], Kind.PAIR)]


def test_a_member_goes_to_the_principal_it_resembles_most() -> None:
    (family,) = pivoted([300, 100, 200], [(0, 1, 0.8), (1, 2, 0.9)])
    assert (family.pivot, family.members) == (2, [1, 2])
    (family,) = pivoted([300, 100, 200], [(0, 1, 0.9), (1, 2, 0.9)])
    assert (family.pivot, family.members) == (0, [0, 1])


def test_what_resembles_another_is_never_a_part_and_parts_follow_their_container() -> None:
    # 0 lies in 2, which is a member of 3; 1 resembles 4 and lies in 2.
    found = around_principals(
        evidence([(2, 3, 0.8), (1, 4, 0.9)], [(0, 2, 1.0), (1, 2, 1.0)]), np.arange(5) * 100, np.ones(5, np.int64)
    )
    assert [(f.members, f.parts, f.pivot, f.kind) for f in found] == [
        ([2, 3], [0], 3, Kind.MIXED),
        ([1, 4], [], 4, Kind.PAIR),
    ]
    assert [family.links for family in found] == [2, 1]


def test_copies_alone_are_a_family() -> None:
    (family,) = pivoted([5, 5], [], [1, 2])
    assert (family.members, family.kind, family.links, family.weakest) == ([1], Kind.IDENTICAL, 0, None)


def test_estimates_are_marked() -> None:
    (family,) = around_principals(evidence([(0, 1, 0.8)], exact=False), np.array([9, 8]), np.ones(2, np.int64))
    assert family.estimated == {1}


def test_impossible_links_are_refused() -> None:
    order = np.arange(2, dtype=np.uint32)
    with pytest.raises(IndexError, match="names no node"):
        _native.principals(order, *columns([(0, 2, 0.9)]))
    with pytest.raises(ValueError, match="to itself"):
        _native.principals(order, *columns([(1, 1, 0.9)]))
    with pytest.raises(ValueError, match="no share"):
        _native.principals(order, *columns([(0, 1, float("nan"))]))
    with pytest.raises(ValueError, match="every node once"):
        _native.principals(np.zeros(2, np.uint32), *columns([]))
