"""Broder 1997 §4.4 word for word: every signature against every representative, in turn."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby

Element = tuple[int, int]  # a feature and which of its occurrences


@dataclass(frozen=True)
class Sketch:
    elements: frozenset[Element]
    weights: dict[int, int]  # of features; 1 where none is given
    modulus: int

    @classmethod
    def of(cls, features: list[int], *, modulus: int = 1, weights: dict[int, int] | None = None) -> "Sketch":
        elements = [(f, n) for f, same in groupby(sorted(features)) for n, _ in enumerate(same)]
        return cls(frozenset(elements), weights or {}, modulus)

    def at(self, modulus: int) -> frozenset[Element]:
        return frozenset(e for e in self.elements if e[0] % modulus == 0)


def resemblance(a: Sketch, b: Sketch, agreement: str, most: int) -> float:
    modulus = max(a.modulus, b.modulus)
    mine, theirs = a.at(modulus), b.at(modulus)
    if agreement == "slots":
        n = max(len(a.elements), len(b.elements))
        return len(mine & theirs) / n if n else 0.0
    union = sorted(mine | theirs)
    if agreement == "smallest":
        if max(len(a.elements), len(b.elements)) >= most:
            union = union[:most]
        return len(mine & theirs & set(union)) / len(union) if union else 0.0

    def weight(elements: frozenset[Element]) -> int:
        return sum({**b.weights, **a.weights}.get(feature, 1) for feature, _ in elements)

    return weight(mine & theirs) / weight(mine | theirs) if union else 0.0


def popular(members: list[Sketch]) -> Sketch:
    """As many features as the first member has, those that most members have, at the largest of their moduli."""
    modulus = max(member.modulus for member in members)
    often = Counter(e for member in members for e in member.at(modulus))
    chosen = sorted(often, key=lambda e: (-often[e], e))[: len(members[0].at(modulus))]
    weights = {feature: weight for member in members for feature, weight in member.weights.items()}
    return Sketch(frozenset(chosen), weights, modulus)


def representative(members: list[Sketch], by_popularity: bool) -> Sketch:
    return popular(members) if by_popularity else members[0]


def clusters(
    sketches: list[Sketch], order: list[int], *, threshold: float, agreement: str, most: int, by_popularity: bool
) -> list[list[int]]:
    found: list[list[int]] = []
    representatives: list[Sketch] = []
    for row in order:
        values = [resemblance(sketches[row], one, agreement, most) for one in representatives]
        best = max(values, default=0.0)
        if best >= threshold:
            at = values.index(best)
            found[at].append(row)
            representatives[at] = representative([sketches[one] for one in found[at]], by_popularity)
        else:
            found.append([row])
            representatives.append(sketches[row])
    return found
