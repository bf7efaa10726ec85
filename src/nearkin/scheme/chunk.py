"""`chunk`: the basic sliding window algorithm (Forman 2005 §2.2, after Muthitacharoen et al. 2001).

A chunk ends wherever the fingerprint F of the last `window` bytes is r mod D. Ends are then D bytes apart on average:
the mean is the divisor. Natively it is TTTD without its thresholds.
"""

from dataclasses import dataclass, field

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.chunking import (
    LEAST_MEAN,
    MOST_CHUNK,
    MOST_MEAN,
    MOST_WINDOW,
    WINDOW,
    Features,
    residue_of,
    shown_residue,
)
from nearkin.scheme.estimator import Estimator
from nearkin.scheme.spec import Spec, format_spec


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
