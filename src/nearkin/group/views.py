"""The views that are made from matches: chain, clique and pivot; and how stars and spread bear on them.

**Chain** (Forman 2005 §2.3 step 5: union-find over the matches). Whatever resembles a member is a member. The pivot is
the member with most links, of equal ones the longest, then the first by digest. The weakest link counts only links that
hold the chain together: weaker links between members that are connected without them do not count.

**Clique** (complete link). Every two members have a match at or above the threshold. Of all pairs of clusters the two
whose least similar members are most similar merge first (of equal pairs the first by digest), as long as all their
members are linked. The pivot is the longest member, of equal ones the first by digest; all links inside count. Where
not all pairs of some contents were listed, a missing match means nothing: the chain that holds such contents stays as
the chain view has it, and is marked as not evaluated.

**Pivot** (families around principals). Contents are taken longest first, of equal lengths by digest. A content that
resembles no principal by the threshold becomes a principal; any other goes to the principal it resembles most, of equal
ones to the longest. So a family's pivot is always its longest member, and the links of this view are those between
members and their principal. Resemblance r makes 1 - r a distance (Broder 1997), so two members of a family resemble
each other by 2t - 1 or more at threshold t.

**Stars.** Contents with a hot feature are linked to one centre and not to each other (docs/decisions/019), and the
centre is the largest by its signature, not always the longest. So the pivot view takes contents whose pairs were not
all listed by their number of links: else a longer ray would become a principal, take the centre, and leave all other
rays alone.

**Spread.** How far a chain reaches, that is, which of its members may hardly resemble each other. By the triangle
inequality of 1 - r (of the angle for cosines) two members are no farther from each other than their distances to the
pivot together, which clears most chains. In the remaining chains every two of the FARTHEST members from the pivot
are compared: a bounded amount of work, whatever the family's size. The most distant pair among these is named; two
other members may be more distant still.

The greedy view (Broder 1997 §4.4) is made from signatures: nearkin.group.views.

The greedy view (Broder 1997 §4.4): each signature in turn joins the family whose representative it resembles best.

Contents are taken longest first, of equal lengths by digest. A content that resembles no representative by the
threshold founds a family and represents it for good, unless the family's most popular features represent it. Membership
is decided on signatures, as in the paper, so by estimates where the scheme samples. The resemblance that is shown is
measured on the texts where these were kept, and may then be below the threshold.

Every link of this view is one between a member and its pivot: `links` is the number of members less one, and the
weakest and the mean link are of these. The pivot is the founder; with popular features it is the member that resembles
these features best. No parts are attached: containment plays no role in this view.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from math import acos

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import UsageError
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
    kind_of,
)
from nearkin.matching.candidates import Hot, Postings
from nearkin.matching.match_columns import MatchColumns
from nearkin.model import View
from nearkin.scheme import Estimator, Scheme, Signature, signed


def chain(evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64]) -> Families:
    """Return the chain view's families of two documents and more."""
    chains = chained(evidence, lengths)
    return Families.of(chains, chains.labels(copies))


def chained(evidence: Evidence, lengths: NDArray[np.int64]) -> Partition:
    """Partition the contents by union-find (Forman 2005 §2.3 step 5)."""
    joins = evidence.joins
    label = linked(len(lengths), joins)
    degree = degrees(len(lengths), joins)
    return Partition(
        label=label,
        home=evidence.homes(degree),
        pivots=first_of(label, -degree, -lengths),
        counted=joins,
        tally=Tally.of(label, joins, chains=True),
        # Estimates are left out: these pairs are measured on the texts afterwards, or stay unknown.
        near=evidence.links[evidence.links.exact],
    )


def linked(contents: int, joins: Links | MatchColumns) -> Rows:
    """Label every content; connected contents have the same label."""
    return _native.components(contents, joins.a, joins.b)


def cliques(
    evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64], *, unlisted: Rows | None = None
) -> list[ContentFamily]:
    """Return the clique view's families of two documents and more."""
    partition = complete_links(evidence, lengths, unlisted=unlisted)
    return families_in(partition, partition.labels(copies))


def complete_links(evidence: Evidence, lengths: NDArray[np.int64], *, unlisted: Rows | None = None) -> Partition:
    """Partition the contents into cliques. `unlisted`: rows of contents whose pairs were not all listed."""
    joins = evidence.joins
    chains, doubtful = _doubtful(len(lengths), linked(len(lengths), joins), unlisted)
    certain = joins[~doubtful[joins.a]]
    label = np.where(doubtful, chains, _native.cliques(len(lengths), certain.a, certain.b, certain.resemblance))
    return Partition(
        label=label,
        home=evidence.homes(degrees(len(lengths), joins)),
        pivots=first_of(label, -lengths),
        counted=joins,
        tally=Tally.of(label, joins),
        near=evidence.links,
        doubtful=doubtful,
    )


def _doubtful(contents: int, label: Rows, unlisted: Rows | None) -> tuple[Rows, NDArray[np.bool_]]:
    """Return the chains, and which rows are of a chain that holds a content whose pairs were not all listed."""
    by_label = np.zeros(contents, np.bool_)
    if unlisted is not None:
        by_label[label[unlisted]] = True
    return label, by_label[label]


