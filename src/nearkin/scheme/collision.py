"""What short fingerprints cost (Broder 1997 §4.2, on bits = ℓ): two shingles may have the same one by chance."""

from dataclasses import dataclass

from nearkin.scheme.shingler import Shingler

UNIT_BITS = 64  # a unit that is no byte is fingerprinted as a value of eight bytes


@dataclass(frozen=True)
class Collision:
    """Both are bounds, and both are small where fingerprints are long; over 1 they say nothing."""

    error: float  # of the resemblance, with probability 99.9 %: |S(A) ∪ S(B)| / 2^(ℓ - 11)
    chance: float  # that two given shingles have the same fingerprint (Rabin): length in bits / 2^(ℓ - 1)


def collision_of(shingler: Shingler, united: int) -> Collision:
    """For two texts that have `united` distinct shingles together."""
    length = shingler.window * (8 if shingler.unit == "byte" else UNIT_BITS)
    return Collision(united / 2.0 ** (shingler.bits - 11), length / 2.0 ** (shingler.bits - 1))
