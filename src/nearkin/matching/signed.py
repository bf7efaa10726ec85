"""Signatures remembered from the run that made them: what was just read need not be read back from the store."""

from dataclasses import dataclass, field

import numpy as np

from nearkin.matching.candidates import ReadPostings
from nearkin.model import Readings
from nearkin.store.contents import Contents


@dataclass
class SignatureCache:
    """Moduli and features by digest: of all that was read, or of nothing where there is no room for it."""

    room: int
    signed: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)

    def remember(self, readings: Readings) -> None:
        if self.room <= 0:
            return
        columns = (readings.contents, readings.lengths, readings.moduli, readings.features)
        for digest, length, modulus, features in zip(*columns, strict=True):
            # A copy comes without its features: they came before.
            if digest is not None and digest not in self.signed and (features or not length):
                self.signed[digest] = modulus, features
                self.room -= len(features)
        if self.room <= 0 or any(readings.weights):
            self.let_go()

    def let_go(self) -> None:
        self.signed.clear()
        self.room = 0

    def of(self, contents: Contents) -> ReadPostings | None:
        """None: some are not known."""
        if len(self.signed) < len(contents):
            return None
        moduli: list[int] = []
        lists: list[bytes] = []
        for digest in contents.digests:  # once: by digest they lie all over memory
            if (row := self.signed.get(digest)) is None:
                return None
            moduli.append(row[0])
            lists.append(row[1])
        sizes = np.fromiter(map(len, lists), np.uint64, len(lists)) // np.uint64(8)
        return ReadPostings(
            offsets=np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes, dtype=np.uint64)]),
            lists=lists,
            weights=np.zeros(0, np.uint32),
            moduli=np.array(moduli, np.uint64),
        )
