"""How far each document of a family is from its pivot, measured where no match says it."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.families import Families
from nearkin.group.family import ContentFamily
from nearkin.matching.cosine import cosines
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme.shingler import Shingler


def measure_to_pivot(families: Families, corpus: Corpus, shingler: Shingler | None) -> None:
    """Measure the pairs of pivot and row that were never candidates: their resemblance is below the threshold."""
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    families.to_pivot[unknown] = _resemblances(families.rows[unknown], pivots, corpus, shingler)


def complete_to_pivot(families: list[ContentFamily], corpus: Corpus, shingler: Shingler | None) -> None:
    """The same of families that are told one by one."""
    unknown = [
        (row, family)
        for family in families
        for row in (*family.members, *family.parts)
        if row not in family.to_pivot and row != family.pivot
    ]
    rows = np.array([row for row, _ in unknown], np.int64)
    pivots = np.array([family.pivot for _, family in unknown], np.int64)
    scores = _resemblances(rows, pivots, corpus, shingler).tolist()
    for (row, family), score in zip(unknown, scores, strict=True):
        if score == score:
            family.to_pivot[row] = score


def _resemblances(
    rows: NDArray[np.int64], pivots: NDArray[np.int64], corpus: Corpus, shingler: Shingler | None
) -> NDArray[np.float64]:
    """Of each row and its pivot; NaN where a text was not kept."""
    keys = np.minimum(rows, pivots) << 32 | np.maximum(rows, pivots)
    order = np.argsort(keys)
    a, b = (side[order].astype(np.uint32) for side in (keys >> 32, keys & 0xFFFFFFFF))
    a, b, scores = measured_pairs(a, b, corpus, shingler)
    found = np.full(len(rows), np.nan)
    found[order[np.searchsorted(keys[order], a.astype(np.int64) << 32 | b)]] = scores
    return found


def measured_pairs(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    corpus: Corpus,
    shingler: Shingler | None,  # None: their cosine is measured
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Those of the pairs whose texts were both kept, with their scores."""
    if shingler is None:
        scores = cosines(a, b, corpus)
        known = scores == scores
        return a[known], b[known], scores[known]
    found, _ = verify(a, b, corpus, shingler=shingler, resemblance=0.0, containment=0.0)
    return found.a, found.b, found.resemblance
