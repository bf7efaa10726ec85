"""`chunk`: the basic sliding window algorithm (Forman 2005 §2.2, after Muthitacharoen et al. 2001).

A chunk ends wherever the fingerprint F of the last `window` bytes is r mod D. Ends are then D bytes apart on average:
the mean is the divisor. Natively it is TTTD without its thresholds.

What `chunk` and `tttd` share: the window, the residue of a boundary, the length and permutation of features.
"""

from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class Features:
    """Feature length in bits, and which permutation of the fingerprints decides about cuts; 0 is none."""

    bits: int = 64
    seed: int = 0

    keys = ("bits", "seed")

    @classmethod
    def parse(cls, spec: Spec) -> "Features":
        return cls(
            spec.number("bits", 64, least=8, most=64),
            spec.number("seed", 0, least=0, most=(1 << 63) - 1),
        )

    @property
    def shown(self) -> dict[str, int]:
        """The keys that are not at their defaults."""
        values = {"bits": self.bits, "seed": self.seed}
        return {key: value for key, value in values.items() if value != getattr(Features(), key)}


def residue_of(spec: Spec, divisor: int) -> int:
    """F mod D = r: the last one unless another is given."""
    return spec.number("residue", divisor - 1, least=0, most=divisor - 1)


def shown_residue(residue: int, divisor: int) -> dict[str, int]:
    return {} if residue == divisor - 1 else {"residue": residue}


@dataclass(frozen=True)
class Chunk:
    """Whole chunks in common, in bytes: a lower bound of the text in common."""

    window: int
    divisor: int
    residue: int
    features: Features = field(default_factory=Features)

    shingler = None
    keys = ("mean", "window", "divisor", "residue", *Features.keys)
    measure = "bytes"
    sampled = False
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Chunk":
        spec.only(*cls.keys)
        if "mean" in spec.values and "divisor" in spec.values:
            raise UsageError("Scheme chunk takes either mean or divisor, which is the mean, not both.")
        key = "divisor" if "divisor" in spec.values else "mean"
        divisor = spec.number(key, 100, least=LEAST_MEAN, most=MOST_MEAN)
        window = spec.number("window", WINDOW, most=MOST_WINDOW)
        return cls(window, divisor, residue_of(spec, divisor), Features.parse(spec))

    @property
    def spec(self) -> str:
        window = {} if self.window == WINDOW else {"window": self.window}
        residue = shown_residue(self.residue, self.divisor)
        return format_spec("chunk", mean=self.divisor, **window, **residue, **self.features.shown)

    def native(self) -> _native.Scheme:
        return _native.tttd(
            window=self.window,
            min=1,
            max=MOST_CHUNK,
            divisor=self.divisor,
            backup=self.divisor,
            residue=self.residue,
            seed=self.features.seed,
            bits=self.features.bits,
        )
