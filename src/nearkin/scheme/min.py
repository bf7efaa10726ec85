"""`min`: the n smallest shingles (Broder 1997 §3, MIN_s; Cherkasova 2009 §2, Min_n), or of a mod sample (§4.1)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.mod import modulus_of
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

MOST_FEATURES = 1 << 20


@dataclass(frozen=True)
class Min:
    """A signature of fixed size, whatever the text's length. It tells resemblance only: of a short text in a long one
    nearly nothing is among the smallest."""

    shingler: Shingler
    n: int
    modulus: int

    keys = ("window", "n", "mod", *Shingler.keys)
    measure = "shingles"
    sampled = True
    estimator = Estimator.SMALLEST
    contains = False

    @classmethod
    def parse(cls, spec: Spec) -> "Min":
        spec.only(*cls.keys)
        shingler = Shingler.parse(spec)
        return cls(shingler, spec.number("n", 100, most=MOST_FEATURES), modulus_of(spec, "mod", 1, shingler))

    @property
    def spec(self) -> str:
        mod = {} if self.modulus == 1 else {"mod": self.modulus}
        return format_spec("min", window=self.window, n=self.n, **mod, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    @property
    def limit(self) -> int:
        return self.n

    def native(self) -> _native.Scheme:
        return _native.smallest(shingler=self.shingler.native(), n=self.n, modulus=self.modulus)
