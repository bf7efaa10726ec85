"""Folder trees that hold the same documents (Forman 2005 §3.2, the two subdirectories of Figure 6).

A tree is a folder with all below it. For two trees, neither inside the other, we count the documents of B that have the
same bytes as one in A, and those that have only a family in common with one in A. Pairs of trees are found through the
documents they share. A family or content in over MOST_FOLDERS folders says little about any two of them: it is counted,
but leads to no pair. So the work grows with the shared documents, times the square of their folders' depth, and never
with the pairs of folders.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

MOST_FOLDERS = 32  # folders


@dataclass(frozen=True, slots=True)
class FolderEntry:
    """A document: its folder, and numbers for its bytes and its family. A document alone has a family of its own."""

    folder: int
    exact: int
    family: int


@dataclass(frozen=True, slots=True)
class Side:
    """One tree of a pair, and how much of it is in the other tree."""

    folder: int
    documents: int
    same: int  # documents with the same bytes in the other tree
    near: int  # documents that only have one of their family there

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
    """Two trees. A larger share of B is in A than of A in B."""

    a: Side
    b: Side


class Trees:
    """Folders and their documents. parents[i] is the parent of folder i, or i for a scope's root; parents come
    first."""

    def __init__(self, parents: Sequence[int], documents: Sequence[FolderEntry]) -> None:
        self._parents = parents
        self._documents = documents

    @cached_property
    def _below(self) -> dict[int, list[FolderEntry]]:
        below: dict[int, list[FolderEntry]] = defaultdict(list)
        for document in self._documents:
            for folder in self._around(document.folder):
                below[folder].append(document)
        return below

    def _around(self, folder: int) -> Iterator[int]:
        """Yield a folder and all folders around it, the innermost first."""
        while True:
            yield folder
            if self._parents[folder] == folder:
                return
            folder = self._parents[folder]

    def _disjoint(self, a: int, b: int) -> bool:
        return a not in self._around(b) and b not in self._around(a)

    def overlaps(self, *, least: int, share: float) -> list[Overlap]:
        """Return the pairs of trees where at least `share` of one, and at least so many documents, are in the other,
        the largest first. Where the parent of B lies in A's surroundings just as well, that pair stands for both."""
        homes = {b: self._home(b, shared) for b, shared in self._shared_with().items() if len(self._below[b]) >= least}
        good = {b: (a, side) for b, (a, side) in homes.items() if side.share >= share}
        pairs: dict[tuple[int, int], Overlap] = {}
        for b, (a, side) in sorted(good.items()):
            above = good.get(self._parents[b])
            if self._parents[b] != b and above is not None and above[0] in self._around(a):
                continue
            opposite = self._side(a, b)
            first = (side.share, -b) >= (opposite.share, -a)
            both = Overlap(opposite, side) if first else Overlap(side, opposite)
            pairs.setdefault((min(a, b), max(a, b)), both)
        return sorted(
            pairs.values(),
            key=lambda pair: (-(pair.b.same + pair.b.near), -pair.b.share, pair.a.folder, pair.b.folder),
        )

    def _shared_with(self) -> dict[int, "Counter[int]"]:
        """Count for each tree the documents that it shares with each other tree."""
        shared: dict[int, Counter[int]] = defaultdict(Counter)
        for holders in self._shared():
            trees = set(chain.from_iterable(map(self._around, {document.folder for document in holders})))
            for document in holders:
                for b in list(self._around(document.folder)):
                    shared[b].update(a for a in trees if self._disjoint(a, b))
        return {b: counts for b, counts in shared.items() if counts}

    def _shared(self) -> Iterator[list[FolderEntry]]:
        """Yield the documents of each family in two folders or more; in too many folders, those of the same bytes."""
        families: dict[int, list[FolderEntry]] = defaultdict(list)
        for document in self._documents:
            families[document.family].append(document)
        for members in families.values():
            count = len({document.folder for document in members})
            if 1 < count <= MOST_FOLDERS:
                yield members
            elif count > MOST_FOLDERS:
                copies: dict[int, list[FolderEntry]] = defaultdict(list)
                for document in members:
                    copies[document.exact].append(document)
                yield from (same for same in copies.values() if 1 < len({copy.folder for copy in same}) <= MOST_FOLDERS)

    def _home(self, b: int, shared: "Counter[int]") -> tuple[int, Side]:
        """Return the smallest tree that holds most of B; of nested folders with the same documents, the outermost."""
        most = max(shared.values())
        a = min((a for a, count in shared.items() if count == most), key=lambda a: (len(self._below[a]), a))
        return a, self._side(b, a)

    def _side(self, b: int, a: int) -> Side:
        exact = {document.exact for document in self._below[a]}
        families = {document.family for document in self._below[a]}
        same = sum(document.exact in exact for document in self._below[b])
        near = sum(document.exact not in exact and document.family in families for document in self._below[b])
        return Side(b, len(self._below[b]), same, near)
