"""Postings of many contents as a stream of batches, for the join alone: no text was ever there.

Each content has a hundred features. Members of a family have their founder's, up to 15 % of them changed; each of
twenty hot features is in a tenth of all contents. 15,000,000 contents are 12 GB of features, made in two minutes;
a batch is 13 MB, and what is remembered is the families' sizes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.scale.family_sizes import FamilySizes
from bench.scale.random_numbers import mixed, share

FEATURES = 100  # a content
HOT, SPREAD = 20, 0.1  # features, and the share of contents that have each
CHANGED = 0.15  # at most
AT_ONCE = 16_384  # contents


class Batch(NamedTuple):
    first: int  # number of the first content
    features: NDArray[np.uint64]  # contents × FEATURES; each row ascending

    @property
    def rows(self) -> NDArray[np.uint32]:
        return np.arange(self.first, self.first + len(self.features), dtype=np.uint32)

    @property
    def offsets(self) -> NDArray[np.uint64]:
        return np.arange(len(self.features) + 1, dtype=np.uint64) * np.uint64(FEATURES)


@dataclass(frozen=True)
class Stream:
    contents: int
    seed: int = 1

    @property
    def families(self) -> FamilySizes:
        return FamilySizes(self.contents)

    @property
    def size(self) -> int:
        """Bytes of features."""
        return self.contents * FEATURES * 8

    def __iter__(self) -> Iterator[Batch]:
        families, hot = self.families, mixed(self.seed, 20, np.arange(HOT))
        for start in range(0, self.contents, AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, self.contents), dtype=np.int64)
            yield Batch(start, self._features(numbers, families.founders(numbers), hot))

    def _features(
        self, numbers: NDArray[np.int64], founders: NDArray[np.int64], hot: NDArray[np.uint64]
    ) -> NDArray[np.uint64]:
        seed, places = self.seed, np.arange(FEATURES)[None, :]
        features = mixed(mixed(seed, 21, founders)[:, None], places)
        edited = np.flatnonzero(numbers != founders)
        own = numbers[edited]
        fresh = mixed(mixed(seed, 22, own)[:, None], places)
        limit = (share(mixed(seed, 23, own)) * CHANGED * (1 << 32)).astype(np.uint64)
        # The lower half of a fresh feature says whether it takes the place of the founder's.
        row, place = np.nonzero(fresh & np.uint64(0xFFFFFFFF) < limit[:, None])
        features[edited[row], place] = mixed(fresh[row, place])
        has = share(mixed(mixed(seed, 24, founders)[:, None], np.arange(HOT)[None, :])) < SPREAD
        row, place = np.nonzero(has)
        features[row, place] = hot[place]
        features.sort(axis=1)
        return features
