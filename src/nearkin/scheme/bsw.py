"""`bsw`: the smallest shingle of every chunk (Cherkasova 2009 §2, BSW_n)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.mod import modulus_of
from nearkin.scheme.shingler import Shingler, ShingleScheme
from nearkin.scheme.spec import Spec


@dataclass(frozen=True)
class Bsw(ShingleScheme):
    """One feature for every n windows or so. Where chunks end depends on the text, so nothing bounds the error."""

    n: int

    name = "bsw"
    keys = ("window", "n", *Shingler.keys)
    sampled = False

    @classmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> "Bsw":
        return cls(shingler, modulus_of(spec, "n", 100, shingler))

    @property
    def _own_values(self) -> dict[str, int]:
        return {"n": self.n}

    def native(self) -> _native.Scheme:
        return _native.bsw(shingler=self.shingler.native(), modulus=self.n)
