"""Which family is which: ids that stay while documents come and go.

A family is named by the digest of its founding content and keeps that name while its largest part lives, whoever else
joins or leaves. Of families that merge the one that brings most documents gives its name to all; of one that splits the
largest part keeps it. Documents are followed through changes and moves, so a family survives its members' edits.

Names for families that are not stored: a family has one name, whatever view or threshold it is seen at.

The same rule as from run to run (identity.py): a stored family's name goes to its largest part, and of several stored
families that come together there the one that brings most documents gives it. What has no such name is named by its
pivot. Counted in columns: at a million contents a loop over documents would take longer than the view itself.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.families import ContentFamily
from nearkin.store.contents import Contents
from nearkin.store.families import stored_members


class What(StrEnum):
    FOUNDED = "founded"
    MERGED = "merged"
    SPLIT = "split"
    ENDED = "ended"


@dataclass(frozen=True)
class Known:
    """A family as it was: its name, since which run it has it, and its documents, by the ids they have now."""

    founder: bytes
    since: int
    documents: frozenset[int]


@dataclass(frozen=True)
class Found:
    """A family as it is now: its documents, and the digests of its contents, the pivot's first."""

    documents: frozenset[int]
    digests: Sequence[bytes]


class Event(NamedTuple):
    what: What
    family: bytes
    other: bytes | None  # merged: the family it went into; split: the one it came from
    documents: int


class Name(NamedTuple):
    founder: bytes
    since: int | None  # None: it was founded now


def name_families(before: Sequence[Known], now: Sequence[Found]) -> tuple[list[Name], list[Event]]:
    """A name for each family there is now, and what became of those there were. A family that had ended may come back
    under its name: around the content that founded it."""
    family_of: dict[int, int] = {}
    if before:
        family_of = {document: number for number, family in enumerate(now) for document in family.documents}
    shares = [Counter(family_of[d] for d in known.documents if d in family_of) for known in before]
    claims: dict[int, list[int]] = defaultdict(list)
    events: list[Event] = []
    for old, share in enumerate(shares):
        if share:
            home = min(share, key=lambda new: (-share[new], -len(now[new].documents), min(now[new].digests)))
            claims[home].append(old)
        else:
            events.append(Event(What.ENDED, before[old].founder, None, 0))
    names: dict[int, Name] = {}
    for new, claimants in claims.items():
        heir, *others = sorted(claimants, key=lambda old: (-shares[old][new], before[old].since, before[old].founder))
        names[new] = Name(before[heir].founder, before[heir].since)
        size = len(now[new].documents)
        events += [Event(What.MERGED, before[old].founder, names[new].founder, size) for old in others]
    taken = {known.founder for known in before}  # also of those that merge or end now
    origins: dict[int, Counter[bytes]] = defaultdict(Counter)
    for known, share in zip(before, shares, strict=True):
        for new, count in share.items():
            origins[new][known.founder] += count
    for new in sorted(set(range(len(now))) - names.keys(), key=lambda number: now[number].digests[0]):
        founder = founder_of(now[new].digests, taken, len(taken))
        taken.add(founder)
        names[new] = Name(founder, None)
        size = len(now[new].documents)
        if origin := origins.get(new):
            parent = min(origin, key=lambda one: (-origin[one], one))
            events.append(Event(What.SPLIT, founder, parent, size))
        else:
            events.append(Event(What.FOUNDED, founder, None, size))
    events.sort(key=lambda event: (event.what, event.family))
    return [names[number] for number in range(len(now))], events


def founder_of(digests: Sequence[bytes], taken: Set[bytes], number: int) -> bytes:
    """The pivot, or the next content whose digest is no other family's name, nor was until now. `number`: how many
    names were given before."""
    free = next((digest for digest in digests if digest not in taken), None)
    return free or _native.sha256(b"".join(digests) + number.to_bytes(8, "big"))


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
        rows = contents.rows(members[:, 0])
        of[rows[rows >= 0]] = members[rows >= 0, 1]
        return cls(of, founders)


@dataclass(frozen=True)
class Seen:
    """All families of a view: whose each row is (-1: of none), and the pivot of each."""

    of: Numbers
    pivots: Numbers

    @classmethod
    def among(cls, families: Sequence[ContentFamily], contents: int) -> "Seen":
        of = np.full(contents, -1, np.int64)
        every = chain.from_iterable((*family.members, *family.parts) for family in families)
        sizes = [len(family.members) + len(family.parts) for family in families]
        of[np.fromiter(every, np.int64, sum(sizes))] = np.repeat(np.arange(len(families)), sizes)
        return cls(of, np.array([family.pivot for family in families], np.int64))


def names_in_view(
    families: Sequence[ContentFamily], seen: Seen, copies: Numbers, stored: Stored, digests: Sequence[bytes]
) -> list[bytes]:
    """A name for each of these families, which are some of those seen. Rows are in order of digests."""
    heirs = dict(_heirs(seen.of, stored.of, copies, len(seen.pivots)))
    nameless = np.sort(np.delete(seen.pivots, list(heirs)))
    taken = frozenset(stored.founders)  # by no two others: each is named by a content of its own
    names = []
    for family in families:
        old = heirs.get(int(seen.of[family.pivot]))
        if old is None:
            name = digests[family.pivot]
            if name in taken:
                rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
                before = len(taken) + int(np.searchsorted(nameless, family.pivot))
                name = founder_of([digests[row] for row in rows], taken, before)
            names.append(name)
        else:
            names.append(stored.founders[old])
    return names


def _heirs(new: Numbers, old: Numbers, copies: Numbers, families: int) -> list[tuple[int, int]]:
    """(new, old) where the new one is called as the old one was."""
    inside = new >= 0
    size = np.bincount(new[inside], copies[inside], families)
    first = np.full(families, len(new), np.int64)
    np.minimum.at(first, new[inside], np.flatnonzero(inside))
    both = inside & (old >= 0)
    keys, where = np.unique(old[both] * families + new[both], return_inverse=True)
    pairs = np.divmod(keys, max(families, 1))
    share = np.bincount(where, copies[both], len(keys))
    # Where most of the old one is, in the larger, the first …
    home = _first_of_each(pairs[0], np.lexsort((first[pairs[1]], -size[pairs[1]], -share, pairs[0])))
    # … and of those who claim a new one, who brings most, is the older.
    claims = home[_first_of_each(pairs[1][home], np.lexsort((pairs[0][home], -share[home], pairs[1][home])))]
    return list(zip(pairs[1][claims].tolist(), pairs[0][claims].tolist(), strict=True))


def _first_of_each(group: Numbers, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of places so ordered that each group lies together, the first of each."""
    begins = np.ones(len(order), np.bool_)
    begins[1:] = group[order[1:]] != group[order[:-1]]
    return order[begins]
