"""From signatures to matches: join, verify what may reach a threshold, keep the strongest of the rest.

A candidate whose interval's upper bound reaches a threshold is verified on the texts; thresholds apply afterwards.
Weaker ones down to the floor are kept as estimates with their intervals, so many for each content: thresholds can be
lowered later without templates flooding the store.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Candidates, Postings, find_candidates
from nearkin.matching.columns import MatchColumns, measured
from nearkin.matching.cosine import find_similar
from nearkin.matching.verify import Texts, verify
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings


def find_matches(
    postings: Postings,
    lengths: NDArray[np.int64],
    texts: Texts,
    scheme: Scheme,
    settings: MatchSettings,
    *,
    memory: int,
    threads: int,
) -> MatchColumns:
    if scheme.estimator is Estimator.COLLISION:
        return _kept(find_similar(postings, lengths, texts, settings, memory=memory, threads=threads), settings)
    found = find_candidates(postings, scheme, settings, threads=threads)
    matches, sample = estimated(found, postings, scheme)
    if scheme.shingler is not None:
        strong = np.flatnonzero(found.strong)
        verified, possible = verify(
            found.a[strong],
            found.b[strong],
            lengths,
            texts,
            shingler=scheme.shingler,
            resemblance=settings.floor,
            containment=settings.containment,
            memory=memory,
            threads=threads,
        )
        left = np.ones(len(matches), np.bool_)
        left[strong[possible]] = False
        matches = MatchColumns.join(_with_intervals(matches[left], sample[left], settings), verified)
    return _kept(matches, settings)


def estimated(found: Candidates, postings: Postings, scheme: Scheme) -> tuple[MatchColumns, NDArray[np.uint64]]:
    """What the signatures alone say, and how many features of each pair's union were sampled."""
    if not scheme.sampled:
        exact, modulus = np.ones(len(found.a), np.bool_), np.ones(len(found.a), np.uint64)
    else:
        modulus = np.maximum(postings.moduli[found.a], postings.moduli[found.b])
        exact = modulus == 1
    columns = measured(
        found.a,
        found.b,
        shared=found.shared * modulus,
        size_a=found.size_a * modulus,
        size_b=found.size_b * modulus,
        shared_bytes=found.shared * modulus + (scheme.window - 1 if scheme.measure == "shingles" else 0),
        exact=exact,
    )
    return columns, np.where(exact, 0, found.size_a + found.size_b - found.shared)


def _with_intervals(matches: MatchColumns, sample: NDArray[np.uint64], settings: MatchSettings) -> MatchColumns:
    low, high = matches.low.copy(), matches.high.copy()
    sampled = sample > 0
    shared = np.rint(matches.resemblance[sampled] * sample[sampled]).astype(np.uint64)
    low[sampled], high[sampled] = _intervals(shared, sample[sampled], settings.confidence)
    return replace(matches, low=low, high=high)


def _intervals(
    k: NDArray[np.uint64], n: NDArray[np.uint64], confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # There are far fewer different (k, n) than pairs, and each interval costs some ten microseconds.
    pairs, back = np.unique(n << np.uint64(32) | k, return_inverse=True)
    low, high = _native.intervals(pairs & np.uint64(0xFFFFFFFF), pairs >> np.uint64(32), confidence=confidence)
    return low[back], high[back]


def _kept(matches: MatchColumns, settings: MatchSettings) -> MatchColumns:
    matches = matches[matches.shared_bytes >= settings.min_shared_bytes]
    strong = matches.strong(settings.threshold, settings.containment)
    weak = np.flatnonzero(~strong & (matches.resemblance >= settings.floor))
    keep = strong
    keep[weak[_strongest(matches[weak], settings.weak_matches)]] = True
    return matches[keep]


def _strongest(matches: MatchColumns, most: int) -> NDArray[np.bool_]:
    """Which are among the `most` strongest of one of their two contents; ties by the other's digest."""
    rows = np.arange(len(matches))
    content = np.concatenate([matches.a, matches.b])
    other = np.concatenate([matches.b, matches.a])
    score = np.concatenate([matches.resemblance, matches.resemblance])
    order = np.lexsort((other, -score, content))
    ordered = content[order]
    start = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else rows
    rank = np.arange(len(ordered)) - np.repeat(start, np.diff(np.append(start, len(ordered))))
    keep = np.zeros(len(matches), np.bool_)
    keep[np.concatenate([rows, rows])[order[rank < most]]] = True
    return keep
