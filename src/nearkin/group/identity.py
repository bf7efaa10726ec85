"""Which family is which: ids that stay while documents come and go.

A family is named by the digest of its founding content and keeps that name while its largest part lives, whoever else
joins or leaves. Of families that merge the one that brings most documents gives its name to all; of one that splits the
largest part keeps it. Documents are followed through changes and moves, so a family survives its members' edits.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from nearkin import _native


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
