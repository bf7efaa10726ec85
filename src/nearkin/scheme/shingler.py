"""Shingles: `window` units in a row, which the schemes exact, mod, min, sketch and bsw sample (Broder 1997 §2).

`unit` is what is counted, `label` keeps a shingle's second occurrence apart from its first (option A), `bits` is how
long fingerprints are and `seed` chooses another permutation of them (§4.1). The kernel
native/kernels/sign/shingler.hpp defines what a unit is and how it becomes a fingerprint. All schemes of shingles share
these keys; a spec names only those that are not at their default.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

from nearkin import _native
from nearkin.scheme.signature import Estimator
from nearkin.scheme.spec import Spec, format_spec

UNITS = ("byte", "char", "word", "line", "soundex")
MOST_WINDOW = 4096
LEAST_BITS = 16
ALL_BITS = 64


@dataclass(frozen=True)
class Shingler:
    """How a text is cut into shingles, and how these are hashed."""

    window: int
    unit: str = "byte"
    label: bool = False
    bits: int = ALL_BITS
    seed: int = 0

    keys = ("unit", "label", "bits", "seed")

    @classmethod
    def parse(cls, spec: Spec) -> "Shingler":
        return cls(
            window=spec.number("window", 20, most=MOST_WINDOW),
            unit=spec.choice("unit", "byte", UNITS),
            label=spec.choice("label", "no", ("yes", "no")) == "yes",
            bits=spec.number("bits", ALL_BITS, least=LEAST_BITS, most=ALL_BITS),
            seed=spec.number("seed", 0, least=0, most=(1 << 63) - 1),
        )

    @property
    def shared_keys(self) -> dict[str, int | str]:
        """The keys of a spec that are not at their default, with their values."""
        values: dict[str, int | str] = {} if self.unit == "byte" else {"unit": self.unit}
        if self.label:
            values["label"] = "yes"
        if self.bits != ALL_BITS:
            values["bits"] = self.bits
        if self.seed:
            values["seed"] = self.seed
        return values

    @property
    def lines(self) -> bool:
        """Whether texts must keep their line ends."""
        return self.unit == "line"

    @property
    def can_be_sliced(self) -> bool:
        """Whether two long texts can be measured in part of the memory. A label counts what came before in the text."""
        return self.unit == "byte" and not self.label

    def native(self) -> _native.Shingler:
        return _native.Shingler(unit=self.unit, window=self.window, label=self.label, seed=self.seed, bits=self.bits)


@dataclass(frozen=True)
class ShingleScheme(ABC):
    """What all schemes of shingles share. A subclass adds its own keys and names the native scheme."""

    shingler: Shingler

    name: ClassVar[str]
    keys: ClassVar[tuple[str, ...]]  # of a spec, in the order an error names them
    measure: ClassVar[str] = "shingles"
    sampled: ClassVar[bool] = True
    estimator: ClassVar[Estimator] = Estimator.OVERLAP
    contains: ClassVar[bool] = True

    @classmethod
    def parse(cls, spec: Spec) -> Self:
        """Read a spec; UsageError where it has a key or a value that the scheme does not have."""
        spec.only(*cls.keys)
        return cls._parse_own(spec, Shingler.parse(spec))

    @classmethod
    @abstractmethod
    def _parse_own(cls, spec: Spec, shingler: Shingler) -> Self:
        """Read the keys that this scheme alone has."""

    @property
    @abstractmethod
    def _own_values(self) -> dict[str, int]:
        """The keys that this scheme alone has, with their values."""

    @abstractmethod
    def native(self) -> _native.Scheme: ...

    @property
    def spec(self) -> str:
        return format_spec(self.name, window=self.window, **self._own_values, **self.shingler.shared_keys)

    @property
    def window(self) -> int:
        return self.shingler.window

    @property
    def limit(self) -> int:
        return 0
