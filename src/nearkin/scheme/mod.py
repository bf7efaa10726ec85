"""`exact` and `mod`: shingles and samples of them (Broder 1997 §2 and §3, Cherkasova 2009 §2)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.shingler import Shingler
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

MOST_MODULUS = 1 << 20


@dataclass(frozen=True)
class Exact:
    """Every shingle: resemblance and containment without error, at eight bytes a shingle."""

    shingler: Shingler

    keys = ("window", *Shingler.keys)
    measure = "shingles"
    sampled = False
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Exact":
        spec.only(*cls.keys)
        return cls(Shingler.parse(spec))

    @property
    def spec(self) -> str:
        return format_spec("exact", window=self.window, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    def native(self) -> _native.Scheme:
        return _native.shingles(shingler=self.shingler.native(), modulus=1, sample=0, most=1)


@dataclass(frozen=True)
class Mod:
    """The shingles whose fingerprint is 0 mod n; n fixed, or a power of two that grows with the text."""

    shingler: Shingler
    n: int  # 0 where the modulus adapts
    sample: int
    most: int

    keys = ("window", "n", "sample", "most", *Shingler.keys)
    measure = "shingles"
    sampled = True
    estimator = Estimator.OVERLAP
    limit = 0
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Mod":
        spec.only(*cls.keys)
        shingler = Shingler.parse(spec)
        if "n" in spec.values:
            if "sample" in spec.values or "most" in spec.values:
                raise UsageError("Scheme mod takes either n, or sample and most, not both.")
            return cls(shingler, modulus_of(spec, "n", None, shingler), 0, 0)
        most = modulus_of(spec, "most", 64, shingler)
        if most & (most - 1):
            raise UsageError(f"most={most} of scheme mod must be a power of two, as 64.")
        return cls(shingler, 0, spec.number("sample", 200, least=10), most)

    @property
    def spec(self) -> str:
        own = {"n": self.n} if self.n else {"sample": self.sample, "most": self.most}
        return format_spec("mod", window=self.window, **own, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    @property
    def unsampled(self) -> Exact:
        """All the shingles this samples; those of them that are 0 mod m are the sample at modulus m."""
        return Exact(self.shingler)

    def native(self) -> _native.Scheme:
        if self.n:
            return _native.shingles(shingler=self.shingler.native(), modulus=self.n, sample=0, most=1)
        return _native.shingles(shingler=self.shingler.native(), modulus=1, sample=self.sample, most=self.most)


def modulus_of(spec: Spec, key: str, default: int | None, shingler: Shingler) -> int:
    """No fingerprint but 0 is a multiple of what it cannot reach."""
    return spec.number(key, default, most=min(MOST_MODULUS, (1 << shingler.bits) - 1))
