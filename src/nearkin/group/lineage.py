"""Lineage: the likely order of derivation, as the tree of least total novelty (minimum spanning arborescence).

The algorithm is Chu-Liu/Edmonds. Deriving v from u costs what is new in v, in distinct 20-byte windows of the extracted
text, and half as much for what of u was lost: without that, an old version would fit as well below any later one that
still holds it. The loss counts no more than v's own size: a part derives from what it was taken from, however long that
is. Where both texts have a date, the later one is never the source. Novelty alone does not give the direction: new
minus lost is the difference of the sizes, so every root gives the same sum. Without dates the tree says which texts are
neighbours, and the root is a guess.

Writings are texts of the same words: one in capitals, one taken from a page, one without punctuation. Between them
nothing is new and nothing is lost, though they may have no window in common. So they are one node of the tree, and the
distance of two nodes is that of their two nearest writings. Each writing but the first derives from the nearest of
those before it.

The date of a document is what its properties say, else the date of its file.
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

OWN = ("modified", "date", "created")  # properties that hold a date, the most reliable first
# SQL for the properties of a document d that date it. A page was created when it was first published, and its later
# versions state the same date.
TELLING = "CASE WHEN d.media = 'text/html' THEN json_remove(d.properties, '$.created') ELSE d.properties END"


class Moment(NamedTuple):
    """When a document was made, and where the date comes from."""

    seconds: float  # since 1970; 0 where it is unknown
    source: str  # which property, `file`, or `unknown`

    @property
    def shown(self) -> str:
        """The date in UTC, as people read it."""
        if self.source == "unknown":
            return "no date"
        try:
            return datetime.fromtimestamp(self.seconds, UTC).strftime("%Y-%m-%d %H:%M")
        except (OverflowError, ValueError, OSError):
            return "no date"


UNKNOWN = Moment(0.0, "unknown")


def moment_of(properties: dict[str, str], mtime_ns: int) -> Moment:
    """Return the date of a document: by its properties, else by its file."""
    for key in OWN:
        try:
            date = datetime.fromisoformat(properties.get(key, ""))
            return Moment((date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp(), key)
        except (ValueError, OverflowError):
            continue
    return Moment(mtime_ns / 1e9, "file") if mtime_ns else UNKNOWN


NEW, LOST = 2, 1  # cost of a window
NEVER = float("inf")
MOST = 1 << 23  # windows of a family that are compared; larger families are sampled

Costs = NDArray[np.float64]


@dataclass(frozen=True)
class Windows:
    """The number of distinct windows of each text; new[u, v] is the number of v's windows that u does not have."""

    sizes: NDArray[np.int64]
    new: NDArray[np.int64]
    modulus: int = 1  # one of so many windows was counted

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> "Windows":
        modulus = max(1, -(-sum(map(len, texts)) // MOST))
        lists = [distinct_prints(Folded.of(text).text, modulus) for text in texts]
        sizes = np.array([len(prints) for prints in lists], np.int64)
        a, b = np.triu_indices(len(texts), 1)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        every = np.concatenate([np.zeros(0, np.uint64), *lists])
        common = _native.shared(offsets, every, a.astype(np.uint32), b.astype(np.uint32), threads=1)
        shared = np.zeros((len(texts), len(texts)), np.int64)
        shared[a, b] = shared[b, a] = common.astype(np.int64)
        return cls(sizes, sizes[None, :] - shared, modulus)

    def estimate(self, counted: int) -> tuple[int, int]:
        """Estimate the windows where so many were counted in the sample; return also the error (95 %)."""
        windows = counted * self.modulus
        return windows, math.ceil(1.96 * math.sqrt(windows * (self.modulus - 1)))

    def costs(self) -> Costs:
        """Return the cost of deriving v from u as costs[u, v]."""
        lost = np.minimum(self.new.T, self.sizes[None, :])
        costs: Costs = (NEW * self.new + LOST * lost).astype(np.float64)
        np.fill_diagonal(costs, NEVER)
        return costs


def derive(windows: Windows, moments: Sequence[Moment] | None) -> list[int | None]:
    """Return the source of each text; None for the root. Without moments the smallest text counts as the first."""
    count = len(windows.sizes)
    costs = windows.costs()
    if moments is not None:
        at = np.array([moment.seconds if moment.source != "unknown" else np.nan for moment in moments])
        costs[at[:, None] > at[None, :]] = NEVER
        # Of equal costs the latest source wins: all these shares together are less than one window.
        rank = np.argsort(np.argsort(at, kind="stable"), kind="stable")
        costs += np.abs(rank[:, None] - rank[None, :]) / (1.0 + count * count)
    whole = NEW * windows.sizes.astype(np.float64)
    # A root costs more than all edges together, so that there is only one.
    dear = 1.0 + whole.sum() + costs[np.isfinite(costs)].sum()
    with_root = np.full((count + 1, count + 1), NEVER)
    with_root[1:, 1:] = costs
    with_root[0, 1:] = dear + whole + LOST * windows.sizes / (1.0 + windows.sizes.sum())
    parents = arborescence(with_root)
    return [None if parent == 0 else parent - 1 for parent in parents[1:]]


def arborescence(costs: Costs) -> list[int]:
    """Return the parent of each node in the cheapest tree from node 0. costs[u, v] is the cost of an edge, NEVER where
    there is none. Every node must be reachable. Of equal edges the one from the first node wins."""
    count = len(costs)
    best = [0, *(int(np.argmin(costs[:, v])) for v in range(1, count))]
    cycle = _cycle(best)
    if not cycle:
        return best
    inside = np.zeros(count, np.bool_)
    inside[cycle] = True
    rest = np.flatnonzero(~inside)
    around = np.array(cycle)
    # The cycle becomes one node, the last one. Entering the cycle at v saves the edge into v within it.
    entering = costs[np.ix_(rest, around)] - costs[[best[v] for v in cycle], around][None, :]
    leaving = costs[np.ix_(around, rest)]
    smaller = np.full((len(rest) + 1, len(rest) + 1), NEVER)
    smaller[:-1, :-1] = costs[np.ix_(rest, rest)]
    smaller[:-1, -1] = entering.min(axis=1)
    smaller[-1, :-1] = leaving.min(axis=0)
    parents = arborescence(smaller)
    expanded = list(best)
    for at, parent in enumerate(parents[:-1]):
        v = int(rest[at])
        expanded[v] = int(around[np.argmin(leaving[:, at])]) if parent == len(rest) else int(rest[parent])
    expanded[0] = 0
    entered = parents[-1]
    expanded[int(around[np.argmin(entering[entered])])] = int(rest[entered])
    return expanded


def _cycle(parents: Sequence[int]) -> list[int]:
    """Return some cycle among these edges; node 0 is the root and ends every path."""
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
        for visited in path:
            state[visited] = 2
    return []


@dataclass(frozen=True)
class Disagreement:
    """Dates derive `text` from `source`, but by the texts alone `other` lies between the two."""

    text: int
    source: int
    other: int


def disagreements(windows: Windows, dated: Sequence[int | None], undated: Sequence[int | None]) -> list[Disagreement]:
    """Return the links by date that are over a third longer than every step of the path between the same two texts in
    the tree without dates.

    Equal or nearly equal paths are no disagreement: three releases that each changed one line are equally far apart.
    """
    far = windows.new + windows.new.T
    disagreeing = []
    for text, source in enumerate(dated):
        if source is None:
            continue
        path = _path(undated, text, source)
        longest = max(int(far[a, b]) for a, b in pairwise(path))
        if 3 * far[text, source] > 4 * longest:
            disagreeing.append(Disagreement(text, source, path[1]))
    return disagreeing


def _path(parents: Sequence[int | None], start: int, end: int) -> list[int]:
    """Return the path through the tree, from one node to another."""
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
    """Return the windows of wordings instead of texts; each wording is as large as its first writing."""
    new = windows.new
    far = new + new.T
    members = [np.array(texts, np.int64) for texts in writings]
    nearest = np.array([texts[far[texts].argmin(axis=0)] for texts in members])  # by wording and text: the writing
    least = np.take_along_axis(far, nearest, axis=0)
    across = np.array([texts[least[:, texts].argmin(axis=1)] for texts in members]).T  # by two wordings: of the second
    between = np.zeros((len(members), len(members)), np.int64)
    # Both directions use the same two writings, so that novelty and loss are of one pair.
    a, b = np.triu_indices(len(members), 1)
    second = across[a, b]
    first = nearest[a, second]
    between[a, b], between[b, a] = new[first, second], new[second, first]
    return Windows(windows.sizes[[texts[0] for texts in writings]], between, windows.modulus)


def source_of_each(
    sources: Sequence[int | None], writings: Writings, windows: Windows, moments: Sequence[Moment] | None
) -> list[int | None]:
    """Return the source of each text, from the sources of wordings: of the source's writings the nearest that is not
    later by date."""
    source_of: list[int | None] = [None] * len(windows.sizes)
    costs = windows.costs()
    for wording, source in zip(writings, sources, strict=True):
        for place, text in enumerate(wording):
            possible = wording[:place]
            if place == 0 and source is not None:
                possible = [writing for writing in writings[source] if not _later(writing, text, moments)]
            # Of equally near ones the next by date: texts are in the order of their dates.
            source_of[text] = min(possible, key=lambda near: (costs[near, text], abs(near - text)), default=None)
    return source_of


def _later(a: int, b: int, moments: Sequence[Moment] | None) -> bool:
    if moments is None or "unknown" in (moments[a].source, moments[b].source):
        return False
    return moments[a].seconds > moments[b].seconds
