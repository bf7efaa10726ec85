"""How far each document of a family is from its pivot, measured where no match says it."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.family import ContentFamily
from nearkin.matching.verify import Texts, verify
from nearkin.scheme.shingler import Shingler


def complete_to_pivot(
    families: list[ContentFamily],
    lengths: NDArray[np.int64],
    texts: Texts,
    *,
    shingler: Shingler,
    memory: int,
    threads: int,
) -> None:
    """Measure the pairs of pivot and row that were never candidates: their resemblance is below the threshold."""
    owner = {}
    for family in families:
        for row in (*family.members, *family.parts):
            if row not in family.to_pivot and row != family.pivot:
                owner[min(row, family.pivot), max(row, family.pivot)] = family
    pairs = np.array(sorted(owner), np.uint32).reshape(-1, 2)
    a, b = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    found, _ = verify(
        a, b, lengths, texts, shingler=shingler, resemblance=0.0, containment=0.0, memory=memory, threads=threads
    )
    for first, second, resemblance in zip(found.a.tolist(), found.b.tolist(), found.resemblance.tolist(), strict=True):
        family = owner[first, second]
        family.to_pivot[second if first == family.pivot else first] = resemblance
