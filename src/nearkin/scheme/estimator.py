"""How the features two signatures share become a score: one estimator per scheme, everything else is common."""

from enum import Enum


class Estimator(Enum):
    OVERLAP = "overlap"  # |A ∩ B| / |A ∪ B| of the features, weighted: exact, mod, bsw, chunk, tttd
    SMALLEST = "smallest"  # of the n smallest of A ∪ B, how many are in both: min (Broder 1997, Theorem 1)
    SLOTS = "slots"  # in how many of n slots both have the same: sketch
    COLLISION = "collision"  # one feature in common makes a candidate, the texts decide: fuzzy
    RANGE = "range"  # one number each, joined by range: si

    @property
    def coded(self) -> bool:
        """Whether a signature is a few numbers that a database looks up; what it finds is for the texts to decide."""
        return self in (Estimator.COLLISION, Estimator.RANGE)
