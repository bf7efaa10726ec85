"""Payloads of many families at once, against their definition."""

from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from oracle import payload as oracle

BESIDE = 2
Family = tuple[list[tuple[int, list[int]]], list[tuple[int, int]], list[int]]  # moduli and lists, pairs, those asked
Found = tuple[list[float], list[int], list[int], list[float], list[float], list[float]]
NEARLY = 0.8


@st.composite
def families(draw: st.DrawFn) -> list[Family]:
    features = st.sets(st.integers(0, 24).map(lambda number: number * 2), max_size=12) | st.just(set(range(0, 40, 2)))
    members = st.lists(st.tuples(st.sampled_from([1, 1, 2, 4]), features.map(sorted)), min_size=3, max_size=9)
    made = []
    for own in draw(st.lists(members, max_size=4)):
        places = st.integers(0, len(own) - 1)
        pairs = draw(st.lists(st.tuples(places, places), max_size=5))
        made.append((own, pairs, sorted(draw(st.sets(places, max_size=4)))))
    return made


@given(families(), st.sampled_from([0.3, 0.5, 1.0]), st.integers(1, 3))
def test_payloads_are_what_they_are_said_to_be(given_: list[Family], most: float, threads: int) -> None:
    scores: list[float] = []
    united: list[int] = []
    near: list[int] = []
    best: list[float] = []
    medians: list[float] = []
    partly: list[float] = []
    for own, pairs, asked in given_:
        lists = oracle.at_one_modulus([features for _, features in own], [modulus for modulus, _ in own])
        left = oracle.payloads(lists, most)
        scores += [oracle.alike(left[a], left[b], 1.0) for a, b in pairs]
        united += [len({*left[a], *left[b]}) for a, b in pairs]
        near += [other for one in asked for other in oracle.nearest(lists, one, BESIDE)]
        best += [oracle.best(lists, most, one, BESIDE) for one in asked]
        medians.append(oracle.median_size(lists, most, asked))
        partly.append(oracle.partly(lists, NEARLY, asked))
    assert found(given_, most, threads) == (scores, united, near, best, medians, partly)


def test_more_features_than_a_table_begins_with() -> None:
    family: Family = ([(1, list(range(i, 9000, 2 + i))) for i in range(5)], [(0, 1), (2, 4)], [0, 3])
    lists = [features for _, features in family[0]]
    left = oracle.payloads(lists, 0.5)
    scores, united, near, best, medians, partly = found([family], 0.5, 1)
    assert united == [len({*left[a], *left[b]}) for a, b in family[1]]
    assert scores == [oracle.alike(left[a], left[b], 1.0) for a, b in family[1]]
    assert near == [other for one in family[2] for other in oracle.nearest(lists, one, BESIDE)]
    assert best == [oracle.best(lists, 0.5, one, BESIDE) for one in family[2]]
    assert medians == [oracle.median_size(lists, 0.5, family[2])]
    assert partly == [oracle.partly(lists, NEARLY, family[2])]


@pytest.mark.parametrize(
    ("what", "value"),
    [("rows", [0, 1, 7]), ("ends", [2]), ("a", [3]), ("asked", [3]), ("moduli", [1, 0, 1]), ("offsets", [0, 2, 1, 3])],
)
def test_arrays_that_do_not_fit_are_refused(what: str, value: list[int]) -> None:
    arrays = {"offsets": [0, 1, 2, 3], "features": [1, 2, 3], "moduli": [1, 1, 1], "rows": [0, 1, 2], "ends": [3]}
    more = {"a": [0], "b": [1], "pair_ends": [1], "asked": [0], "asked_ends": [1]}
    small = {"rows", "a", "b", "asked"}
    ready: dict[str, Any] = {
        name: np.array(numbers, np.uint32 if name in small else np.uint64)
        for name, numbers in {**arrays, **more, what: value}.items()
    }
    with pytest.raises((ValueError, IndexError)):
        _native.payloads(**ready, most=0.5, nearly_all=NEARLY, beside=BESIDE, threads=1)


def found(given_: list[Family], most: float, threads: int) -> Found:
    lists = [features for own, _, _ in given_ for _, features in own]
    rows = np.arange(len(lists), dtype=np.uint32)

    def ends(which: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        return np.array([*accumulate(len(one[which]) for one in given_)], np.uint64)

    scores, united, near, best, medians, partly = _native.payloads(
        np.array([0, *accumulate(map(len, lists))], np.uint64),
        np.array([feature for one in lists for feature in one], np.uint64),
        np.array([modulus for own, _, _ in given_ for modulus, _ in own], np.uint64),
        rows,
        ends(0),
        np.array([a for _, pairs, _ in given_ for a, _ in pairs], np.uint32),
        np.array([b for _, pairs, _ in given_ for _, b in pairs], np.uint32),
        ends(1),
        np.array([one for _, _, asked in given_ for one in asked], np.uint32),
        ends(2),
        most=most,
        nearly_all=NEARLY,
        beside=BESIDE,
        threads=threads,
    )
    return scores.tolist(), united.tolist(), near.tolist(), best.tolist(), medians.tolist(), partly.tolist()
