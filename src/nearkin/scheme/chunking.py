"""What `chunk` and `tttd` share: the window, the residue of a boundary, the length and permutation of features."""

from dataclasses import dataclass

from nearkin.scheme.spec import Spec

WINDOW = 48
MOST_WINDOW = 4096
LEAST_MEAN = 10
MOST_MEAN = 1 << 20
MOST_DIVISOR = 1 << 40
MOST_CHUNK = 1 << 30  # weights are 32 bits


@dataclass(frozen=True)
class Features:
    """Feature length in bits, and which permutation of the fingerprints decides about cuts; 0 is none."""

    bits: int = 64
    seed: int = 0

    keys = ("bits", "seed")

    @classmethod
    def parse(cls, spec: Spec) -> "Features":
        return cls(
            spec.number("bits", 64, least=8, most=64),
            spec.number("seed", 0, least=0, most=(1 << 63) - 1),
        )

    @property
    def shown(self) -> dict[str, int]:
        """The keys that are not at their defaults."""
        values = {"bits": self.bits, "seed": self.seed}
        return {key: value for key, value in values.items() if value != getattr(Features(), key)}


def residue_of(spec: Spec, divisor: int) -> int:
    """F mod D = r: the last one unless another is given."""
    return spec.number("residue", divisor - 1, least=0, most=divisor - 1)


def shown_residue(residue: int, divisor: int) -> dict[str, int]:
    return {} if residue == divisor - 1 else {"residue": residue}
