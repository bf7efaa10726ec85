"""Random numbers that are a function of their place: any batch can be made alone, in any order, again the same.

SplitMix64 (Steele, Lea and Flood 2014, §4): the finaliser of a counter. The caller gives the counters.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)


def mixed(*keys: "NDArray[np.integer[Any]] | int") -> Numbers:
    """64 random bits for each combination of keys, which are broadcast against one another."""
    state: Numbers = np.zeros(1, np.uint64)
    for key in keys:
        state = _finished((state ^ np.asarray(key).astype(np.uint64)) + _STEP)
    return state


def share(numbers: Numbers) -> NDArray[np.float64]:
    """From 0 up to 1."""
    shares: NDArray[np.float64] = (numbers >> np.uint64(11)).astype(np.float64) / float(1 << 53)
    return shares


def _finished(state: Numbers) -> Numbers:
    """In place: a fresh array for each of six steps takes twice as long."""
    other = state >> np.uint64(30)
    state ^= other
    state *= np.uint64(0xBF58476D1CE4E5B9)
    np.right_shift(state, np.uint64(27), out=other)
    state ^= other
    state *= np.uint64(0x94D049BB133111EB)
    np.right_shift(state, np.uint64(31), out=other)
    state ^= other
    return state
