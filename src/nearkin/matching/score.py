"""From signatures to matches: join, verify what may reach a threshold, keep the strongest of the rest.

A candidate whose interval's upper bound reaches a threshold is verified on the texts; thresholds apply afterwards.
Weaker ones down to the floor are kept as estimates with their intervals, so many for each content: thresholds can be
lowered later without templates flooding the store.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import NOT_HOT, WHOLE, Candidates, Hot, Lists, Part, find_candidates, strongest
from nearkin.matching.cosine import find_similar
from nearkin.matching.match_columns import MatchColumns, measured
from nearkin.matching.range_join import matches_in_range
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings


@dataclass(frozen=True)
class Scored:
    matches: MatchColumns
    hot: Hot = NOT_HOT


def find_matches(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings) -> Scored:
    """What is kept. Where postings are without what templates leave out, the corpus ignores the shingles of that."""
    found = scored(postings, corpus, scheme, settings)
    return replace(found, matches=kept(found.matches, settings))


def scored(postings: Lists, corpus: Corpus, scheme: Scheme, settings: MatchSettings, *, part: Part = WHOLE) -> Scored:
    """All that may be kept, and for each content at least its strongest weak ones."""
    if scheme.estimator is Estimator.RANGE:
        return Scored(matches_in_range(postings, corpus, scheme, settings))
    if scheme.estimator is Estimator.COLLISION:
        return Scored(find_similar(postings, corpus, settings))
    found = find_candidates(postings, scheme, settings, threads=corpus.threads, part=part)
    return measured_candidates(found, postings.moduli, corpus, scheme, settings)


def measured_candidates(
    found: Candidates,
    moduli: NDArray[np.uint64],
    corpus: Corpus,
    scheme: Scheme,
    settings: MatchSettings,
) -> Scored:
    """Those that may reach a threshold on the texts, the others by their signatures."""
    lengths = corpus.lengths
    if scheme.shingler is None:
        return Scored(estimated(found, moduli, lengths, scheme)[0], found.hot)
    strong = np.flatnonzero(found.strong)
    verified, possible = verify(
        found.a[strong],
        found.b[strong],
        corpus,
        shingler=scheme.shingler,
        resemblance=settings.floor,
        containment=settings.containment,
    )
    left = np.ones(len(found.a), np.bool_)
    left[strong[possible]] = False
    rest = found[left]
    guessed, sample = estimated(rest, moduli, lengths, scheme)
    guessed = _with_intervals(guessed, rest.shared, sample, settings, corpus.threads)
    # Two thirds of the pages' pairs came to nothing: they need not be put in order.
    reached = verified.strong(settings.threshold, settings.containment) | (verified.resemblance >= settings.floor)
    return Scored(MatchColumns.join(guessed, verified[reached]), found.hot)


def estimated(
    found: Candidates, moduli: NDArray[np.uint64], lengths: NDArray[np.int64], scheme: Scheme
) -> tuple[MatchColumns, NDArray[np.uint64]]:
    """What the signatures alone say, and of how many features: 0 where there is no interval."""
    modulus = np.maximum(moduli[found.a], moduli[found.b])
    exact = modulus == 1
    if scheme.limit:
        exact &= np.maximum(found.size_a, found.size_b) < scheme.limit  # they left nothing out
        exact &= scheme.estimator is Estimator.SMALLEST
    # A feature stands for as many bytes as shingles, on the average; never more than the shorter has.
    shared_bytes = found.shared * modulus + np.uint64(scheme.window - 1 if scheme.measure == "shingles" else 0)
    shorter = np.minimum(lengths[found.a], lengths[found.b]).astype(np.uint64)
    columns = measured(
        found.a,
        found.b,
        shared=found.shared * modulus,
        size_a=found.size_a * modulus,
        size_b=found.size_b * modulus,
        shared_bytes=np.where(exact, shared_bytes, np.minimum(shared_bytes, shorter)),
        exact=exact,
    )
    if scheme.limit:
        columns = _resemblance_only(columns, found, lengths)
    return columns, np.where(exact | (not scheme.sampled), 0, found.united)


def _resemblance_only(columns: MatchColumns, found: Candidates, lengths: NDArray[np.int64]) -> MatchColumns:
    """Signatures of fixed size: what was cut says neither how large the text is nor what it contains."""
    resemblance = found.shared / found.united
    length_a, length_b = lengths[found.a], lengths[found.b]
    # |A ∩ B| = r / (1 + r) · (|A| + |B|), in bytes; never more than the shorter has.
    shared = np.minimum(resemblance / (1 + resemblance) * (length_a + length_b), np.minimum(length_a, length_b))
    return replace(
        columns,
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
    return replace(matches, low=low, high=high)


def _intervals(
    k: NDArray[np.uint64], n: NDArray[np.uint64], confidence: float, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # There are far fewer different (k, n) than pairs, and each interval costs some ten microseconds.
    pairs, back = np.unique(n << np.uint64(32) | k, return_inverse=True)
    k, n = pairs & np.uint64(0xFFFFFFFF), pairs >> np.uint64(32)
    low, high = _native.intervals(k, n, confidence=confidence, threads=threads)
    return low[back], high[back]


def kept(matches: MatchColumns, settings: MatchSettings) -> MatchColumns:
    """Those that reach a threshold, and of the others down to the floor the strongest of each content."""
    if settings.min_shared_bytes > 0:
        matches = matches[matches.shared_bytes >= settings.min_shared_bytes]
    strong = matches.strong(settings.threshold, settings.containment)
    weak = np.flatnonzero(~strong & (matches.resemblance >= settings.floor))
    keep = strong
    keep[weak[strongest(matches.a[weak], matches.b[weak], matches.resemblance[weak], settings.weak_matches)]] = True
    return matches if keep.all() else matches[keep]
