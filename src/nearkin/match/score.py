"""From signatures to matches: join, verify what may reach a threshold, keep the strongest of the rest.

A candidate whose interval's upper bound reaches a threshold is verified on the texts; thresholds apply afterwards.
Weaker ones down to the floor are kept as estimates with their intervals, so many for each content: thresholds can be
lowered later without templates flooding the store.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.match.candidates import Candidates, Postings, find_candidates
from nearkin.match.columns import MatchColumns, measured
from nearkin.match.verify import Texts, verify
from nearkin.scheme import Scheme
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
    found = find_candidates(postings, scheme, settings, threads=threads)
    matches = estimated(found, postings, scheme, settings)
    if scheme.measure == "shingles":
        strong = np.flatnonzero(found.strong)
        verified, possible = verify(
            found.a[strong],
            found.b[strong],
            lengths,
            texts,
            window=scheme.window,
            resemblance=settings.floor,
            containment=settings.containment,
            memory=memory,
            threads=threads,
        )
        replaced = np.zeros(len(matches), np.bool_)
        replaced[strong[possible]] = True
        matches = MatchColumns.join(matches[~replaced], verified)
    return _kept(matches, settings)


def estimated(
    found: Candidates, postings: Postings, scheme: Scheme, settings: MatchSettings
) -> MatchColumns:
    """What the signatures alone say."""
    modulus = np.maximum(postings.moduli[found.a], postings.moduli[found.b])
    exact = modulus == 1 if scheme.sampled else np.ones(len(found.a), np.bool_)
    columns = measured(
        found.a,
        found.b,
        shared=found.shared,
        size_a=found.size_a,
        size_b=found.size_b,
        shared_bytes=found.shared * modulus if scheme.sampled else found.shared,
        exact=exact,
    )
    low, high = columns.low.copy(), columns.high.copy()
    sampled = ~exact
    scale = modulus.astype(np.int64) if scheme.sampled else 1
    low[sampled], high[sampled] = _intervals(
        found.shared[sampled],
        (found.size_a + found.size_b - found.shared)[sampled],
        settings.confidence,
    )
    return replace(columns, size_a=columns.size_a * scale, size_b=columns.size_b * scale, low=low, high=high)


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
