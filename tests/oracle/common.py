"""What most of some sets have in common."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


def common(sets: Sequence[set[int]], tolerance: Fraction) -> set[int]:
    counts = Counter(one for members in sets for one in members)
    return {one for one, count in counts.items() if count >= tolerance * len(sets)}
