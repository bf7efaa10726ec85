"""Chance that falls the same way on every platform and Python version.

Only `random()` and `getrandbits()` of the Mersenne Twister are used: their values are fixed, those of
`choice`, `shuffle` and `sample` are not promised. No logarithm or power either: their last bit depends on the
C library.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def below(self, limit: int) -> int:
        return int(self._source.random() * limit)

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self._source.random() * (high - low + 1))

    def share(self, low: float, high: float) -> float:
        return low + self._source.random() * (high - low)

    def chance(self, probability: float) -> bool:
        return self._source.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._source.random() * len(items))]

    def octets(self, count: int) -> bytes:
        return self._source.getrandbits(8 * count).to_bytes(count, "little") if count else b""

    def zipf(self, low: int, high: int) -> int:
        """low to high, a size x about as often as 1/x²: the reciprocal is uniform."""
        return min(high, int(low / (1.0 - self._source.random() * (1.0 - low / (high + 1)))))

    def distinct(self, limit: int, count: int) -> list[int]:
        """count different whole numbers below limit, rising (Floyd's sampling)."""
        chosen: set[int] = set()
        for last in range(limit - count, limit):
            draw = self.below(last + 1)
            chosen.add(last if draw in chosen else draw)
        return sorted(chosen)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = self.below(last + 1)
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed
