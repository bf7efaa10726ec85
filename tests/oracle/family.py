"""The chain view by its rules, slowly: sets that are merged, parts that climb, a spanning tree by sorting."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Match:
    a: int
    b: int
    resemblance: float
    a_in_b: float
    b_in_a: float
    size_a: int
    size_b: int


@dataclass(frozen=True)
class Family:
    members: frozenset[int]
    parts: frozenset[int]
    pivot: int
    links: int
    weakest: float | None
    mean: float | None
    kind: str


def components(nodes: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """The smallest node that each hangs together with: carried along the links until nothing changes."""
    name = list(range(nodes))
    every = list(links)
    changed = True
    while changed:
        changed = False
        for a, b in every:
            low = min(name[a], name[b])
            changed |= name[a] != low or name[b] != low
            name[a] = name[b] = low
    return name


def bottleneck(members: frozenset[int], links: list[Match]) -> float | None:
    """The largest resemblance at which the members still hang together: a maximum spanning tree's weakest."""
    for level in sorted({link.resemblance for link in links}, reverse=True):
        strong = [(link.a, link.b) for link in links if link.resemblance >= level]
        if len({components(max(members) + 1, strong)[row] for row in members}) == 1:
            return level
    return None


def kind(members: int, parts: int) -> str:
    if not parts:
        return {1: "identical", 2: "pair"}.get(members, "versions")
    if members > 1:
        return "mixed"
    return "contains" if parts == 1 else "archive"


def homes(matches: list[Match], core: list[int], *, containment: float, part_shingles: int) -> dict[int, int]:
    """The container of each part: it holds the part best, is the smallest of such, comes first of those."""
    found: dict[int, int] = {}
    for part in range(len(core)):
        if core.count(core[part]) > 1:
            continue  # what resembles another is a member, not a part
        offers = []
        for m in matches:
            for p, whole, share, size, whole_size in (
                (m.a, m.b, m.a_in_b, m.size_a, m.size_b),
                (m.b, m.a, m.b_in_a, m.size_b, m.size_a),
            ):
                larger = (whole_size, whole) > (size, part)
                if p == part and share >= containment and size >= part_shingles and larger:
                    offers.append((-share, whole_size, whole))
        if offers:
            found[part] = min(offers)[2]
    return found


def families(
    matches: list[Match],
    lengths: list[int],
    copies: list[int],
    *,
    threshold: float,
    containment: float,
    part_shingles: int,
) -> set[Family]:
    joins = [m for m in matches if m.resemblance >= threshold]
    core = components(len(lengths), ((m.a, m.b) for m in joins))
    home = homes(matches, core, containment=containment, part_shingles=part_shingles)
    root = {}
    for part in home:
        container = home[part]
        while container in home:
            container = home[container]
        root[part] = container
    found = set()
    for label in sorted(set(core)):
        members = frozenset(row for row in range(len(lengths)) if core[row] == label)
        parts = frozenset(part for part, container in root.items() if container in members)
        if members & home.keys() or (len(members) == 1 and not parts and copies[label] < 2):
            continue
        links = [m for m in joins if m.a in members]
        degree = {row: sum(row in (m.a, m.b) for m in links) for row in members}
        found.add(
            Family(
                members,
                parts,
                pivot=min(members, key=lambda row: (-degree[row], -lengths[row], row)),
                links=len(links) + len(parts),
                weakest=bottleneck(members, links),
                mean=sum(m.resemblance for m in links) / len(links) if links else None,
                kind=kind(len(members), len(parts)),
            )
        )
    return found
