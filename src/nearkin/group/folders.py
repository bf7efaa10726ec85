"""Folder trees that hold the same documents (Forman 2005 §3.2, the two subdirectories of Figure 6).

A tree is a folder with all below it. Of two trees that do not lie in one another: how many documents of B have one of
the same bytes in A, and how many others one of the same family. Trees are met through what they share: a family or
content in over HOT folders tells little of any two, and is counted but not looked up. So the work grows with the
documents that are shared, times the square of their folders' depth, never with the pairs of folders.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

HOT = 32  # folders


@dataclass(frozen=True, slots=True)
class Filed:
    """A document: its folder, and numbers for its bytes and its family. What is alone has a family of its own."""

    folder: int
    exact: int
    family: int


@dataclass(frozen=True, slots=True)
class Side:
    folder: int
    documents: int
    same: int  # of them have the same bytes in the other tree
    near: int  # of the others one of their family

    @property
    def present(self) -> int:
        return self.same + self.near

    @property
    def only(self) -> int:
        return self.documents - self.present

    @property
    def share(self) -> float:
        return self.present / self.documents


@dataclass(frozen=True, slots=True)
class Overlap:
    """Of B more lives in A than of A in B."""

    a: Side
    b: Side


class Trees:
    """parents[i] is the folder around folder i, itself for a scope's root; a folder comes after its parent."""

    def __init__(self, parents: Sequence[int], documents: Sequence[Filed]) -> None:
        self._parents = parents
        self._documents = documents

    @cached_property
    def _below(self) -> dict[int, list[Filed]]:
        found: dict[int, list[Filed]] = defaultdict(list)
        for one in self._documents:
            for folder in self._around(one.folder):
                found[folder].append(one)
        return found

    def _around(self, folder: int) -> Iterator[int]:
        while True:
            yield folder
            if self._parents[folder] == folder:
                return
            folder = self._parents[folder]

    def _disjoint(self, a: int, b: int) -> bool:
        return a not in self._around(b) and b not in self._around(a)

    def overlaps(self, *, least: int, share: float) -> list[Overlap]:
        """Pairs of which `share` of one lives in the other, with at least so many documents, the largest first. Where
        the folder around B lives in the tree around A just as well, that pair stands for both."""
        homes = {b: self._home(b, found) for b, found in self._met().items() if len(self._below[b]) >= least}
        good = {b: (a, side) for b, (a, side) in homes.items() if side.share >= share}
        pairs: dict[tuple[int, int], Overlap] = {}
        for b, (a, side) in sorted(good.items()):
            above = good.get(self._parents[b])
            if self._parents[b] != b and above is not None and above[0] in self._around(a):
                continue
            other = self._side(a, b)
            both = Overlap(other, side) if (side.share, -b) >= (other.share, -a) else Overlap(side, other)
            pairs.setdefault((min(a, b), max(a, b)), both)
        return sorted(
            pairs.values(),
            key=lambda one: (-(one.b.same + one.b.near), -one.b.share, one.a.folder, one.b.folder),
        )

    def _met(self) -> dict[int, "Counter[int]"]:
        """For each tree the others that it shares documents with, and how many of its documents these are."""
        found: dict[int, Counter[int]] = defaultdict(Counter)
        for holders in self._shared():
            trees = set(chain.from_iterable(map(self._around, {one.folder for one in holders})))
            for one in holders:
                own = list(self._around(one.folder))
                for b in own:
                    found[b].update(a for a in trees if self._disjoint(a, b))
        return {b: met for b, met in found.items() if met}

    def _shared(self) -> Iterator[list[Filed]]:
        """Documents of one family in two folders or more; where these are too many, those of the same bytes."""
        families: dict[int, list[Filed]] = defaultdict(list)
        for one in self._documents:
            families[one.family].append(one)
        for members in families.values():
            count = len({one.folder for one in members})
            if 1 < count <= HOT:
                yield members
            elif count > HOT:
                copies: dict[int, list[Filed]] = defaultdict(list)
                for one in members:
                    copies[one.exact].append(one)
                yield from (some for some in copies.values() if 1 < len({one.folder for one in some}) <= HOT)

    def _home(self, b: int, met: "Counter[int]") -> tuple[int, Side]:
        """The smallest tree that holds most of B; of folders with nothing beside the next, the outermost."""
        most = max(met.values())
        a = min((a for a, count in met.items() if count == most), key=lambda a: (len(self._below[a]), a))
        return a, self._side(b, a)

    def _side(self, b: int, a: int) -> Side:
        exact = {one.exact for one in self._below[a]}
        families = {one.family for one in self._below[a]}
        same = sum(one.exact in exact for one in self._below[b])
        near = sum(one.exact not in exact and one.family in families for one in self._below[b])
        return Side(b, len(self._below[b]), same, near)
