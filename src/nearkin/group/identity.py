"""The identity of families: names that stay while documents come and go, and in every view.

A family is named by the digest of its founding content. It keeps the name as long as its largest part exists, whatever
else joins or leaves. Where families merge, the one that brings most documents names the result; where a family splits,
its largest part keeps the name. Documents are followed through changes and moves, so a family survives the edits of its
members.

Families of a view or threshold that is not stored are named by the same rule: a stored family's name goes to its
largest part, and where several stored families come together, the one that brings most documents gives the name. A
family without such a name is named by its pivot. This is counted in columns: at a million contents a loop over
documents would take longer than the view itself.
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
class FormerFamily:
    """A family of the last run: its name, the run that founded it, and its documents by their present ids."""

    founder: bytes
    since: int
    documents: frozenset[int]


@dataclass(frozen=True)
class CurrentFamily:
    """A family of this run: its documents, and the digests of its contents, the pivot's first."""

    documents: frozenset[int]
    digests: Sequence[bytes]


class FamilyEvent(NamedTuple):
    """What happened to a family in a run."""

    what: What
    family: bytes
    other: bytes | None  # merged: the family it merged into; split: the family it split from
    documents: int


class Name(NamedTuple):
    founder: bytes
    since: int | None  # None: founded in this run


def name_families(before: Sequence[FormerFamily], now: Sequence[CurrentFamily]) -> tuple[list[Name], list[FamilyEvent]]:
    """Name each family of this run, and return the events that lead from the last run to this one. A family that had
    ended may come back under its old name: around the content that founded it."""
    family_of: dict[int, int] = {}
    if before:
        family_of = {document: number for number, family in enumerate(now) for document in family.documents}
    shares = [Counter(family_of[d] for d in former.documents if d in family_of) for former in before]
    claims: dict[int, list[int]] = defaultdict(list)
    events: list[FamilyEvent] = []
    for old, share in enumerate(shares):
        if share:
            home = min(share, key=lambda new: (-share[new], -len(now[new].documents), min(now[new].digests)))
            claims[home].append(old)
        else:
            events.append(FamilyEvent(What.ENDED, before[old].founder, None, 0))
    names: dict[int, Name] = {}
    for new, claimants in claims.items():
        heir, *merged = sorted(claimants, key=lambda old: (-shares[old][new], before[old].since, before[old].founder))
        names[new] = Name(before[heir].founder, before[heir].since)
        size = len(now[new].documents)
        events += [FamilyEvent(What.MERGED, before[old].founder, names[new].founder, size) for old in merged]
    taken = {former.founder for former in before}  # also of families that merge or end in this run
    origins: dict[int, Counter[bytes]] = defaultdict(Counter)
    for former, share in zip(before, shares, strict=True):
        for new, count in share.items():
            origins[new][former.founder] += count
    for new in sorted(set(range(len(now))) - names.keys(), key=lambda number: now[number].digests[0]):
        founder = founder_of(now[new].digests, taken, len(taken))
        taken.add(founder)
        names[new] = Name(founder, None)
        size = len(now[new].documents)
        if origin := origins.get(new):
            parent = min(origin, key=lambda former: (-origin[former], former))
            events.append(FamilyEvent(What.SPLIT, founder, parent, size))
        else:
            events.append(FamilyEvent(What.FOUNDED, founder, None, size))
    events.sort(key=lambda event: (event.what, event.family))
    return [names[number] for number in range(len(now))], events


def founder_of(digests: Sequence[bytes], taken: Set[bytes], number: int) -> bytes:
    """Return the digest of the pivot, or of the next content whose digest is not and was not another family's name;
    else a digest of all. `number`: how many names were given before."""
    free = next((digest for digest in digests if digest not in taken), None)
    return free or _native.sha256(b"".join(digests) + number.to_bytes(8, "big"))


Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Stored:
    """The families of the last run: the family of each row (-1: none), and the founders in order of age and digest."""

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
    """All families of a view: the family of each row (-1: none), and the pivot of each family."""

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
    """Name these families, which are some of those seen. Rows are in the order of digests."""
    heirs = dict(_heirs(seen.of, stored.of, copies, len(seen.pivots)))
    nameless = np.sort(np.delete(seen.pivots, list(heirs)))
    taken = frozenset(stored.founders)  # other names cannot collide: each is the digest of a content of its own family
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
    """Return pairs (new, old) where the new family takes the name of the old one."""
    inside = new >= 0
    size = np.bincount(new[inside], copies[inside], families)
    first = np.full(families, len(new), np.int64)
    np.minimum.at(first, new[inside], np.flatnonzero(inside))
    both = inside & (old >= 0)
    keys, where = np.unique(old[both] * families + new[both], return_inverse=True)
    pairs = np.divmod(keys, max(families, 1))
    share = np.bincount(where, copies[both], len(keys))
    # An old family claims the new one that has most of it, of equal ones the larger, then the first …
    home = _first_of_each(pairs[0], np.lexsort((first[pairs[1]], -size[pairs[1]], -share, pairs[0])))
    # … and of several claims the one that brings most documents wins, of equal ones the older.
    claims = home[_first_of_each(pairs[1][home], np.lexsort((pairs[0][home], -share[home], pairs[1][home])))]
    return list(zip(pairs[1][claims].tolist(), pairs[0][claims].tolist(), strict=True))


def _first_of_each(group: Numbers, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first place of each group, where `order` puts the places of each group together."""
    begins = np.ones(len(order), np.bool_)
    begins[1:] = group[order[1:]] != group[order[:-1]]
    return order[begins]
