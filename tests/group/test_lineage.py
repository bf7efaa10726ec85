"""Arborescences against all of them; lineages of texts whose history is known."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.world import prose
from nearkin.group.lineage import UNKNOWN, Moment, Windows, arborescence, derive, disagreements


def is_tree(parents: tuple[int, ...]) -> bool:
    for start in range(1, len(parents)):
        node, seen = start, set[int]()
        while node:
            if node in seen:
                return False
            seen.add(node)
            node = parents[node]
    return True


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 5).flatmap(lambda n: st.lists(st.integers(0, 9), min_size=n * n, max_size=n * n)))
def test_the_cheapest_of_all_trees(numbers: list[int]) -> None:
    count = int(len(numbers) ** 0.5)
    costs = np.array(numbers, float).reshape(count, count)
    np.fill_diagonal(costs, np.inf)
    costs[:, 0] = np.inf
    if count > 3:
        costs[2, 1] = np.inf

    def total(parents: tuple[int, ...]) -> float:
        return float(sum(costs[parent, node] for node, parent in enumerate(parents) if node))

    every = (tree for tree in product([0], *[range(count)] * (count - 1)) if is_tree(tree))
    found = tuple(arborescence(costs))
    assert is_tree(found)
    assert total(found) == min(map(total, every))


def history() -> list[bytes]:
    """Four versions, each an edit of the one before, and a branch from the second."""
    parts = [prose(n, 60) for n in range(6)]
    versions = [
        [parts[0], parts[1]],
        [parts[0], parts[1], parts[2]],
        [parts[0], prose(10, 20), parts[2]],
        [parts[0], prose(10, 20), parts[2], parts[3]],
        [parts[0], parts[1], parts[2], parts[4]],
    ]
    return [" ".join(version).encode() for version in versions]


TRUTH = {frozenset(pair) for pair in ((0, 1), (1, 2), (2, 3), (1, 4))}


@given(st.permutations(range(5)))
@settings(max_examples=30, deadline=None)
def test_who_stands_beside_whom_is_told_without_dates(order: list[int]) -> None:
    texts = history()
    found = derive(Windows.of([texts[at] for at in order]), None)
    assert {frozenset((order[at], order[source])) for at, source in enumerate(found) if source is not None} == TRUTH
    assert found.count(None) == 1


def test_dates_tell_the_direction() -> None:
    windows = Windows.of(history())
    backwards = [Moment(9.0 - at, "file") for at in range(5)]
    forwards = [Moment(float(at + 1), "file") for at in range(5)]
    assert derive(windows, forwards) == [None, 0, 1, 2, 1]
    assert derive(windows, backwards)[4] is None
    assert derive(windows, [UNKNOWN] * 5) == derive(windows, None)


def test_where_dates_and_texts_disagree() -> None:
    windows = Windows.of(history())
    moments = [Moment(float(at + 1), "file") for at in (0, 1, 4, 2, 3)]  # the third looks younger than the fourth
    dated = derive(windows, moments)
    found = disagreements(windows, dated, derive(windows, None))
    assert dated[3] != 2
    assert 3 in {one.text for one in found}
    assert next(one.other for one in found if one.text == 3) == 2
    assert not disagreements(windows, derive(windows, None), derive(windows, None))


def test_one_text_is_its_own_root() -> None:
    assert derive(Windows.of([b"only"]), None) == [None]
