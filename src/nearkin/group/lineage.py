"""The likely order of derivation: the tree of least total novelty (a minimum spanning arborescence, Chu-Liu/Edmonds).

Deriving v from u costs what is new in v, in distinct 20-byte windows of the extracted text, and half as much for what
of u was lost: without that, an old version would hang as well on any later one that still holds it. Of what was lost no
more counts than v has: a part hangs on what it was taken from, however long that is. Where both have a
date the later is never the source. Novelty alone does not tell the direction: new minus lost is the difference of the
sizes, so every root gives the same sum. Without dates the tree says who stands beside whom, and the root is a guess.

Writings: texts of the same words, one in capitals, one out of a page, one without its punctuation.

Between them nothing is new and nothing is lost, though they may have no window in common. So they are one in the tree:
as far from others as the two writings that are nearest are from each other. Each writing but the first hangs on the
nearest of those before it.

When a document was made: by what it says of itself, else by its file.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.certificate import Folded, distinct_prints

OWN = ("modified", "date", "created")  # properties, the most telling first
# Of a document d in SQL: the properties that tell. A page was created when it was first published, and its later
# versions say the same.
TELLING = "CASE WHEN d.media = 'text/html' THEN json_remove(d.properties, '$.created') ELSE d.properties END"


class Moment(NamedTuple):
    seconds: float  # since 1970; 0 where nobody knows
    source: str  # which property, `file`, or `unknown`

    @property
    def shown(self) -> str:
        """As people read it, in UTC."""
        if self.source == "unknown":
            return "no date"
        try:
            return datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, ValueError, OSError):
            return "no date"


UNKNOWN = Moment(0.0, "unknown")


def moment_of(properties: dict[str, str], mtime_ns: int) -> Moment:
    for key in OWN:
        try:
            told = datetime.fromisoformat(properties.get(key, ""))
            return Moment((told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp(), key)
        except (ValueError, OverflowError):
            continue
    return Moment(mtime_ns / 1e9, "file") if mtime_ns else UNKNOWN


NEW, LOST = 2, 1  # what a window costs
NEVER = float("inf")
MOST = 1 << 23  # windows of a family that are looked at; of larger ones a sample

Costs = NDArray[np.float64]


@dataclass(frozen=True)
class Windows:
    """Distinct windows of each text; new[u, v]: those of v that u does not have."""

    sizes: NDArray[np.int64]
    new: NDArray[np.int64]
    modulus: int = 1  # of so many windows one was counted

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> "Windows":
        modulus = max(1, -(-sum(map(len, texts)) // MOST))
        lists = [distinct_prints(Folded.of(text).text, modulus) for text in texts]
        sizes = np.array([len(one) for one in lists], np.int64)
        a, b = np.triu_indices(len(texts), 1)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        every = np.concatenate([np.zeros(0, np.uint64), *lists])
        found = _native.shared(offsets, every, a.astype(np.uint32), b.astype(np.uint32), threads=1)
        shared = np.zeros((len(texts), len(texts)), np.int64)
        shared[a, b] = shared[b, a] = found.astype(np.int64)
        return cls(sizes, sizes[None, :] - shared, modulus)

    def estimate(self, counted: int) -> tuple[int, int]:
        """How many windows there are where so many were counted, and how far from that it may be (95 %)."""
        there = counted * self.modulus
        return there, math.ceil(1.96 * math.sqrt(there * (self.modulus - 1)))

    def costs(self) -> Costs:
        lost = np.minimum(self.new.T, self.sizes[None, :])
        costs: Costs = (NEW * self.new + LOST * lost).astype(np.float64)
        np.fill_diagonal(costs, NEVER)
        return costs


def derive(windows: Windows, moments: Sequence[Moment] | None) -> list[int | None]:
    """The source of each text; None for the root. Without moments the smallest text is taken for the first."""
    count = len(windows.sizes)
    costs = windows.costs()
    if moments is not None:
        at = np.array([one.seconds if one.source != "unknown" else np.nan for one in moments])
        costs[at[:, None] > at[None, :]] = NEVER
        # Of equal costs the latest source counts: all these shares together are less than one window.
        rank = np.argsort(np.argsort(at, kind="stable"), kind="stable")
        costs += np.abs(rank[:, None] - rank[None, :]) / (1.0 + count * count)
    whole = NEW * windows.sizes.astype(np.float64)
    # One root only: whatever else may be saved by a second one, it is worth more than all edges together.
    dear = 1.0 + whole.sum() + costs[np.isfinite(costs)].sum()
    with_root = np.full((count + 1, count + 1), NEVER)
    with_root[1:, 1:] = costs
    with_root[0, 1:] = dear + whole + LOST * windows.sizes / (1.0 + windows.sizes.sum())
    parents = arborescence(with_root)
    return [None if parent == 0 else parent - 1 for parent in parents[1:]]


def arborescence(costs: Costs) -> list[int]:
    """The parent of each node in the cheapest tree from node 0; costs[u, v] is that of an edge, NEVER where there is
    none. Every node must be within reach. Of equal edges the one from the first node is taken."""
    count = len(costs)
    best = [0, *(int(np.argmin(costs[:, v])) for v in range(1, count))]
    cycle = _cycle(best)
    if not cycle:
        return best
    inside = np.zeros(count, np.bool_)
    inside[cycle] = True
    rest = np.flatnonzero(~inside)
    around = np.array(cycle)
    # The cycle becomes one node, the last. Entering it at v saves the edge that v has within it.
    entering = costs[np.ix_(rest, around)] - costs[[best[v] for v in cycle], around][None, :]
    leaving = costs[np.ix_(around, rest)]
    smaller = np.full((len(rest) + 1, len(rest) + 1), NEVER)
    smaller[:-1, :-1] = costs[np.ix_(rest, rest)]
    smaller[:-1, -1] = entering.min(axis=1)
    smaller[-1, :-1] = leaving.min(axis=0)
    parents = arborescence(smaller)
    found = list(best)
    for at, parent in enumerate(parents[:-1]):
        v = int(rest[at])
        found[v] = int(around[np.argmin(leaving[:, at])]) if parent == len(rest) else int(rest[parent])
    found[0] = 0
    entered = parents[-1]
    found[int(around[np.argmin(entering[entered])])] = int(rest[entered])
    return found


def _cycle(parents: Sequence[int]) -> list[int]:
    """Some cycle among these; node 0 is the root and ends every way."""
    state = [0] * len(parents)
    state[0] = 2
    for start in range(1, len(parents)):
        path = []
        node = start
        while state[node] == 0:
            state[node] = 1
            path.append(node)
            node = parents[node]
        if state[node] == 1:
            return path[path.index(node) :]
        for one in path:
            state[one] = 2
    return []


@dataclass(frozen=True)
class Disagreement:
    """By the texts `other` stands between `text` and its source by date."""

    text: int
    source: int
    other: int


def disagreements(windows: Windows, dated: Sequence[int | None], undated: Sequence[int | None]) -> list[Disagreement]:
    """Links by date that are over a third longer than every step of the way which the texts alone take between the two.

    Equal or nearly equal ways are no disagreement: three releases that each changed one line are equally far apart.
    """
    far = windows.new + windows.new.T
    found = []
    for text, source in enumerate(dated):
        if source is None:
            continue
        way = _way(undated, text, source)
        longest = max(int(far[a, b]) for a, b in pairwise(way))
        if 3 * far[text, source] > 4 * longest:
            found.append(Disagreement(text, source, way[1]))
    return found


def _way(parents: Sequence[int | None], start: int, end: int) -> list[int]:
    """Through the tree, from one node to another."""
    up: dict[int, int] = {}
    down: list[int] = []
    node: int | None = start
    while node is not None:
        up[node] = len(up)
        node = parents[node]
    meeting = end
    while meeting not in up:
        down.append(meeting)
        above = parents[meeting]
        assert above is not None  # there is one root
        meeting = above
    return [*list(up)[: up[meeting] + 1], *reversed(down)]


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
