"""`sketch`: n slots, each with the smallest shingle under its own hash function (Cherkasova 2009 §2, Sketch_n)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

MOST_SLOTS = 4096


@dataclass(frozen=True)
class Sketch:
    """n features whatever the text's length; two texts resemble each other as the share of slots they agree in."""

    shingler: Shingler
    n: int

    keys = ("window", "n", *Shingler.keys)
    measure = "shingles"
    sampled = True
    estimator = Estimator.SLOTS
    contains = False

    @classmethod
    def parse(cls, spec: Spec) -> "Sketch":
        spec.only(*cls.keys)
        return cls(Shingler.parse(spec), spec.number("n", 100, most=MOST_SLOTS))

    @property
    def spec(self) -> str:
        return format_spec("sketch", window=self.window, n=self.n, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    @property
    def limit(self) -> int:
        return self.n

    def native(self) -> _native.Scheme:
        return _native.sketch(shingler=self.shingler.native(), slots=self.n)
