"""Signatures: the features a scheme keeps of a text, and what two signatures tell about their texts.

Resemblance and containment are Broder 1997's Theorem 1 for the sampled schemes, and Forman 2005 §2.3's bytes in
common for the chunk schemes: shared = Σ length · min(count in A, count in B). Signatures of unequal modulus are
compared at the larger (Broder 1997 §3). The scheme's estimator decides how shared features become a score; everything
else is common to all schemes.
"""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import SpecMismatchError, UsageError
from nearkin.scheme.spec import parse_spec


class Estimator(Enum):
    """How the features that two signatures share become a score."""

    OVERLAP = "overlap"  # |A ∩ B| / |A ∪ B| of the features, weighted: exact, mod, bsw, chunk, tttd
    SMALLEST = "smallest"  # of the n smallest of A ∪ B, how many are in both: min (Broder 1997, Theorem 1)
    SLOTS = "slots"  # in how many of n slots both have the same: sketch
    COLLISION = "collision"  # one feature in common makes a candidate, the texts decide: fuzzy
    RANGE = "range"  # one number each, joined by range: si

    @property
    def coded(self) -> bool:
        """Whether a signature is a few numbers that a database looks up, to find candidates whose texts decide."""
        return self in (Estimator.COLLISION, Estimator.RANGE)


CONFIDENCE = 0.99
CONTAINMENT_SCHEMES = ("exact", "mod", "bsw", "chunk", "tttd")  # those that tell it: Cherkasova 2009, Table 1


@dataclass(frozen=True)
class Estimate:
    """A resemblance or containment. An exact one has no interval, nor has one of a scheme without a sampling theory."""

    value: float
    exact: bool
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, eq=False)
class Signature:
    """A text's features under a scheme, and the weight of each. Two signatures of the same scheme can be compared."""

    features: NDArray[np.uint64]
    weights: NDArray[np.uint32]
    scheme: str
    modulus: int
    sampled: bool
    estimator: Estimator = Estimator.OVERLAP
    limit: int = 0  # how many features a signature of the scheme has at most; 0 where they grow with the text
    contains: bool = True
    canon: str = ""  # how the text was made canonical; empty where that is not recorded

    def __len__(self) -> int:
        return len(self.features)

    def __eq__(self, other: object) -> bool:
        """Compare by digest: arrays do not compare as values do."""
        if not isinstance(other, Signature):
            return NotImplemented
        return (self.scheme, self.canon, self.digest) == (other.scheme, other.canon, other.digest)

    def __hash__(self) -> int:
        return hash((self.scheme, self.canon, self.digest))

    @property
    def digest(self) -> str:
        """A hash over the features, which identifies a content without its text (Forman 2005 §2.4).

        Chunks cover all of a text, so texts of the same digest are the same but for the order of their chunks. Other
        schemes leave parts of the text out: their digest identifies the signature only. How the text was made canonical
        is no part of the digest: compare digests only of texts that were made canonical alike.
        """
        from hashlib import blake2b  # it loads OpenSSL, which few commands need

        digest = blake2b(f"{self.scheme} {self.modulus} {len(self)}\n".encode(), digest_size=16)
        digest.update(self.features.astype("<u8").tobytes())
        digest.update(self.weights.astype("<u4").tobytes())
        return digest.hexdigest()

    def resemblance(self, other: "Signature") -> Estimate | None:
        """How much of both texts together is in both. None where the samples are empty, or only the texts can tell."""
        self._check(other)
        match self.estimator:
            case Estimator.OVERLAP:
                shared, mine, theirs = self._overlap(other)
                return self._estimate(other, shared, mine + theirs - shared)
            case Estimator.SMALLEST:
                return self._smallest(other)
            case Estimator.SLOTS:
                shared = len(np.intersect1d(self.features, other.features))
                return _sampled(shared, self.limit if len(self) or len(other) else 0)
            case _:
                return None  # only the texts can tell

    def containment(self, other: "Signature") -> Estimate | None:
        """How much of this text is in the other."""
        self._check(other)
        if not self.contains:
            raise UsageError(cannot_contain(self.scheme))
        shared, mine, _ = self._overlap(other)
        return self._estimate(other, shared, mine)

    def _check(self, other: "Signature") -> None:
        if self.scheme != other.scheme:
            raise SpecMismatchError(
                f"Signatures of {self.scheme} and {other.scheme} cannot be compared; sign both texts alike."
            )
        if self.canon and other.canon and self.canon != other.canon:
            raise SpecMismatchError(
                f"Signatures of texts made canonical as {self.canon} and as {other.canon} cannot be compared;"
                " sign both texts alike."
            )

    def _overlap(self, other: "Signature") -> tuple[int, int, int]:
        modulus = max(self.modulus, other.modulus)
        mine, theirs = self._at(modulus), other._at(modulus)
        here, at, often = np.unique(mine.features, return_index=True, return_counts=True)
        there, there_at, frequent = np.unique(theirs.features, return_index=True, return_counts=True)
        _, i, j = np.intersect1d(here, there, assume_unique=True, return_indices=True)
        both = np.minimum(often[i], frequent[j])
        # The k-th of equal features is paired with the other text's k-th. Their weights differ only where `bits` are
        # few and unlike chunks share a feature.
        k = np.arange(both.sum()) - np.repeat(np.cumsum(both) - both, both)
        shared = np.minimum(mine.weights[np.repeat(at[i], both) + k], theirs.weights[np.repeat(there_at[j], both) + k])
        return int(shared.sum()), int(mine.weights.sum()), int(theirs.weights.sum())

    def _at(self, modulus: int) -> "Signature":
        if modulus == self.modulus:
            return self
        kept = self.features[self.features % np.uint64(modulus) == 0]
        weights = np.full(len(kept), modulus, np.uint32)
        return replace(self, features=kept, weights=weights, modulus=modulus)

    def _estimate(self, other: "Signature", shared: int, whole: int) -> Estimate | None:
        if whole == 0:
            return None
        modulus = max(self.modulus, other.modulus)
        if modulus == 1:
            return Estimate(shared / whole, exact=True)
        if not self.sampled:
            return Estimate(shared / whole, exact=False)
        return _sampled(shared // modulus, whole // modulus)

    def _smallest(self, other: "Signature") -> Estimate | None:
        """The share of the n smallest of the union that are in both. Lists of fewer than n left nothing out."""
        complete = max(len(self), len(other)) < self.limit
        united = np.union1d(self.features, other.features)
        if not complete:
            united = united[: self.limit]
        both = np.isin(united, self.features) & np.isin(united, other.features)
        if complete and self.modulus == 1 and len(united):
            return Estimate(int(both.sum()) / len(united), exact=True)
        return _sampled(int(both.sum()), len(united))


def _sampled(shared: int, united: int) -> Estimate | None:
    if united == 0:
        return None
    k, n = np.array([shared], np.uint64), np.array([united], np.uint64)
    low, high = _native.intervals(k, n, confidence=CONFIDENCE)
    return Estimate(shared / united, exact=False, low=float(low[0]), high=float(high[0]))


def cannot_contain(spec: str) -> str:
    """The sentence that says why a scheme gives no containment (Cherkasova 2009, Table 1)."""
    able = ", ".join(CONTAINMENT_SCHEMES)
    return f"Scheme {parse_spec(spec).name} does not tell containment; those that do are: {able}."
