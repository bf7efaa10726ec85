"""The views that are made from matches, by name.

The chain view (Forman 2005 §2.3 step 5: union-find over the matches): who resembles a member is a member.

The pivot is most linked, then longest, then first by digest. The weakest link is of those that hold the chain together:
weaker ones between members that hang together without them do not count.

The clique view (complete link): every two members have a match at or above the threshold.

Of all pairs of clusters the two whose most unlike members are most alike merge first, of equal ones by digest, as long
as all their members are linked. The pivot is the longest member, of equal ones the first by digest; all links inside
count.

Where not all pairs of some contents were listed, a missing match says nothing. What hangs together with such contents
is left as the chain view has it, and said to be not evaluated.

The pivot view: around principals, each of which every member resembles by the threshold.

Contents are taken longest first, of equal lengths by digest. One that resembles no principal by the threshold becomes
one; any other goes to the principal it resembles most, of equal ones to the longest. So a family's pivot is always its
longest member.

Where hot features have linked contents as stars, rays are linked to the centre and to nothing else, and the centre is
the largest by its signature, not always the longest. So of contents not all of whose pairs were listed those linked
most are taken first: else a longer ray would become a principal, take the centre, and leave all the others alone.

Resemblance r makes 1 - r a distance, so two members of a family resemble each other by 2t - 1 or more at threshold t.
The links of this view are those between members and their principal.

Stars: families of contents with hot features, whose pairs were not all compared.

How far a chain reaches: which of its members may hardly resemble each other.

Resemblance r makes 1 - r a distance (and the angle does so of cosines), so two members are no farther from each other
than the one is from the pivot and the other from there. Most chains are cleared by that alone. Of the others the
members farthest from the pivot are compared, every two: so much work and no more, whatever the family's size. The most
distant of these are named; that two others are more distant still is possible.
"""

from collections.abc import Sequence
from itertools import combinations
from math import acos

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.families import (
    ContentFamily,
    Evidence,
    Families,
    Links,
    Partition,
    Rows,
    Tally,
    degrees,
    families_in,
    first_of,
)
from nearkin.matching.candidates import Hot
from nearkin.matching.match_columns import MatchColumns
from nearkin.model import View


def chain(evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64]) -> Families:
    chains = chained(evidence, lengths)
    return Families.of(chains, chains.labels(copies))


def chained(evidence: Evidence, lengths: NDArray[np.int64]) -> Partition:
    joins = evidence.joins
    label = linked(len(lengths), joins)
    degree = degrees(len(lengths), joins)
    return Partition(
        label=label,
        home=evidence.homes(degree),
        pivots=first_of(label, -degree, -lengths),
        counted=joins,
        tally=Tally.of(label, joins, chains=True),
        # What was only estimated is measured on the texts afterwards, or stays unknown.
        near=evidence.links[evidence.links.exact],
    )


def linked(contents: int, joins: Links | MatchColumns) -> Rows:
    """For every content a label that all have which hang together."""
    return _native.components(contents, joins.a, joins.b)


def cliques(
    evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64], *, unlisted: Rows | None = None
) -> list[ContentFamily]:
    found = complete_links(evidence, lengths, unlisted=unlisted)
    return families_in(found, found.labels(copies))


def complete_links(evidence: Evidence, lengths: NDArray[np.int64], *, unlisted: Rows | None = None) -> Partition:
    """`unlisted`: rows of contents not all of whose pairs were listed."""
    joins = evidence.joins
    whole, open_to_doubt = _doubtful(len(lengths), linked(len(lengths), joins), unlisted)
    sure = joins[~open_to_doubt[joins.a]]
    label = np.where(open_to_doubt, whole, _native.cliques(len(lengths), sure.a, sure.b, sure.resemblance))
    return Partition(
        label=label,
        home=evidence.homes(degrees(len(lengths), joins)),
        pivots=first_of(label, -lengths),
        counted=joins,
        tally=Tally.of(label, joins),
        near=evidence.links,
        doubtful=open_to_doubt,
    )


