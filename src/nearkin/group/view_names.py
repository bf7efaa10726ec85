"""Names for families that are not stored: a family has one name, whatever view or threshold it is seen at.

The same rule as from run to run (identity.py): a stored family's name goes to its largest part, and of several stored
families that come together there the one that brings most documents gives it. What has no such name is named by its
pivot. Counted in columns: at a million contents a loop over documents would take longer than the view itself.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from nearkin.group.family import ContentFamily
from nearkin.group.identity import Found, founder_of
from nearkin.store.contents import Contents
from nearkin.store.family_history import stored_members

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Stored:
    """The families of the last run: whose each row is (-1: of none), and in order of age and founder."""

    of: Numbers
    founders: Sequence[bytes]

    @classmethod
    def load(cls, connection: sqlite3.Connection, scheme: int, contents: Contents) -> "Stored":
        founders, members = stored_members(connection, scheme)
        of = np.full(len(contents), -1, np.int64)
        known = np.isin(members[:, 0], contents.ids)
        order = np.argsort(contents.ids, kind="stable")
        rows = order[np.searchsorted(contents.ids, members[known, 0], sorter=order)]
        of[rows] = members[known, 1]
        return cls(of, founders)


def names_in_view(
    families: Sequence[ContentFamily], copies: Numbers, stored: Stored, digests: Sequence[bytes]
) -> list[bytes]:
    """A name for each. Rows are in order of digests."""
    of = np.full(len(copies), -1, np.int64)
    every = chain.from_iterable((*family.members, *family.parts) for family in families)
    sizes = [len(family.members) + len(family.parts) for family in families]
    of[np.fromiter(every, np.int64, sum(sizes))] = np.repeat(np.arange(len(families)), sizes)
    names: list[bytes | None] = [None] * len(families)
    for number, old in _heirs(of, stored.of, copies, len(families)):
        names[number] = stored.founders[old]
    taken = set(stored.founders)
    for number in sorted(range(len(families)), key=lambda number: families[number].pivot):
        if names[number] is None:
            family = families[number]
            name = digests[family.pivot]
            if name in taken:
                rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
                name = founder_of(Found(frozenset(), [digests[row] for row in rows]), taken)
            taken.add(name)
            names[number] = name
    return [name for name in names if name is not None]


def _heirs(new: Numbers, old: Numbers, copies: Numbers, families: int) -> list[tuple[int, int]]:
    """(new, old) where the new one is called as the old one was."""
    inside = new >= 0
    size = np.bincount(new[inside], copies[inside], families)
    first = np.full(families, len(new), np.int64)
    np.minimum.at(first, new[inside], np.flatnonzero(inside))
    both = inside & (old >= 0)
    pairs, where = np.unique(np.stack([old[both], new[both]]), axis=1, return_inverse=True)
    share = np.bincount(where.ravel(), copies[both], pairs.shape[1])
    # Where most of the old one is, in the larger, the first …
    home = _first_of_each(pairs[0], np.lexsort((first[pairs[1]], -size[pairs[1]], -share, pairs[0])))
    # … and of those who claim a new one, who brings most, is the older.
    claims = home[_first_of_each(pairs[1][home], np.lexsort((pairs[0][home], -share[home], pairs[1][home])))]
    return [(int(pairs[1][at]), int(pairs[0][at])) for at in claims.tolist()]


def _first_of_each(group: Numbers, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of places so ordered that each group lies together, the first of each."""
    begins = np.ones(len(order), np.bool_)
    begins[1:] = group[order[1:]] != group[order[:-1]]
    return order[begins]
