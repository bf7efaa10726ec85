"""Writings: texts of the same words, one in capitals, one out of a page, one without its punctuation.

Between them nothing is new and nothing is lost, though they may have no window in common. So they are one in the tree:
as far from others as the two writings that are nearest are from each other. Each writing but the first hangs on the
nearest of those before it.
"""

from collections.abc import Sequence

import numpy as np

from nearkin.group.lineage import Windows
from nearkin.group.moment import Moment

Writings = Sequence[Sequence[int]]  # numbers of texts, for each distinct wording


def united(windows: Windows, writings: Writings) -> Windows:
    """Of wordings, each as large as its first writing."""
    new = windows.new
    far = new + new.T
    members = [np.array(one, np.int64) for one in writings]
    nearest = np.array([one[far[one].argmin(axis=0)] for one in members])  # of each wording the writing, for each text
    least = np.take_along_axis(far, nearest, axis=0)
    across = np.array([one[least[:, one].argmin(axis=1)] for one in members]).T  # wording by wording, of the second
    between = np.zeros((len(members), len(members)), np.int64)
    # Both ways from the same two writings, so that what is new and what is lost are of one pair.
    a, b = np.triu_indices(len(members), 1)
    second = across[a, b]
    first = nearest[a, second]
    between[a, b], between[b, a] = new[first, second], new[second, first]
    return Windows(windows.sizes[[one[0] for one in writings]], between, windows.modulus)


def source_of_each(
    sources: Sequence[int | None], writings: Writings, windows: Windows, moments: Sequence[Moment] | None
) -> list[int | None]:
    """Of each text, from the sources of wordings: of the source's writings the nearest that is not later by date."""
    found: list[int | None] = [None] * len(windows.sizes)
    costs = windows.costs()
    for wording, source in zip(writings, sources, strict=True):
        for place, text in enumerate(wording):
            possible = wording[:place]
            if place == 0 and source is not None:
                possible = [one for one in writings[source] if not _later(one, text, moments)]
            # Of equally near ones the next by date, in whose order texts come.
            found[text] = min(possible, key=lambda one: (costs[one, text], abs(one - text)), default=None)
    return found


def _later(one: int, other: int, moments: Sequence[Moment] | None) -> bool:
    if moments is None or "unknown" in (moments[one].source, moments[other].source):
        return False
    return moments[one].seconds > moments[other].seconds
