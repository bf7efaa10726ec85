"""The greedy view (Broder 1997 §4.4): each signature in turn joins the family whose representative it resembles best.

Contents are taken longest first, of equal lengths by digest. A content that resembles no representative by the
threshold founds a family and represents it for good, unless the family's most popular features represent it. Membership
is decided on signatures, as in the paper, so by estimates where the scheme samples. The resemblance that is shown is
measured on the texts where these were kept, and may then be below the threshold.

Every link of this view is one between a member and its pivot: `links` is the number of members less one, and the
weakest and the mean link are of these. The pivot is the founder; with popular features it is the member that resembles
these features best. No parts are attached: containment plays no role in this view.
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
