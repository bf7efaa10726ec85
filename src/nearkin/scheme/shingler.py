"""Shingles: `window` units in a row, what every shingle scheme samples (Broder 1997 §2).

`unit` is what is counted, `label` keeps a shingle's second occurrence apart from its first (option A), `bits` is how
long fingerprints are and `seed` chooses another permutation of them (§4.1). What a unit is, and how it becomes a
fingerprint, is said in native/kernels/units.hpp and shingler.hpp. All schemes of shingles share these keys; a spec
names only those that are not at their default.
"""

from dataclasses import dataclass

from nearkin import _native
from nearkin.scheme.spec import Spec

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
        """For the spec: those that are not at their default."""
        given: dict[str, int | str] = {} if self.unit == "byte" else {"unit": self.unit}
        if self.label:
            given["label"] = "yes"
        if self.bits != ALL_BITS:
            given["bits"] = self.bits
        if self.seed:
            given["seed"] = self.seed
        return given

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
