"""The pivot view: around principals, each of which every member resembles by the threshold.

Contents are taken longest first, of equal lengths by digest. One that resembles no principal by the threshold becomes
one; any other goes to the principal it resembles most, of equal ones to the longest. So a family's pivot is always its
longest member.

Resemblance r makes 1 - r a distance, so two members of a family resemble each other by 2t - 1 or more at threshold t.
The links of this view are those between members and their principal.
"""

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Evidence, degrees
from nearkin.group.family import ContentFamily, Partition, Tally, families_in


def around_principals(evidence: Evidence, lengths: NDArray[np.int64], copies: NDArray[np.int64]) -> list[ContentFamily]:
    joins = evidence.joins
    order = np.lexsort((np.arange(len(lengths)), -lengths)).astype(np.uint32)
    principal, via = _native.principals(order, joins.a, joins.b, joins.resemblance)
    spokes = joins[via[via != _native.NO_LINK]]
    partition = Partition(
        label=principal,
        home=evidence.homes(degrees(len(lengths), joins)),
        pivots=np.arange(len(lengths), dtype=np.uint32),
        counted=spokes,
        tally=Tally.of(principal, spokes),
    )
    return families_in(partition, evidence.links, copies)
