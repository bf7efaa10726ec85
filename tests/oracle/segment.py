"""A segment by definition: every content, compared with the query feature by feature."""

from collections.abc import Iterator
from dataclasses import dataclass

from oracle.candidates import Content, Limits, may_reach


@dataclass(frozen=True)
class Hit:
    shared: int
    mine: int
    size: int
    modulus: int


def reaches(shared: int, whole: int, bar: float, limits: Limits, *, exact: bool) -> bool:
    if bar > 1 or not shared:
        return False
    return shared / whole >= bar if exact else may_reach(shared, whole, bar, limits.confidence)


def compare(query: Content, content: Content, limits: Limits) -> Hit | None:
    """A query of modulus 1 is complete: it is compared at the content's own modulus."""
    modulus = max(query.modulus, content.modulus)
    shared = sum(
        min(query.weight(f) * query.features[f], content.weight(f) * content.features[f])
        for f in query.features.keys() & content.features.keys()
    )
    mine, size = (max(one.size(modulus), shared) for one in (query, content))
    if not shared:
        return None
    exact = not limits.sampled or modulus == 1
    united = mine + size - shared
    if limits.limit:
        cut = limits.estimator == "slots" or max(mine, size) >= limits.limit
        exact = not cut and modulus == 1
        united = limits.limit if cut else united
    part = limits.contains and reaches(shared, min(mine, size), limits.containment, limits, exact=exact)
    if shared / united >= limits.floor or part or reaches(shared, united, limits.resemblance, limits, exact=exact):
        return Hit(shared, mine, size, modulus)
    return None


def search(query: Content, contents: dict[int, Content], limits: Limits) -> Iterator[tuple[int, Hit]]:
    for number, content in contents.items():
        if hit := compare(query, content, limits):
            yield number, hit
