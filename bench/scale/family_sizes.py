"""Which documents of a generated repository are of one family: the sizes of families follow Zipf's law.

The k-th family has C/k documents, at least two and at most `LARGEST`, and C is such that the families hold their share
of all documents. Without the bound one family would hold a thirtieth of everything, and the pairs of its members would
grow with the square of the repository: at 1,000,000 documents that is what would be measured, and nothing else.

Members stand side by side in an order of their own, from which documents are dealt out by a multiplication modulo their
number. Members of a family lie far apart, and nothing is stored of a document, however many there are.
"""

from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

IN_FAMILIES = 0.35
LARGEST = 100
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class FamilySizes:
    documents: int
    in_families: float = IN_FAMILIES
    largest: int = LARGEST

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Documents of each family."""
        return _sizes(round(self.documents * self.in_families), self.largest)

    @property
    def pairs(self) -> int:
        """Pairs of documents of one family."""
        return int((self.sizes * (self.sizes - 1) // 2).sum())

    def founders(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the document that each of these was made from: itself where it has no family, or founds one."""
        places = numbers * self._back % self.documents
        family = np.searchsorted(self._starts, places, side="right") - 1
        inside = places < self._starts[-1]
        first = self._starts[np.where(inside, family, 0)] * self._step % self.documents
        return np.where(inside, first, numbers)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def _step(self) -> int:
        step = max(1, int(self.documents * _GOLDEN))
        while gcd(step, self.documents) != 1:
            step += 1
        return step

    @cached_property
    def _back(self) -> int:
        return pow(self._step, -1, self.documents)


def _sizes(members: int, largest: int) -> NDArray[np.int64]:
    """Find the largest C whose families fit, by halving. Members left over form families of two."""
    low, high = 0, members
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _zipf(middle, largest).sum() <= members else (low, middle - 1)
    sizes = _zipf(low, largest)
    return np.concatenate([sizes, np.full((members - int(sizes.sum())) // 2, 2, np.int64)])


def _zipf(constant: int, largest: int) -> NDArray[np.int64]:
    return np.minimum(constant // np.arange(1, constant // 2 + 1), largest)
