"""Candidates by definition: every pair of contents, compared feature by feature."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

from scipy.special import bdtr


@dataclass(frozen=True)
class Content:
    """A signature: features with their counts, the weight of each, and the modulus it was sampled at."""

    features: Counter[int]
    modulus: int = 1
    weights: dict[int, int] | None = None

    def weight(self, feature: int) -> int:
        return 1 if self.weights is None else self.weights[feature]

    def size(self, modulus: int | None = None) -> int:
        """At its own modulus, or at a larger one."""
        own = modulus in (None, self.modulus)
        return sum(
            self.weight(feature) * count
            for feature, count in self.features.items()
            if own or feature % (modulus or 1) == 0
        )


@dataclass(frozen=True)
class Limits:
    sampled: bool = True
    resemblance: float = 0.7
    containment: float = 0.9
    floor: float = 0.5
    confidence: float = 0.99
    floor_reach: int = 32
    floor_most: int = 20
    short_part: int = 200
    short_sample: int = 4
    estimator: str = "overlap"
    limit: int = 0
    contains: bool = True
    hot: int = 1000


@cache
def may_reach(k: int, n: int, threshold: float, confidence: float) -> bool:
    """Whether Clopper and Pearson's upper bound of k out of n reaches the threshold."""
    return k == n or bool(bdtr(k, n, threshold) >= (1 - confidence) / 2)


@dataclass(frozen=True)
class Pair:
    shared: int
    size_a: int
    size_b: int
    united: int
    strong: bool
    rare: bool = field(default=True, compare=False)  # whether they share a feature that few contents have

    @property
    def resemblance(self) -> float:
        return self.shared / self.united


def counted(a: Content, b: Content, sizes: tuple[int, int], limits: Limits) -> tuple[int, int]:
    """What they share, and of how much."""
    shared = sum(a.weight(feature) * count for feature, count in (a.features & b.features).items())
    match limits.estimator:
        case "slots":
            return shared, limits.limit
        case "smallest" if max(sizes) >= limits.limit:
            smallest = sorted({*a.features, *b.features})[: limits.limit]
            return sum(feature in a.features and feature in b.features for feature in smallest), limits.limit
    return shared, sum(sizes) - shared


def compare(a: Content, b: Content, limits: Limits, postings: Counter[int]) -> Pair | None:
    """`postings` says how often each feature occurs in the whole collection."""
    modulus = max(a.modulus, b.modulus)
    common = a.features & b.features
    if not common:
        return None
    sizes = a.size(modulus), b.size(modulus)
    shared, united = counted(a, b, sizes, limits)
    if limits.estimator == "collision":
        return Pair(shared, *sizes, united, True)
    complete = not limits.sampled or modulus == 1
    if limits.limit:
        complete = limits.estimator == "smallest" and modulus == 1 and max(sizes) < limits.limit

    def reaches(whole: int, threshold: float) -> bool:
        if complete:
            return shared / whole >= threshold
        return may_reach(shared, whole, threshold, limits.confidence)

    rare = min(postings[feature] for feature in common) <= limits.floor_reach

    def says_enough(content: Content, size: int) -> bool:
        """A stub's one or two features prove nothing where they are found everywhere."""
        whole = content.size() * content.modulus
        return complete or rare or size >= limits.short_sample or whole >= limits.short_part

    strong = shared > 0 and reaches(united, limits.resemblance)
    strong |= limits.contains and any(
        reaches(size, limits.containment) and says_enough(content, size)
        for content, size in zip((a, b), sizes, strict=True)
    )
    return Pair(shared, *sizes, united, strong, rare)


def all_pairs(contents: list[Content], limits: Limits) -> dict[tuple[int, int], Pair]:
    """The strong ones, and those that reach the floor and share something rare."""
    postings = Counter[int]()
    for content in contents:
        postings.update(content.features)
    found = {}
    for (i, a), (j, b) in combinations(enumerate(contents), 2):
        pair = compare(a, b, limits, postings)
        if pair is not None and (pair.strong or (pair.rare and pair.resemblance >= limits.floor)):
            found[i, j] = pair
    return found


def strongest(weak: dict[tuple[int, int], Pair], most: int) -> set[tuple[int, int]]:
    """Those among the `most` strongest of either content; of equal ones those with the smaller other row."""
    seats: dict[int, list[tuple[float, int, tuple[int, int]]]] = defaultdict(list)
    for (a, b), pair in weak.items():
        seats[a].append((-pair.resemblance, b, (a, b)))
        seats[b].append((-pair.resemblance, a, (a, b)))
    return {key for of_one in seats.values() for _, _, key in sorted(of_one)[:most]}
