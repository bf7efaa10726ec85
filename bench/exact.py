"""Exact pairs, found without nearkin's signatures, join or verifier: products of sparse matrices.

Rows are texts, columns their distinct shingles, so A·Aᵀ counts the shingles each two share. Every shingle
takes part, however frequent. Sizes spare work and lose nothing: r ≥ t needs |A| ≥ t·|B|, so rows are sorted
by size and a band of rows meets only the rows up to 1/t times its largest.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bench.peer_shingles import Pairs, shingles

WINDOW = 20
_BAND = 500
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

Ids = NDArray[np.uint64]


@dataclass(frozen=True)
class ExactPairs:
    pairs: Pairs  # first < second, in order
    resemblance: NDArray[np.float64]


def byte_shingles(text: bytes) -> Ids:
    """Distinct 20-byte windows as 64-bit hashes, of another kind than nearkin's."""
    count = len(text) - WINDOW + 1
    if count < 1:
        return np.zeros(0, np.uint64)
    octets = np.frombuffer(text, np.uint8).astype(np.uint64)
    hashes = np.zeros(count, np.uint64)
    for at in range(WINDOW):
        hashes = hashes * _MULTIPLIER + octets[at : at + count] + np.uint64(1)
    return np.unique(hashes)


def word_shingles(text: str) -> Ids:
    """Distinct 5-word shingles: the peers' own measure."""
    return np.array([hash(shingle) & 0xFFFFFFFFFFFFFFFF for shingle in set(shingles(text))], np.uint64)


def exact_pairs(sets: Sequence[Ids], *, threshold: float) -> ExactPairs:
    sizes = np.array([len(ids) for ids in sets], np.int64)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    matrix, sizes = _matrix([sets[i] for i in order]), sizes[order]
    bands = [_band(matrix, sizes, start, threshold) for start in range(0, len(order), _BAND)]
    pairs = np.sort(order[np.concatenate([np.zeros((0, 2), np.int64), *(pairs for pairs, _ in bands)])], axis=1)
    scores = np.concatenate([np.zeros(0), *(scores for _, scores in bands)])
    by_pair = np.lexsort((pairs[:, 1], pairs[:, 0]))
    return ExactPairs(pairs[by_pair], scores[by_pair])


def _matrix(sets: Sequence[Ids]) -> sparse.csr_matrix:
    everything = np.concatenate([np.zeros(0, np.uint64), *sets])
    _, columns, counts = np.unique(everything, return_inverse=True, return_counts=True)
    # A shingle of one text is shared with nobody.
    shared = counts > 1
    kept = shared[columns]
    numbers = (np.cumsum(shared) - 1)[columns[kept]]
    rows = np.repeat(np.arange(len(sets)), [len(shingles) for shingles in sets])[kept]
    shape = (len(sets), int(shared.sum()))
    return sparse.csr_matrix((np.ones(len(rows), np.int32), (rows, numbers)), shape=shape)


def _band(
    matrix: sparse.csr_matrix, sizes: NDArray[np.int64], start: int, threshold: float
) -> tuple[Pairs, NDArray[np.float64]]:
    end = min(start + _BAND, len(sizes))
    # One more than the bound: rounding may not lose a pair that lies on it.
    reach = int(np.searchsorted(sizes, sizes[end - 1] / threshold + 1, side="right"))
    product = (matrix[start:end] @ matrix[start:reach].T.tocsr()).tocoo()
    first, second = product.row.astype(np.int64) + start, product.col.astype(np.int64) + start
    shared = product.data.astype(np.int64)
    scores = shared / (sizes[first] + sizes[second] - shared)
    kept = (first < second) & (scores >= threshold)
    return np.stack([first[kept], second[kept]], axis=1), scores[kept]
