"""How far a chain reaches: which of its members may hardly resemble each other.

Resemblance r makes 1 - r a distance (and the angle does so of cosines), so two members are no farther from each other
than the one is from the pivot and the other from there. Most chains are cleared by that alone. Of the others the
members farthest from the pivot are compared, every two: so much work and no more, whatever the family's size. The most
distant of these are named; that two others are more distant still is possible.
"""

from collections.abc import Sequence
from itertools import combinations
from math import acos

FARTHEST = 6  # members of a family that are compared: 15 pairs


def suspects(to_pivot: Sequence[tuple[int, float | None]], limit: float, *, cosine: bool) -> list[tuple[int, int]]:
    """Pairs of members that may resemble each other by less than the limit. `to_pivot` leaves out the pivot itself;
    a member of which nothing is known may be as far away as can be."""

    def distance(resemblance: float | None) -> float:
        share = min(max(resemblance or 0.0, 0.0), 1.0)
        return acos(share) if cosine else 1.0 - share

    far = sorted(((distance(value), content) for content, value in to_pivot), reverse=True)[:FARTHEST]
    bound = distance(limit)
    return [
        (min(one, other), max(one, other))
        for (first, one), (second, other) in combinations(far, 2)
        if first + second > bound
    ]
