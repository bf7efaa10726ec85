"""`min`: the n smallest shingles (Broder 1997 §3, MIN_s; Cherkasova 2009 §2, Min_n), or of a mod sample (§4.1)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.mod import modulus_of
from nearkin.scheme.shingler import Shingler, ShingleScheme
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec

MOST_FEATURES = 1 << 20


@dataclass(frozen=True)
class Min(ShingleScheme):
    """A signature of fixed size, however long the text. It tells resemblance only: of a short text in a long one nearly
    nothing is among the smallest."""

    n: int
    modulus: int

    name = "min"
    keys = ("window", "n", "mod", *Shingler.keys)
    estimator = Estimator.SMALLEST
    contains = False

    @classmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> "Min":
        return cls(shingler, spec.number("n", 100, most=MOST_FEATURES), modulus_of(spec, "mod", 1, shingler))

    @property
    def _own_values(self) -> dict[str, int]:
        return {"n": self.n} if self.modulus == 1 else {"n": self.n, "mod": self.modulus}

    @property
    def limit(self) -> int:
        return self.n

    def native(self) -> _native.Scheme:
        return _native.smallest(shingler=self.shingler.native(), n=self.n, modulus=self.modulus)
