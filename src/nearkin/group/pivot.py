"""How far each document of a family is from its pivot, measured where no match says it."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.family import ContentFamily
from nearkin.matching.cosine import cosines
from nearkin.matching.verify import Texts, verify
from nearkin.scheme.shingler import Shingler


def complete_to_pivot(
    families: list[ContentFamily],
    lengths: NDArray[np.int64],
    texts: Texts,
    *,
    shingler: Shingler | None,  # None: their cosine is measured
    memory: int,
    threads: int,
    ignored: NDArray[np.uint64] | None = None,
) -> None:
    """Measure the pairs of pivot and row that were never candidates: their resemblance is below the threshold."""
    owner = {}
    for family in families:
        for row in (*family.members, *family.parts):
            if row not in family.to_pivot and row != family.pivot:
                owner[min(row, family.pivot), max(row, family.pivot)] = family
    pairs = np.array(sorted(owner), np.uint32).reshape(-1, 2)
    a, b = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    measured = measured_pairs(a, b, lengths, texts, shingler=shingler, memory=memory, threads=threads, ignored=ignored)
    for first, second, score in zip(*(column.tolist() for column in measured), strict=True):
        family = owner[first, second]
        family.to_pivot[second if first == family.pivot else first] = score


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
