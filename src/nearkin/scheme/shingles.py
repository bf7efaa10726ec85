"""`exact` and `mod`: shingles and samples of them (Broder 1997 §2 and §3, Cherkasova 2009 §2)."""

from dataclasses import dataclass

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.estimator import Estimator
from nearkin.scheme.spec import Spec, format_spec

MOST_WINDOW = 4096
MOST_MODULUS = 1 << 20


@dataclass(frozen=True)
class Exact:
    """Every shingle: resemblance and containment without error, at eight bytes a shingle."""

    window: int

    keys = ("window",)
    measure = "shingles"
    sampled = False
    estimator = Estimator.OVERLAP
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Exact":
        spec.only(*cls.keys)
        return cls(spec.number("window", 20, most=MOST_WINDOW))

    @property
    def spec(self) -> str:
        return format_spec("exact", window=self.window)

    def native(self) -> _native.Scheme:
        return _native.shingles(window=self.window, modulus=1, sample=0, most=1)


@dataclass(frozen=True)
class Mod:
    """The shingles whose fingerprint is 0 mod n; n fixed, or a power of two that grows with the text."""

    window: int
    n: int  # 0 where the modulus adapts
    sample: int
    most: int

    keys = ("window", "n", "sample", "most")
    measure = "shingles"
    sampled = True
    estimator = Estimator.OVERLAP
    contains = True

    @classmethod
    def parse(cls, spec: Spec) -> "Mod":
        spec.only(*cls.keys)
        window = spec.number("window", 20, most=MOST_WINDOW)
        if "n" in spec.values:
            if "sample" in spec.values or "most" in spec.values:
                raise UsageError("Scheme mod takes either n, or sample and most, not both.")
            return cls(window, spec.number("n", None, most=MOST_MODULUS), 0, 0)
        most = spec.number("most", 64, most=MOST_MODULUS)
        if most & (most - 1):
            raise UsageError(f"most={most} of scheme mod must be a power of two, as 64.")
        return cls(window, 0, spec.number("sample", 200, least=10), most)

    @property
    def spec(self) -> str:
        if self.n:
            return format_spec("mod", window=self.window, n=self.n)
        return format_spec("mod", window=self.window, sample=self.sample, most=self.most)

    def native(self) -> _native.Scheme:
        if self.n:
            return _native.shingles(window=self.window, modulus=self.n, sample=0, most=1)
        return _native.shingles(window=self.window, modulus=1, sample=self.sample, most=self.most)
