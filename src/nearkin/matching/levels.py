"""The moduli of a scheme, as a segment counts them: base · 2^level."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.scheme import Scheme
from nearkin.scheme.bsw import Bsw
from nearkin.scheme.min import Min
from nearkin.scheme.mod import Mod
from nearkin.store.segments import Signed


@dataclass(frozen=True)
class Levels:
    """Moduli from base, each twice the one before."""

    base: int
    count: int

    @classmethod
    def of(cls, scheme: Scheme) -> "Levels":
        match scheme:
            case Mod(n=0):
                return cls(1, scheme.most.bit_length())
            case Mod() | Bsw():
                return cls(scheme.n, 1)
            case Min():
                return cls(scheme.modulus, 1)
        return cls(1, 1)

    def segment(self, signed: Signed, *, ignored: NDArray[np.uint64], token: bytes = bytes(16)) -> _native.Segment:
        # Without features there was nothing to sample: such contents say modulus 1, whatever the scheme.
        moduli = np.where(np.diff(signed.offsets) == 0, np.uint64(self.base), signed.moduli)
        return _native.Segment.of(
            signed.contents,
            signed.offsets,
            signed.features,
            signed.weights,
            moduli,
            base=self.base,
            levels=self.count,
            ignored=ignored,
            token=token,
        )
