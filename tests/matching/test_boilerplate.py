"""What texts have in common, against sets, and as passages of text."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.matching.boilerplate import common_features, passages_with
from nearkin.scheme.shingler import UNITS, Shingler
from oracle.common import common
from oracle.prose import prose


@settings(max_examples=200)
@given(
    st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=8),
    st.sampled_from([Fraction(1), Fraction(9, 10), Fraction(1, 2), Fraction(1, 3), Fraction(1, 100)]),
)
def test_what_most_lists_have(sets: list[set[int]], tolerance: Fraction) -> None:
    lists = [np.array(sorted(members), np.uint64) for members in sets]
    found = common_features(lists, len(lists), float(tolerance))
    assert found.tolist() == sorted(common(sets, tolerance))


WORDS = st.lists(st.sampled_from(["a", "rose", "is", "sie", "robert", "9", "é"]), min_size=1, max_size=25)


@settings(max_examples=200)
@given(st.lists(WORDS, min_size=1, max_size=4), WORDS, st.sampled_from(UNITS), st.integers(1, 6))
def test_passages_have_what_is_wanted_and_nothing_else(
    texts: list[list[str]], form: list[str], unit: str, window: int
) -> None:
    join = "\n" if unit == "line" else " "
    made = [join.join([*form, *text]).encode() for text in texts]
    shingler = Shingler(window, unit)
    native, single = shingler.native(), Shingler(1, unit).native()
    long = [text for text in made if single.count(text) >= window]
    wanted = common_features([native.all(text) for text in long], len(long), 1.0) if long else np.zeros(0, np.uint64)
    passages = passages_with(long, wanted, shingler)
    assert all(any(passage in text for text in long) for passage in passages)
    have = np.unique(np.concatenate([np.zeros(0, np.uint64), *(native.all(passage) for passage in passages)]))
    assert have.tolist() == wanted.tolist()


@pytest.mark.parametrize("tolerance", [1.0, 0.75])
def test_a_form_comes_out_as_its_passages(tolerance: float) -> None:
    before, after = prose(1, 300), prose(2, 300)
    filled = [before + f" value {i * 7919} ".encode() + after for i in range(4)]
    if tolerance < 1:
        filled[0] = prose(3, 500)  # one that is no such form
    shingler = Shingler(20)
    wanted = common_features([shingler.native().all(text) for text in filled], 4, tolerance)
    first, second = passages_with(filled, wanted, shingler)
    assert first == before + b" value "
    assert second.endswith(after)
    assert second.removesuffix(after) in (b" ", b"8 ", b"9 ", b"7 ")
