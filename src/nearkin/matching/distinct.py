"""Numbers, each once, in order.

As np.unique, which since NumPy 2.3 hashes them first: of 4 million fingerprints that took 6.2 s where sorting them and
leaving out equal neighbours took 0.09 s (NumPy 2.4).
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", np.uint32, np.int64, np.uint64)


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]
