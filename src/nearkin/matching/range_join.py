"""The join of `si`: pairs of contents one of whose numbers lies within 30 % of the other (Roth 2011 §4.2).

The relation is not symmetric: a number further from 0 has a wider range. Either direction makes a pair, so of two
numbers of one sign only the further one is asked, and those it reaches stand side by side in order of magnitude.

Numbers say little about texts, and most documents of a large collection lie in the ranges of thousands of others. So
pairs are made and verified block by block, and only what the texts confirm is kept: memory does not grow with pairs.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.candidates import Lists
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings

Rows = NDArray[np.uint32]

PAIR_BYTES = 256  # what a pair takes while it is verified, generously


def matches_in_range(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings) -> MatchColumns:
    """Those that reach a threshold or the floor on the texts. Pairs whose texts were not kept are left out."""
    assert scheme.shingler is not None
    parts = [MatchColumns.none()]
    for a, b in pairs_in_range(postings, block=max(corpus.memory // PAIR_BYTES, 1 << 12)):
        verified, _ = verify(
            a, b, corpus, shingler=scheme.shingler, resemblance=settings.floor, containment=settings.containment
        )
        reached = verified.strong(settings.threshold, settings.containment) | (verified.resemblance >= settings.floor)
        parts.append(verified[reached])
    return MatchColumns.join(*parts)


def pairs_in_range(postings: Lists, *, block: int) -> Iterator[tuple[Rows, Rows]]:
    """Every pair once, at most `block` at a time."""
    rows = np.flatnonzero(np.diff(postings.offsets)).astype(np.uint32)  # the others have no number
    numbers = postings.features
    negative = numbers >> np.uint64(63) == 1
    for side, magnitudes in ((~negative, numbers), (negative, np.uint64(0) - numbers)):
        yield from _pairs(rows[side], magnitudes[side], block)


def _pairs(rows: Rows, magnitudes: NDArray[np.uint64], block: int) -> Iterator[tuple[Rows, Rows]]:
    order = np.lexsort((rows, magnitudes))
    rows, magnitudes = rows[order], magnitudes[order]
    # The lowest whole number over 0.7 of each, without a product that could overflow; equal numbers are always alike.
    tens, ones = np.divmod(magnitudes, np.uint64(10))
    lowest = np.minimum(np.uint64(7) * tens + np.uint64(7) * ones // np.uint64(10) + np.uint64(1), magnitudes)
    first = np.searchsorted(magnitudes, lowest)
    ends = np.cumsum(np.arange(len(rows)) - first)
    for start in range(0, int(ends[-1]) if len(ends) else 0, block):
        flat = np.arange(start, min(start + block, int(ends[-1])))
        further = np.searchsorted(ends, flat, side="right")
        nearer = further - (ends[further] - flat)
        yield rows[further], rows[nearer]
