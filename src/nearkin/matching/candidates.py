"""Candidates: pairs of contents that share so many features that they may match.

The native join (native/kernels/join/candidates.hpp) finds them. This module prepares its options and names its columns.
"""

from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.scheme import Scheme
from nearkin.scheme.bsw import Bsw
from nearkin.scheme.min import Min
from nearkin.scheme.mod import Mod
from nearkin.settings import MatchSettings
from nearkin.store.segments import Signed


@dataclass(frozen=True)
class Postings:
    """Signatures end to end: the features of content i lie from offsets[i] to offsets[i + 1]."""

    offsets: NDArray[np.uint64]
    features: NDArray[np.uint64]
    weights: NDArray[np.uint32]
    moduli: NDArray[np.uint64]


Lists = Postings | _native.TextContents  # contents in native memory hold their lists apart


@dataclass(frozen=True)
class Part:
    """Lets part of a collection be joined as the whole would be."""

    touched: NDArray[np.uint8]  # by content: only pairs with a touched content count
    common: NDArray[np.uint64]  # ascending: those of their features that are not rare in the whole


WHOLE = Part(np.zeros(0, np.uint8), np.zeros(0, np.uint64))


@dataclass(frozen=True)
class Candidates:
    """Candidate pairs as columns. `a` and `b` are rows of contents."""

    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    shared: NDArray[np.uint64]  # at the larger modulus of the two, as are the sizes
    size_a: NDArray[np.uint64]
    size_b: NDArray[np.uint64]
    united: NDArray[np.uint64]  # features in the union, or in the sample of it
    strong: NDArray[np.bool_]  # the interval's upper bound reaches a threshold
    hot: "Hot"

    def __getitem__(self, rows: NDArray[np.bool_]) -> "Candidates":
        columns = {field.name: getattr(self, field.name)[rows] for field in fields(self) if field.name != "hot"}
        return replace(self, **columns)


@dataclass(frozen=True)
class Hot:
    """Hot features: so many contents have them in their prefixes that these were linked as stars, not pair by pair."""

    contents: NDArray[np.uint32]  # rows, ascending: some of their pairs were not compared
    features: int = 0
    links: int = 0  # pairs that only stars have compared


NOT_HOT = Hot(np.zeros(0, np.uint32))


def find_candidates(
    postings: Lists, scheme: Scheme, settings: MatchSettings, *, threads: int, part: Part = WHOLE
) -> Candidates:
    """Join lists in memory."""
    result = _native.candidates(
        postings.offsets,
        postings if isinstance(postings, _native.TextContents) else postings.features,
        postings.weights,
        postings.moduli,
        join_options(postings.moduli, scheme, settings, threads=threads),
        touched=part.touched,
        common=part.common,
    )
    return candidates_of(result)


def candidates_of(result: _native.JoinResult) -> Candidates:
    """Name the columns of a join; they are not copied."""
    return Candidates(
        a=result.a,
        b=result.b,
        shared=result.shared,
        size_a=result.size_a,
        size_b=result.size_b,
        united=result.united,
        strong=result.strong,
        hot=Hot(result.hot_contents, result.hot_features, result.hot_links),
    )


def join_options(
    moduli: NDArray[np.uint64], scheme: Scheme, settings: MatchSettings, *, threads: int
) -> _native.JoinOptions:
    """Return the options for a join of signatures with these moduli."""
    resemblance, containment = settings.threshold, settings.containment
    doubtful = not scheme.sampled and bool((moduli > 1).any())
    if doubtful:
        resemblance, containment = expected_in_common(resemblance, containment, floor=settings.floor)
    return _native.JoinOptions(
        estimator=scheme.estimator.value,
        sampled=scheme.sampled or doubtful,
        limit=scheme.limit,
        contains=scheme.contains,
        resemblance=resemblance,
        containment=containment,
        floor=settings.floor,
        confidence=settings.confidence,
        floor_reach=settings.weak_reach,
        floor_most=settings.weak_matches,
        short_part=settings.part_shingles,
        short_sample=settings.part_sample,
        hot=settings.hot_among(len(moduli)),
        threads=threads,
    )


def strongest(a: NDArray[np.uint32], b: NDArray[np.uint32], score: NDArray[np.float64], most: int) -> NDArray[np.bool_]:
    """Mark the pairs among the `most` strongest of one of their two contents. Ties go to the lower row of the other."""
    content, other = np.concatenate([a, b]), np.concatenate([b, a])
    crowded = np.bincount(content) > most  # every pair of another content is among its strongest
    keep: NDArray[np.bool_] = ~(crowded[a] & crowded[b])
    places = np.flatnonzero(crowded[content])
    rows = places % max(len(a), 1)
    order = np.lexsort((other[places], -score[rows], content[places]))
    ordered = content[places[order]]
    start = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else order
    rank = np.arange(len(ordered)) - np.repeat(start, np.diff(np.append(start, len(ordered))))
    keep[rows[order[rank < most]]] = True
    return keep


def expected_in_common(resemblance: float, containment: float, *, floor: float) -> tuple[float, float]:
    """Lower the thresholds for bsw, whose signatures leave shingles out and have no theory of how far they stray.

    The name of a chunk stays with a probability of r when the edits are spread over the text, and two sets that keep a
    share r of their names have r / (2 - r) in common. Measured on prose: 0.55 where r is 0.71. Beyond that the join
    allows them the luck of a sample of their size. A threshold over 1 is one that nothing reaches, and stays.
    """
    lowered = [share / (2 - share) if share <= 1 else share for share in (resemblance, containment)]
    return min(floor, lowered[0]) if resemblance <= 1 else resemblance, lowered[1]


@dataclass(frozen=True)
class Levels:
    """The moduli of a scheme as a segment counts them: base · 2^level."""

    base: int
    count: int

    @classmethod
    def of(cls, scheme: Scheme) -> "Levels":
        match scheme:
            case Mod(n=0):
                return cls(1, scheme.most.bit_length())
            case Mod() | Bsw():
                return cls(scheme.n, 1)
            case Min():
                return cls(scheme.modulus, 1)
        return cls(1, 1)

    def segment(self, signed: Signed, *, ignored: NDArray[np.uint64], token: bytes = bytes(16)) -> _native.Segment:
        # A content without features has modulus 1 in every scheme, since there was nothing to sample.
        moduli = np.where(np.diff(signed.offsets) == 0, np.uint64(self.base), signed.moduli)
        return _native.Segment.of(
            signed.contents,
            signed.offsets,
            signed.features,
            signed.weights,
            moduli,
            base=self.base,
            levels=self.count,
            ignored=ignored,
            token=token,
        )


Number = TypeVar("Number", np.uint32, np.int64, np.uint64)


def distinct(numbers: NDArray[Number]) -> NDArray[Number]:
    """Return the numbers in order, each once.

    np.unique hashes them first since NumPy 2.3: 4 million fingerprints took 6.2 s, while sorting them and leaving out
    equal neighbours takes 0.09 s (NumPy 2.4).
    """
    ordered = np.sort(numbers)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]
