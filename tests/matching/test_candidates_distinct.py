import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkin.matching.candidates import distinct


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5)))
def test_each_once_in_order(numbers: list[int]) -> None:
    assert distinct(np.array(numbers, np.uint64)).tolist() == sorted(set(numbers))