def principals(evidence: Evidence, lengths: NDArray[np.int64], *, unlisted: Rows | None = None) -> Partition:
    """Partition the contents around principals. `unlisted`: rows of contents whose pairs were not all listed."""
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
    """Partition the contents in this view. `unlisted`: rows of contents whose pairs were not all listed."""
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
    """Count for each family the pairs of members that are not listed though they may match."""
    if not len(hot.contents):
        return
    home = np.full(contents, NO_FAMILY, np.int64)
    member = ~families.is_part
    home[families.rows[member]] = np.repeat(np.arange(len(families)), families.sizes)[member]
    families.unlisted[:] = unlisted_in(home, len(families), matches, hot)


def unlisted_in(home: NDArray[np.int64], families: int, matches: MatchColumns, hot: Hot) -> NDArray[np.int64]:
    """Count by family the pairs of starred members that are no match; not all such pairs were compared. `home` holds
    the family of each row."""
    starred = np.full(len(home), NO_FAMILY, np.int64)
    starred[hot.contents] = home[hot.contents]
    a, b = starred[matches.a], starred[matches.b]
    listed = np.bincount(a[(a == b) & (a != NO_FAMILY)], minlength=families)
    members = np.bincount(starred[starred != NO_FAMILY], minlength=families)
    pairs: NDArray[np.int64] = members * (members - 1) // 2 - listed
    return pairs


FARTHEST = 6  # members of a family that are compared: 15 pairs


def suspects(to_pivot: Sequence[tuple[int, float | None]], limit: float, *, cosine: bool) -> list[tuple[int, int]]:
    """Return the pairs of members that may resemble each other by less than the limit. `to_pivot` leaves out the pivot
    itself; a member whose resemblance is None counts as being as far away as possible."""

    def distance(resemblance: float | None) -> float:
        share = min(max(resemblance or 0.0, 0.0), 1.0)
        return acos(share) if cosine else 1.0 - share

    far = sorted(((distance(value), content) for content, value in to_pivot), reverse=True)[:FARTHEST]
    bound = distance(limit)
    return [
        (min(a, b), max(a, b))
        for (distance_a, a), (distance_b, b) in combinations(far, 2)
        if distance_a + distance_b > bound
    ]


AGREEMENT = {
    Estimator.OVERLAP: _native.OVERLAP,
    Estimator.SMALLEST: _native.SMALLEST,
    Estimator.SLOTS: _native.SLOTS,
}


class Representative(StrEnum):
    """What a new signature is compared with: the founder's signature, or the features that most members have."""

    FIRST = "first"
    POPULAR = "popular"


def greedy(
    postings: Postings,
    lengths: NDArray[np.int64],
    copies: NDArray[np.int64],
    scheme: Scheme,
    *,
    threshold: float,
    representative: Representative,
) -> list[ContentFamily]:
    """Return the families of two documents and more. Their members' distances from the pivot are not measured yet."""
    agreement = AGREEMENT.get(scheme.estimator)
    if agreement is None:
        raise UsageError(
            f"The greedy view compares signatures, but those of {scheme.spec} do not estimate resemblance."
        )
    order = np.lexsort((np.arange(len(lengths)), -lengths)).astype(np.uint32)
    founders, nearness = _native.greedy(
        postings.offsets,
        postings.features,
        postings.weights,
        postings.moduli,
        order,
        threshold=threshold,
        agreement=agreement,
        most=scheme.limit,
        popular=representative is Representative.POPULAR,
    )
    clusters: dict[int, list[int]] = defaultdict(list)
    for row in order.tolist():
        clusters[int(founders[row])].append(row)
    families = [
        ContentFamily(members, pivot=max(members, key=lambda row: nearness[row]), links=len(members) - 1)
        for members in clusters.values()
        if len(members) > 1 or copies[members[0]] > 1
    ]
    for family in families:
        family.kind = kind_of(family)
        family.to_pivot[family.pivot] = 1.0
    return families


@dataclass(frozen=True)
class RowSignatures:
    """Signatures by row, cut from postings that lie end to end."""

    postings: Postings
    scheme: Scheme

    def __call__(self, row: int) -> Signature:
        first, last = int(self.postings.offsets[row]), int(self.postings.offsets[row + 1])
        modulus = int(self.postings.moduli[row])
        return signed(self.scheme, modulus, self.postings.features[first:last], self.postings.weights[first:last])


def estimate_to_pivot(families: Iterable[ContentFamily], signature_of: RowSignatures) -> None:
    """Estimate by signatures the resemblance to the pivot where it is not known yet."""
    for family in families:
        unknown = [row for row in family.members if row not in family.to_pivot]
        if not unknown:
            continue
        pivot = signature_of(family.pivot)
        for row in unknown:
            estimate = signature_of(row).resemblance(pivot)
            if estimate is not None:
                family.to_pivot[row] = estimate.value
                if not estimate.exact:
                    family.estimated.add(row)


def measure_links(families: Iterable[ContentFamily]) -> None:
    """Set the weakest link and the mean of all links, once the distances are known."""
    for family in families:
        links = [(value, row) for row in family.members if row != family.pivot
                 for value in (family.to_pivot.get(row),) if value is not None]  # fmt: skip
        if links:
            value, row = min(links)
            family.weakest = (min(row, family.pivot), max(row, family.pivot), value)
            family.weakest_exact = row not in family.estimated
            family.mean_resemblance = sum(value for value, _ in links) / len(links)
            family.mean_exact = family.estimated.isdisjoint(row for _, row in links)
