"""From signatures to matches: join, verify what may reach a threshold, keep the strongest of the rest.

A candidate whose interval's upper bound reaches a threshold is verified on the texts; thresholds apply afterwards.
Weaker ones down to the floor are kept as estimates with their intervals, so many for each content: thresholds can be
lowered later without templates flooding the store.

`si` joins pairs of contents one of whose numbers lies within 30 % of the other (Roth 2011 §4.2). The relation is not
symmetric: a number further from 0 has a wider range. Either direction makes a pair, so of two numbers of one sign only
the further one is asked, and those it reaches stand side by side in order of magnitude. Numbers say little about texts,
and most documents of a large collection lie in the ranges of thousands of others. So pairs are made and verified block
by block, and only those that the texts confirm are kept: memory does not grow with pairs.

`fuzzy` joins colliding contents and scores them by their cosines (Stein 2005 §3 and §4.2): one code in common makes two
contents a candidate; the cosine of their term vectors, taken on the texts, is the score. So task (b), all duplicates,
costs one sort of the codes and one cosine for each pair of a collision set, and task (a), the most similar of a query,
one look-up a code and one cosine for each content of the collision sets.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import NOT_HOT, WHOLE, Candidates, Hot, Lists, Part, find_candidates, strongest
from nearkin.matching.match_columns import MatchColumns, measured
from nearkin.matching.verify import Corpus, blocks, verify
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings

Rows = NDArray[np.uint32]

PAIR_BYTES = 256  # what a pair takes while it is verified, generously
# Pairs handed out at a time: some 50 MB of columns, and few enough blocks that texts are seldom loaded twice.
PAIRS = 4_000_000


@dataclass(frozen=True)
class Scored:
    """Scored pairs, and the hot features that were left to stars."""

    matches: MatchColumns
    hot: Hot = NOT_HOT


def find_matches(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings) -> Scored:
    """The matches that are kept. Where templates are left out of the postings, the corpus ignores their shingles."""
    pairs = scored(postings, corpus, scheme, settings)
    return replace(pairs, matches=kept(pairs.matches, settings))


def scored(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings, *, part: Part = WHOLE) -> Scored:
    """Score all pairs that may be kept, and for each content at least its strongest weak ones."""
    if scheme.estimator is Estimator.RANGE:
        return Scored(matches_in_range(postings, corpus, scheme, settings))
    if scheme.estimator is Estimator.COLLISION:
        return Scored(find_similar(postings, corpus, settings))
    candidates = find_candidates(postings, scheme, settings, threads=corpus.threads, part=part)
    return score_candidates(candidates, postings.moduli, corpus, scheme, settings)


def score_candidates(
    candidates: Candidates,
    moduli: NDArray[np.uint64],
    corpus: Corpus,
    scheme: Scheme,
    settings: MatchSettings,
) -> Scored:
    """Measure candidates that may reach a threshold on the texts; estimate the others by their signatures."""
    lengths = corpus.lengths
    if scheme.shingler is None:
        return Scored(estimated(candidates, moduli, lengths, scheme)[0], candidates.hot)
    strong = np.flatnonzero(candidates.strong)
    verified, possible = verify(
        candidates.a[strong],
        candidates.b[strong],
        corpus,
        shingler=scheme.shingler,
        resemblance=settings.floor,
        containment=settings.containment,
    )
    left = np.ones(len(candidates.a), np.bool_)
    left[strong[possible]] = False
    rest = candidates[left]
    guessed, sample = estimated(rest, moduli, lengths, scheme)
    guessed = _with_intervals(guessed, rest.shared, sample, settings, corpus.threads)
    # Two thirds of the pages' pairs came to nothing: they need not be put in order.
    reached = verified.strong(settings.threshold, settings.containment) | (verified.resemblance >= settings.floor)
    return Scored(MatchColumns.join(guessed, verified[reached]), candidates.hot)


def estimated(
    candidates: Candidates, moduli: NDArray[np.uint64], lengths: NDArray[np.int64], scheme: Scheme
) -> tuple[MatchColumns, NDArray[np.uint64]]:
    """Estimate candidates by their signatures alone; and the sizes of their samples: 0 where there is no interval."""
    modulus = np.maximum(moduli[candidates.a], moduli[candidates.b])
    exact = modulus == 1
    if scheme.limit:
        exact &= np.maximum(candidates.size_a, candidates.size_b) < scheme.limit  # they left nothing out
        exact &= scheme.estimator is Estimator.SMALLEST
    # A feature stands for as many bytes as shingles, on the average; never more than the shorter has.
    shared_bytes = candidates.shared * modulus + np.uint64(scheme.window - 1 if scheme.measure == "shingles" else 0)
    shorter = np.minimum(lengths[candidates.a], lengths[candidates.b]).astype(np.uint64)
    columns = measured(
        candidates.a,
        candidates.b,
        shared=candidates.shared * modulus,
        size_a=candidates.size_a * modulus,
        size_b=candidates.size_b * modulus,
        shared_bytes=np.where(exact, shared_bytes, np.minimum(shared_bytes, shorter)),
        exact=exact,
    )
    if scheme.limit:
        columns = _resemblance_only(columns, candidates, lengths)
    return columns, np.where(exact | (not scheme.sampled), 0, candidates.united)


def _resemblance_only(columns: MatchColumns, candidates: Candidates, lengths: NDArray[np.int64]) -> MatchColumns:
    """Signatures of fixed size: what was cut says neither how large the text is nor what it contains."""
    resemblance = candidates.shared / candidates.united
    length_a, length_b = lengths[candidates.a], lengths[candidates.b]
    # |A ∩ B| = r / (1 + r) · (|A| + |B|), in bytes; never more than the shorter has.
    shared = np.minimum(resemblance / (1 + resemblance) * (length_a + length_b), np.minimum(length_a, length_b))
    return columns.replace(
        resemblance=resemblance,
        a_in_b=np.where(columns.exact, columns.a_in_b, np.nan),
        b_in_a=np.where(columns.exact, columns.b_in_a, np.nan),
        shared_bytes=np.where(columns.exact, columns.shared_bytes, shared.astype(np.int64)),
        size_a=np.where(columns.exact, columns.size_a, length_a),
        size_b=np.where(columns.exact, columns.size_b, length_b),
    )


def _with_intervals(
    matches: MatchColumns,
    shared: NDArray[np.uint64],
    sample: NDArray[np.uint64],
    settings: MatchSettings,
    threads: int,
) -> MatchColumns:
    low, high = matches.low.copy(), matches.high.copy()
    sampled = sample > 0
    low[sampled], high[sampled] = _intervals(shared[sampled], sample[sampled], settings.confidence, threads)
    return matches.replace(low=low, high=high)


def _intervals(
    k: NDArray[np.uint64], n: NDArray[np.uint64], confidence: float, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # There are far fewer different (k, n) than pairs, and each interval costs some ten microseconds.
    pairs, back = np.unique(n << np.uint64(32) | k, return_inverse=True)
    k, n = pairs & np.uint64(0xFFFFFFFF), pairs >> np.uint64(32)
    low, high = _native.intervals(k, n, confidence=confidence, threads=threads)
    return low[back], high[back]


def kept(matches: MatchColumns, settings: MatchSettings) -> MatchColumns:
    """Matches that reach a threshold, and of the others down to the floor the strongest of each content."""
    if settings.min_shared_bytes > 0:
        matches = matches[matches.shared_bytes >= settings.min_shared_bytes]
    strong = matches.strong(settings.threshold, settings.containment)
    weak = np.flatnonzero(~strong & (matches.resemblance >= settings.floor))
    keep = strong
    keep[weak[strongest(matches.a[weak], matches.b[weak], matches.resemblance[weak], settings.weak_matches)]] = True
    return matches if keep.all() else matches[keep]


def matches_in_range(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings) -> MatchColumns:
    """Pairs in range that reach a threshold or the floor on the texts; those whose texts were not kept are left out."""
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


def find_similar(postings: Lists, corpus: Corpus, settings: MatchSettings, *, most: int = PAIRS) -> MatchColumns:
    """Matches of all colliding pairs whose cosine reaches the floor."""
    parts = [_columns(np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0))]
    for a, b in _collisions(postings, most):
        cosine = cosines(a, b, corpus)
        alike = cosine >= settings.floor
        parts.append(_columns(a[alike], b[alike], cosine[alike]))
    return MatchColumns.join(*parts)


def cosines(a: NDArray[np.uint32], b: NDArray[np.uint32], corpus: Corpus) -> NDArray[np.float64]:
    """The cosines of contents with these rows; NaN where a text was not kept, or has no terms."""
    scores = np.full(len(a), np.nan)
    for block, rows in blocks(a, b, corpus.lengths, corpus.memory):
        loaded = [text or b"" for text in corpus.texts(rows.tolist())]
        first, second = (np.searchsorted(rows, side[block]).astype(np.uint32) for side in (a, b))
        scores[block] = _native.cosines(loaded, first, second, threads=corpus.threads)
    return scores


def cosine_of(a: bytes, b: bytes) -> float | None:
    """The cosine of two canonical texts; None where one has no terms."""
    value = float(_native.cosines([a, b], np.array([0], np.uint32), np.array([1], np.uint32), threads=1)[0])
    return value if value == value else None


def rank(rows: NDArray[np.uint32], corpus: Corpus) -> list[tuple[int, float]]:
    """These rows and their cosines with row 0, the query; the most similar first, of equals the smaller row."""
    scores = cosines(np.zeros(len(rows), np.uint32), rows, corpus)
    scored = zip(rows.tolist(), scores.tolist(), strict=True)
    return sorted(((row, cosine) for row, cosine in scored if cosine == cosine), key=lambda pair: (-pair[1], pair[0]))


def _collisions(postings: Lists, most: int) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    collisions = _native.Collisions(postings.offsets, postings.features)
    while True:
        a, b = collisions.next(most)
        if not len(a):
            return
        yield a, b


def _columns(a: NDArray[np.uint32], b: NDArray[np.uint32], cosine: NDArray[np.float64]) -> MatchColumns:
    """A cosine says nothing of containment, nor of sizes and bytes in common."""
    none = np.zeros(len(a), np.int64)
    return MatchColumns(
        a=a,
        b=b,
        resemblance=cosine,
        shared_bytes=none,
        size_a=none,
        size_b=none,
        exact=np.ones(len(a), np.bool_),
    )
