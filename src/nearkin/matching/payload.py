"""Payload scores, and what each was counted on: all features of two texts, or samples of them.

A sample of modulus m has every feature that is 0 mod m. So it is known of each of them how many members of a family
have it, and what is left without those that most have is a sample of the same modulus of the whole payload. Its score
is an estimate as that of a resemblance is, with the same interval (Broder 1997 §3). Other samples have no such theory.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.scheme.signature import CONFIDENCE

# As stored beside a score, where it is not the number of sampled features that the two payloads have together.
COMPLETE = 0.0  # all features were counted
UNKNOWN = -1.0  # samples without a sampling theory


@dataclass(frozen=True)
class PayloadScores:
    """Of matches; NaN: not evaluated."""

    scores: NDArray[np.float64]
    samples: NDArray[np.float64]

    @staticmethod
    def none(count: int) -> "PayloadScores":
        return PayloadScores(np.full(count, np.nan), np.full(count, np.nan))


@dataclass(frozen=True)
class Payload:
    """As people are told it."""

    score: float | None = None  # None: not evaluated
    exact: bool | None = None
    low: float | None = None  # of estimates; None where no theory gives an interval
    high: float | None = None

    @staticmethod
    def stored(score: float | None, sample: float | None) -> "Payload":
        """Older stores do not tell the sample: then it is an estimate, and no more is known."""
        if score is None:
            return Payload()
        if sample is None or sample == UNKNOWN:
            return Payload(score, exact=False)
        if sample == COMPLETE:
            return Payload(score, exact=True)
        return Payload(score, False, *_interval(round(score * sample), int(sample)))


@lru_cache(maxsize=1 << 14)  # there are far fewer than matches
def _interval(shared: int, united: int) -> tuple[float, float]:
    k, n = np.array([shared], np.uint64), np.array([united], np.uint64)
    low, high = _native.intervals(k, n, confidence=CONFIDENCE)
    return float(low[0]), float(high[0])
