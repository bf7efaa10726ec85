"""How far each document of a family is from its pivot, measured where no match says it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.group.families import Families
from nearkin.group.family import ContentFamily
from nearkin.matching.cosine import cosines
from nearkin.matching.verify import Texts, verify
from nearkin.scheme.shingler import Shingler


def measure_to_pivot(families: Families, lengths: NDArray[np.int64], texts: Texts, **how: Any) -> None:
    """Measure the pairs of pivot and row that were never candidates: their resemblance is below the threshold. `how` is
    as of `measured_pairs`."""
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    families.to_pivot[unknown] = _resemblances(families.rows[unknown], pivots, lengths, texts, **how)


def complete_to_pivot(families: list[ContentFamily], lengths: NDArray[np.int64], texts: Texts, **how: Any) -> None:
    """The same of families that are told one by one."""
    unknown = [
        (row, family)
        for family in families
        for row in (*family.members, *family.parts)
        if row not in family.to_pivot and row != family.pivot
    ]
    rows = np.array([row for row, _ in unknown], np.int64)
    pivots = np.array([family.pivot for _, family in unknown], np.int64)
    scores = _resemblances(rows, pivots, lengths, texts, **how).tolist()
    for (row, family), score in zip(unknown, scores, strict=True):
        if score == score:
            family.to_pivot[row] = score


def _resemblances(
    rows: NDArray[np.int64], pivots: NDArray[np.int64], lengths: NDArray[np.int64], texts: Texts, **how: Any
) -> NDArray[np.float64]:
    """Of each row and its pivot; NaN where a text was not kept."""
    keys = np.minimum(rows, pivots) << 32 | np.maximum(rows, pivots)
    order = np.argsort(keys)
    a, b = (side[order].astype(np.uint32) for side in (keys >> 32, keys & 0xFFFFFFFF))
    a, b, scores = measured_pairs(a, b, lengths, texts, **how)
    found = np.full(len(rows), np.nan)
    found[order[np.searchsorted(keys[order], a.astype(np.int64) << 32 | b)]] = scores
    return found


def measured_pairs(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    lengths: NDArray[np.int64],
    texts: Texts,
    *,
    shingler: Shingler | None,  # None: their cosine is measured
    memory: int,
    threads: int,
    ignored: NDArray[np.uint64] | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Those of the pairs whose texts were both kept, with their scores."""
    if shingler is None:
        scores = cosines(a, b, lengths, texts, memory=memory, threads=threads)
        known = scores == scores
        return a[known], b[known], scores[known]
    found, _ = verify(
        a,
        b,
        lengths,
        texts,
        shingler=shingler,
        resemblance=0.0,
        containment=0.0,
        memory=memory,
        threads=threads,
        ignored=ignored,
    )
    return found.a, found.b, found.resemblance
