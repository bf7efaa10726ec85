"""Which contents have a feature, from all signatures in memory."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.candidates import Postings
from nearkin.store.contents import Signatures


@dataclass(frozen=True)
class MemoryHolders:
    ids: NDArray[np.int64]
    signed: Signatures

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        sizes = self.signed.offsets[1:] - self.signed.offsets[:-1]
        order = np.argsort(self.signed.features, kind="stable")
        return self.signed.features[order], np.repeat(self.ids, sizes.astype(np.int64))[order]

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        found, owners = self._sorted
        first, last = np.searchsorted(found, features, "left"), np.searchsorted(found, features, "right")
        nobody = np.zeros(0, np.int64)
        parts = [owners[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        return np.concatenate([[0], np.cumsum(last - first)]).astype(np.uint64), np.concatenate([nobody, *parts])

    def like(self, signed: Postings, row: int) -> NDArray[np.int64]:
        features = signed.features[int(signed.offsets[row]) : int(signed.offsets[row + 1])]
        return np.unique(self.lists(features)[1])
