"""The greedy view (Broder 1997 §4.4): signatures in turn, each to the representative that it resembles best.

The longest first, equal ones by digest. What resembles no representative by the threshold founds a family and, unless
its most popular features are wanted, represents it for good. Membership is decided on signatures, as in the paper, and
so by estimates where the scheme samples; what is shown afterwards is measured on the texts where these were kept, and
may then be below the threshold.

In this view every link is one between a member and its pivot: `links` are the members less one, the weakest and the
mean are theirs. The pivot is the founder; with popular features it is the member that resembles these best. Nothing
is attached: containment plays no part here.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.group.families import ContentFamily, kind_of
from nearkin.matching.candidates import Postings
from nearkin.scheme import Estimator, Scheme, Signature, signed

AGREEMENT = {
    Estimator.OVERLAP: _native.OVERLAP,
    Estimator.SMALLEST: _native.SMALLEST,
    Estimator.SLOTS: _native.SLOTS,
}


class Representative(StrEnum):
    """What a new signature is compared with: the first member's, or the features most members have."""

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
    """Families of two documents and more; how far members are from their pivots is not yet measured."""
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
class Signed:
    """One signature of many that lie end to end."""

    postings: Postings
    scheme: Scheme

    def __call__(self, row: int) -> Signature:
        first, last = int(self.postings.offsets[row]), int(self.postings.offsets[row + 1])
        modulus = int(self.postings.moduli[row])
        return signed(self.scheme, modulus, self.postings.features[first:last], self.postings.weights[first:last])


def estimate_to_pivot(families: Iterable[ContentFamily], signed: Signed) -> None:
    """What signatures say of members whose distance is not yet known."""
    for family in families:
        unknown = [row for row in family.members if row not in family.to_pivot]
        if not unknown:
            continue
        pivot = signed(family.pivot)
        for row in unknown:
            estimate = signed(row).resemblance(pivot)
            if estimate is not None:
                family.to_pivot[row] = estimate.value
                if not estimate.exact:
                    family.estimated.add(row)


def measure_links(families: Iterable[ContentFamily]) -> None:
    """Once the distances are known: the weakest link, and the mean of all."""
    for family in families:
        links = [(value, row) for row in family.members if row != family.pivot
                 for value in (family.to_pivot.get(row),) if value is not None]  # fmt: skip
        if links:
            value, row = min(links)
            family.weakest = (min(row, family.pivot), max(row, family.pivot), value)
            family.weakest_exact = row not in family.estimated
            family.mean_resemblance = sum(value for value, _ in links) / len(links)
            family.mean_exact = family.estimated.isdisjoint(row for _, row in links)
