"""Verification: the exact measure of candidate pairs, on the texts, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.columns import MatchColumns, measured

# Canonical texts of the contents with these rows; None where a text was not kept.
Texts = Callable[[Sequence[int]], list[bytes | None]]


def verify(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    texts: Texts,
    *,
    window: int,
    resemblance: float,
    containment: float,
    memory: int,
    threads: int,
) -> tuple[MatchColumns, NDArray[np.bool_]]:
    """Measure the pairs. Also says which could be measured: both texts must have been kept.

    Pairs that reach neither bound may be given up before they are measured to the end.
    """
    parts: list[MatchColumns] = []
    possible = np.zeros(len(a), np.bool_)
    for block in _blocks(a, b, lengths, memory):
        rows = np.unique(np.concatenate([a[block], b[block]]))
        found = texts(rows.tolist())
        have = np.array([text is not None for text in found])
        position = np.zeros(int(rows[-1]) + 1, np.uint32)
        position[rows] = np.arange(len(rows), dtype=np.uint32)
        first, second = position[a[block]], position[b[block]]
        both = have[first] & have[second]
        possible[block] = both
        shared, size_a, size_b = _native.verify(
            [text or b"" for text in found],
            first[both],
            second[both],
            window=window,
            resemblance=resemblance,
            containment=containment,
            threads=threads,
        )
        parts.append(
            measured(
                a[block][both],
                b[block][both],
                shared=shared,
                size_a=size_a,
                size_b=size_b,
                # Distinct shingles in common and the rest of one window: what lies in both at the very least.
                shared_bytes=np.where(shared > 0, shared + np.uint64(window - 1), 0),
                exact=np.ones(int(both.sum()), np.bool_),
            )
        )
    empty = np.zeros(0, np.uint32)
    zero = np.zeros(0, np.uint64)
    start = measured(
        empty, empty, shared=zero, size_a=zero, size_b=zero, shared_bytes=zero, exact=np.zeros(0, np.bool_)
    )
    return MatchColumns.join(start, *parts), possible


def _blocks(a: NDArray[np.uint32], b: NDArray[np.uint32], lengths: NDArray[np.int64], memory: int) -> Iterator[slice]:
    """Runs of pairs whose texts together fit into memory."""
    everything = np.unique(np.concatenate([a, b]))
    if lengths[everything].sum() <= memory:
        if len(a):
            yield slice(0, len(a))
        return
    start, held, size = 0, set[int](), 0
    for i, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        new = [row for row in pair if row not in held]
        size += int(lengths[new].sum())
        if size > memory and i > start:
            yield slice(start, i)
            start, held, new = i, set(), list(pair)
            size = int(lengths[new].sum())
        held.update(new)
    yield slice(start, len(a))
