"""`chunk`: the basic sliding window algorithm (Forman 2005 §2.2, after Muthitacharoen et al. 2001), and what it shares
with `tttd`.

A chunk ends wherever the fingerprint F of the last `window` bytes is r mod D. Ends are then D bytes apart on average:
the mean is the divisor. Natively it is TTTD without its thresholds.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

WINDOW = 48
MOST_WINDOW = 4096
LEAST_MEAN = 10
MOST_MEAN = 1 << 20
MOST_DIVISOR = 1 << 40
MOST_CHUNK = 1 << 30  # weights are 32 bits
ALL_BITS = 64


@dataclass(frozen=True, kw_only=True)
class ChunkScheme(ABC):
    """What both schemes of chunks share. Whole chunks in common, in bytes, are a lower bound of the text in common."""

    window: int
    divisor: int
    residue: int  # of a fingerprint at a boundary, modulo the divisor
    bits: int = ALL_BITS  # length of a feature
    seed: int = 0  # which permutation of the fingerprints decides about cuts; 0 is none

    shared_keys: ClassVar[tuple[str, ...]] = ("bits", "seed")
    shingler: ClassVar[None] = None
    measure: ClassVar[str] = "bytes"
    sampled: ClassVar[bool] = False
    estimator: ClassVar[Estimator] = Estimator.OVERLAP
    limit: ClassVar[int] = 0
    contains: ClassVar[bool] = True

    @property
    @abstractmethod
    def thresholds(self) -> dict[str, int]:
        """The four numbers of TTTD: min, max, divisor and backup."""

    @property
    def _shared_values(self) -> dict[str, int]:
        """The keys of a spec that are not at their default, with their values."""
        values = {"residue": self.residue, "bits": self.bits, "seed": self.seed}
        defaults = {"residue": self.divisor - 1, "bits": ALL_BITS, "seed": 0}
        return {key: value for key, value in values.items() if value != defaults[key]}

    def native(self) -> _native.Scheme:
        return _native.tttd(window=self.window, residue=self.residue, seed=self.seed, bits=self.bits, **self.thresholds)


def parse_shared(spec: Spec, divisor: int) -> dict[str, int]:
    """Read the keys that both schemes have. The residue is the last one (F mod D = D - 1) unless another is given."""
    return {
        "residue": spec.number("residue", divisor - 1, least=0, most=divisor - 1),
        "bits": spec.number("bits", ALL_BITS, least=8, most=ALL_BITS),
        "seed": spec.number("seed", 0, least=0, most=(1 << 63) - 1),
    }


@dataclass(frozen=True, kw_only=True)
class Chunk(ChunkScheme):
    """Chunks of any length, with a boundary at every residue."""

    keys = ("mean", "window", "divisor", "residue", *ChunkScheme.shared_keys)

    @classmethod
    def parse(cls, spec: Spec) -> "Chunk":
        spec.only(*cls.keys)
        if "mean" in spec.values and "divisor" in spec.values:
            raise UsageError("Scheme chunk takes either mean or divisor, which is the mean, not both.")
        key = "divisor" if "divisor" in spec.values else "mean"
        divisor = spec.number(key, 100, least=LEAST_MEAN, most=MOST_MEAN)
        window = spec.number("window", WINDOW, most=MOST_WINDOW)
        return cls(window=window, divisor=divisor, **parse_shared(spec, divisor))

    @property
    def spec(self) -> str:
        window = {} if self.window == WINDOW else {"window": self.window}
        return format_spec("chunk", mean=self.divisor, **window, **self._shared_values)

    @property
    def thresholds(self) -> dict[str, int]:
        return {"min": 1, "max": MOST_CHUNK, "divisor": self.divisor, "backup": self.divisor}