def _doubtful(contents: int, label: Rows, unlisted: Rows | None) -> tuple[Rows, NDArray[np.bool_]]:
    """The chains, and which rows are of one that holds a content whose pairs were not all listed."""
    doubt = np.zeros(contents, np.bool_)
    if unlisted is not None:
        doubt[label[unlisted]] = True
    return label, doubt[label]


def principals(evidence: Evidence, lengths: NDArray[np.int64], *, unlisted: Rows | None = None) -> Partition:
    """`unlisted`: rows of contents not all of whose pairs were listed."""
    joins = evidence.joins
    degree = degrees(len(lengths), joins)
    centres = np.zeros(len(lengths), np.int64)
    if unlisted is not None:
        centres[unlisted] = degree[unlisted]
    order = np.lexsort((np.arange(len(lengths)), -lengths, -centres)).astype(np.uint32)
    principal, via = _native.principals(order, joins.a, joins.b, joins.resemblance)
    spokes = joins[via[via != _native.NO_LINK]]
    return Partition(
        label=principal,
        home=evidence.homes(degree),
        pivots=np.arange(len(lengths), dtype=np.uint32),
        counted=spokes,
        tally=Tally.of(principal, spokes),
        near=evidence.links,
    )


def grouped(view: View, evidence: Evidence, lengths: NDArray[np.int64], *, unlisted: Rows | None = None) -> Partition:
    """`unlisted`: rows of contents not all of whose pairs were listed."""
    match view:
        case View.CHAIN:
            return chained(evidence, lengths)
        case View.PIVOT:
            return principals(evidence, lengths, unlisted=unlisted)
        case View.CLIQUE:
            return complete_links(evidence, lengths, unlisted=unlisted)
        case View.GREEDY:
            raise ValueError("the greedy view is made from signatures")


NO_FAMILY = -1


def count_unlisted(families: Families, matches: MatchColumns, hot: Hot, contents: int) -> None:
    """How many pairs of each family's members are not listed though they may match."""
    if not len(hot.contents):
        return
    home = np.full(contents, NO_FAMILY, np.int64)
    member = ~families.is_part
    home[families.rows[member]] = np.repeat(np.arange(len(families)), families.sizes)[member]
    families.unlisted[:] = unlisted_in(home, len(families), matches, hot)


def unlisted_in(home: NDArray[np.int64], families: int, matches: MatchColumns, hot: Hot) -> NDArray[np.int64]:
    """By family, where each row is in the family `home`: pairs of starred members, of which not all were compared, that
    are no match."""
    starred = np.full(len(home), NO_FAMILY, np.int64)
    starred[hot.contents] = home[hot.contents]
    a, b = starred[matches.a], starred[matches.b]
    listed = np.bincount(a[(a == b) & (a != NO_FAMILY)], minlength=families)
    members = np.bincount(starred[starred != NO_FAMILY], minlength=families)
    pairs: NDArray[np.int64] = members * (members - 1) // 2 - listed
    return pairs


FARTHEST = 6  # members of a family that are compared: 15 pairs


def suspects(to_pivot: Sequence[tuple[int, float | None]], limit: float, *, cosine: bool) -> list[tuple[int, int]]:
    """Pairs of members that may resemble each other by less than the limit. `to_pivot` leaves out the pivot itself;
    a member of which nothing is known may be as far away as can be."""

    def distance(resemblance: float | None) -> float:
        share = min(max(resemblance or 0.0, 0.0), 1.0)
        return acos(share) if cosine else 1.0 - share

    far = sorted(((distance(value), content) for content, value in to_pivot), reverse=True)[:FARTHEST]
    bound = distance(limit)
    return [
        (min(one, other), max(one, other))
        for (first, one), (second, other) in combinations(far, 2)
        if first + second > bound
    ]
