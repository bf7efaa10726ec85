"""The pivot and the clique view by their definitions, slowly."""

from itertools import combinations

Link = tuple[int, int, float]


def principals(lengths: list[int], links: list[Link]) -> list[int]:
    """Of each content its principal: longest first, each to the most alike of the principals so far, or a new one."""
    strength = {frozenset((a, b)): value for a, b, value in links}
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    found: dict[int, int] = {}
    for row in order:
        near = [other for other in found if found[other] == other and frozenset((row, other)) in strength]
        found[row] = max(near, key=lambda other: strength[frozenset((row, other))], default=row)  # the first of equals
    return [found[row] for row in range(len(lengths))]


def cliques(nodes: int, links: list[Link]) -> set[frozenset[int]]:
    """Agglomeration by complete link. Links are ranked strongest first, equal ones by their nodes; two clusters are as
    far apart as the last in rank of the links between their members, and those nearest to each other merge."""
    ranked = sorted(links, key=lambda link: (-link[2], min(link[:2]), max(link[:2])))
    rank = {frozenset(link[:2]): at for at, link in enumerate(ranked)}
    clusters = {frozenset({node}) for node in range(nodes)}

    def distance(x: frozenset[int], y: frozenset[int]) -> int | None:
        between = [rank.get(frozenset((a, b))) for a in x for b in y]
        known = [at for at in between if at is not None]
        return max(known) if len(known) == len(between) else None

    while True:
        near = [(far, x, y) for x, y in combinations(clusters, 2) for far in (distance(x, y),) if far is not None]
        if not near:
            return clusters
        _, x, y = min(near, key=lambda one: one[0])
        clusters = (clusters - {x, y}) | {x | y}
