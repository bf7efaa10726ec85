"""`sketch`: n slots, each with the smallest shingle under its own hash function (Cherkasova 2009 §2, Sketch_n).

The rule is in the kernel, native/kernels/sign/sketch.hpp.
"""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.shingler import Shingler, ShingleScheme
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec

MOST_SLOTS = 4096


@dataclass(frozen=True)
class Sketch(ShingleScheme):
    """n features, however long the text. The share of slots in which two texts agree estimates their resemblance."""

    n: int

    name = "sketch"
    keys = ("window", "n", *Shingler.keys)
    estimator = Estimator.SLOTS
    contains = False

    @classmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> "Sketch":
        return cls(shingler, spec.number("n", 100, most=MOST_SLOTS))

    @property
    def _own_values(self) -> dict[str, int]:
        return {"n": self.n}

    @property
    def limit(self) -> int:
        return self.n

    def native(self) -> _native.Scheme:
        return _native.sketch(shingler=self.shingler.native(), slots=self.n)
