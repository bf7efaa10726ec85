"""`exact` and `mod`: all shingles, and a sample of them by modulus (Broder 1997 §2 and §3, Cherkasova 2009 §2)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.shingler import Shingler, ShingleScheme
from nearkin.scheme.spec import Spec

MOST_MODULUS = 1 << 20


@dataclass(frozen=True)
class Exact(ShingleScheme):
    """Every shingle: resemblance and containment without error, at eight bytes a shingle."""

    name = "exact"
    keys = ("window", *Shingler.keys)
    sampled = False

    @classmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> "Exact":
        return cls(shingler)

    @property
    def _own_values(self) -> dict[str, int]:
        return {}

    def native(self) -> _native.Scheme:
        return _native.mod(shingler=self.shingler.native(), modulus=1, sample=0, most=1)


@dataclass(frozen=True)
class Mod(ShingleScheme):
    """The shingles whose fingerprint is 0 mod n; n is fixed, or a power of two that grows with the text."""

    n: int  # 0 where the modulus adapts
    sample: int
    most: int

    name = "mod"
    keys = ("window", "n", "sample", "most", *Shingler.keys)

    @classmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> "Mod":
        if "n" in spec.values:
            if "sample" in spec.values or "most" in spec.values:
                raise UsageError("Scheme mod takes either n, or sample and most, not both.")
            return cls(shingler, modulus_of(spec, "n", None, shingler), 0, 0)
        most = modulus_of(spec, "most", 64, shingler)
        if most & (most - 1):
            raise UsageError(f"most={most} of scheme mod must be a power of two, as 64.")
        return cls(shingler, 0, spec.number("sample", 200, least=10), most)

    @property
    def _own_values(self) -> dict[str, int]:
        return {"n": self.n} if self.n else {"sample": self.sample, "most": self.most}

    @property
    def unsampled(self) -> Exact:
        """The scheme of all shingles; those of them that are 0 mod m are the sample at modulus m."""
        return Exact(self.shingler)

    def native(self) -> _native.Scheme:
        if self.n:
            return _native.mod(shingler=self.shingler.native(), modulus=self.n, sample=0, most=1)
        return _native.mod(shingler=self.shingler.native(), modulus=1, sample=self.sample, most=self.most)


def modulus_of(spec: Spec, key: str, default: int | None, shingler: Shingler) -> int:
    """A modulus of the spec. It is no larger than the largest fingerprint: of such a modulus only 0 is a multiple."""
    return spec.number(key, default, most=min(MOST_MODULUS, (1 << shingler.bits) - 1))
