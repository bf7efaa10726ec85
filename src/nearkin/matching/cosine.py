"""Colliding contents and their cosines (Stein 2005 §3 and §4.2).

One code in common makes two contents a candidate; the cosine of their term vectors, taken on the texts, is the score.
So task (b), all duplicates, costs one sort of the codes and one cosine for each pair of a collision set, and task (a),
the most similar of a query, one look-up a code and one cosine for each content found.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Lists
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.verify import Corpus, blocks
from nearkin.settings import MatchSettings

# Pairs handed out at a time: some 50 MB of columns, and few enough blocks that texts are seldom loaded twice.
PAIRS = 4_000_000


def find_similar(postings: Lists, corpus: Corpus, settings: MatchSettings, *, most: int = PAIRS) -> MatchColumns:
    """All colliding pairs whose cosine reaches the floor."""
    parts = [_columns(np.zeros(0, np.uint32), np.zeros(0, np.uint32), np.zeros(0))]
    for a, b in _collisions(postings, most):
        cosine = cosines(a, b, corpus)
        alike = cosine >= settings.floor
        parts.append(_columns(a[alike], b[alike], cosine[alike]))
    return MatchColumns.join(*parts)


def cosines(a: NDArray[np.uint32], b: NDArray[np.uint32], corpus: Corpus) -> NDArray[np.float64]:
    """Of the contents with these rows; NaN where a text was not kept, or has no terms."""
    found = np.full(len(a), np.nan)
    for block, rows in blocks(a, b, corpus.lengths, corpus.memory):
        loaded = [text or b"" for text in corpus.texts(rows.tolist())]
        first, second = (np.searchsorted(rows, side[block]).astype(np.uint32) for side in (a, b))
        found[block] = _native.cosines(loaded, first, second, threads=corpus.threads)
    return found


def cosine_of(a: bytes, b: bytes) -> float | None:
    """Of two canonical texts; None where one has no terms."""
    value = float(_native.cosines([a, b], np.array([0], np.uint32), np.array([1], np.uint32), threads=1)[0])
    return value if value == value else None


def rank(rows: NDArray[np.uint32], corpus: Corpus) -> list[tuple[int, float]]:
    """These rows and their cosines with row 0, the query; the most similar first, of equals the smaller row."""
    scores = cosines(np.zeros(len(rows), np.uint32), rows, corpus)
    scored = zip(rows.tolist(), scores.tolist(), strict=True)
    return sorted(((row, cosine) for row, cosine in scored if cosine == cosine), key=lambda one: (-one[1], one[0]))


def _collisions(postings: Lists, most: int) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint32]]]:
    found = _native.Collisions(postings.offsets, postings.features)
    while True:
        a, b = found.next(most)
        if not len(a):
            return
        yield a, b


def _columns(a: NDArray[np.uint32], b: NDArray[np.uint32], cosine: NDArray[np.float64]) -> MatchColumns:
    """A cosine says nothing of containment, nor of sizes and bytes in common."""
    none, unsaid = np.zeros(len(a), np.int64), np.full(len(a), np.nan)
    return MatchColumns(
        a=a,
        b=b,
        resemblance=cosine,
        a_in_b=unsaid,
        b_in_a=unsaid,
        payload=unsaid,
        shared_bytes=none,
        size_a=none,
        size_b=none,
        exact=np.ones(len(a), np.bool_),
        low=unsaid,
        high=unsaid,
        payload_sample=unsaid,
    )
