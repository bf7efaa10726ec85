"""Families, whatever view they are of: members, parts attached to them, and what holds them together.

Resemblance joins. Containment only attaches: a content that resembles no other, of at least so many shingles, becomes
a part of the family of the content that contains it best. Attaching never joins two parts or two containers: on a
real repository chaining containment grew the largest family from 638 to 1,866 documents.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Floats, Links, Rows
from nearkin.model import Kind


@dataclass
class ContentFamily:
    """A family as rows of contents. `copies` counts documents, so that one content with copies is a family too."""

    members: list[int]
    parts: list[int] = field(default_factory=list)
    pivot: int = 0
    links: int = 0
    weakest: tuple[int, int, float] | None = None
    weakest_exact: bool = True  # False: its resemblance is an estimate
    mean_resemblance: float | None = None
    mean_exact: bool = True  # False: some of the resemblances that it is of are estimates
    to_pivot: dict[int, float | None] = field(default_factory=dict)
    estimated: set[int] = field(default_factory=set)  # rows whose to_pivot was not measured on texts
    kind: Kind = Kind.MIXED
    unlisted: int = 0  # pairs of members that nobody compared: stars have linked them
    evaluated: bool = True  # False: not all of its pairs are known, so the view could not be made of it


# By members, three and more alike, and parts, two and more alike.
KINDS = (
    (Kind.IDENTICAL, Kind.CONTAINS, Kind.ARCHIVE),
    (Kind.PAIR, Kind.MIXED, Kind.MIXED),
    (Kind.VERSIONS, Kind.MIXED, Kind.MIXED),
)


def kind_of(family: ContentFamily) -> Kind:
    return KINDS[min(len(family.members), 3) - 1][min(len(family.parts), 2)]


@dataclass(frozen=True)
class Tally:
    """Of the links that count in a view, by the label of their family."""

    links: NDArray[np.uint64]
    total: Floats  # of their resemblances
    weakest: Rows  # which link; NO_LINK where there is none

    @classmethod
    def of(cls, label: Rows, links: Links, *, chains: bool = False) -> "Tally":
        """Chains are as weak as the weakest link that holds them together, others as the weakest of all."""
        return cls(*_native.tally(label, links.a, links.b, links.resemblance, chains=chains))


@dataclass(frozen=True)
class Partition:
    """All contents in a view. A family's label is one of its members."""

    label: Rows  # of each row, the family it is a member of; a part is alone in one
    home: Rows  # of each row, the one in whose family it is a part, or itself
    pivots: Rows  # by label
    counted: Links  # the links that hold families together in this view …
    tally: Tally  # … and what they come to
    near: Links  # that tell how far rows are from their pivots
    doubtful: NDArray[np.bool_] | None = None  # rows whose family could not be evaluated; None: all could
    forms: NDArray[np.bool_] | None = None  # by label: whether it is a form filled in; None: nobody asked

    @property
    def owner(self) -> Rows:
        """The family of each row, as a member or a part."""
        return self.label[self.home]

    @property
    def measured(self) -> NDArray[np.bool_]:
        """By label: whether every link that counts there was measured on the texts."""
        guessed = self.counted[~self.counted.exact]
        found = np.ones(len(self.label), np.bool_)
        found[self.label[guessed.a[self.label[guessed.a] == self.label[guessed.b]]]] = False
        return found

    def labels(self, copies: NDArray[np.int64]) -> Rows:
        """Of families of two documents and more, ascending."""
        return np.flatnonzero(np.bincount(self.owner, copies, len(copies)) > 1).astype(np.uint32)

    def to_pivot(self) -> tuple[Floats, NDArray[np.bool_]]:
        """What links say of each row and its pivot, and whether that was measured; NaN: nothing."""
        pivot, links = self.pivots[self.owner], self.near
        found = np.full(len(pivot), np.nan)
        exact = np.zeros(len(pivot), np.bool_)
        for row, other in ((links.a, links.b), (links.b, links.a)):
            near = pivot[row] == other
            found[row[near]] = links.resemblance[near]
            exact[row[near]] = links.exact[near]
        itself = pivot == np.arange(len(pivot))
        return np.where(itself, 1.0, found), exact | itself


def first_of(label: Rows, *keys: NDArray[np.int64]) -> Rows:
    """For each label the row with the smallest keys, the first of equal ones; for what is no label, itself."""
    columns: list[NDArray[Any]] = [*keys[::-1], label]  # the last one counts most
    order = np.lexsort(columns)
    labels = label[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = labels[1:] != labels[:-1]
    found = np.arange(len(label), dtype=np.uint32)
    found[labels[first]] = order[first]
    return found
