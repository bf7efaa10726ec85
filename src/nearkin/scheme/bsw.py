"""`bsw`: the smallest shingle of every chunk (Cherkasova 2009 §2, BSW_n)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.mod import modulus_of
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec


@dataclass(frozen=True)
class Bsw:
    """One feature for every n windows or so. Where chunks end depends on the text, so nothing bounds the error."""

    shingler: Shingler
    n: int

    keys = ("window", "n", *Shingler.keys)
    measure = "shingles"
    sampled = False
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Bsw":
        spec.only(*cls.keys)
        shingler = Shingler.parse(spec)
        return cls(shingler, modulus_of(spec, "n", 100, shingler))

    @property
    def spec(self) -> str:
        return format_spec("bsw", window=self.window, n=self.n, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    def native(self) -> _native.Scheme:
        return _native.bsw(shingler=self.shingler.native(), modulus=self.n)
