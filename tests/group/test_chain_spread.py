"""Which members of a chain may be far from each other."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from nearkin.group.views import FARTHEST, suspects

SETS = st.lists(st.frozensets(st.integers(0, 12), min_size=1), min_size=1, max_size=FARTHEST + 1)


def resemblance(a: frozenset[int], b: frozenset[int]) -> float:
    return len(a & b) / len(a | b)


@given(SETS, st.floats(0.05, 1.0))
def test_what_is_not_suspected_is_not_under_the_limit(sets: list[frozenset[int]], limit: float) -> None:
    pivot, *others = sets
    pairs = suspects([(at, resemblance(pivot, one)) for at, one in enumerate(others)], limit, cosine=False)
    for a, b in set(combinations(range(len(others)), 2)) - set(pairs):
        assert resemblance(others[a], others[b]) >= limit - 1e-9


@given(st.lists(st.floats(0, 1), max_size=40), st.floats(0, 1), st.booleans())
def test_the_work_is_bounded(values: list[float], limit: float, cosine: bool) -> None:
    assert len(suspects(list(enumerate(values)), limit, cosine=cosine)) <= FARTHEST * (FARTHEST - 1) // 2


def test_the_farthest_are_compared_and_nothing_else() -> None:
    assert suspects([(1, 0.9), (2, 0.8)], 0.5, cosine=False) == []
    assert suspects([(1, 0.7), (2, 0.75), (3, 0.99)], 0.5, cosine=False) == [(1, 2)]
    assert suspects([(1, None), (2, 0.9)], 0.5, cosine=False) == [(1, 2)]
    assert suspects([(1, 0.9), (2, 0.9)], 0.5, cosine=True) == []
    assert suspects([(1, 0.8), (2, 0.8)], 0.5, cosine=True) == [(1, 2)]
