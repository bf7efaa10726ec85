"""The pivot view: around principals, each of which every member resembles by the threshold.

Contents are taken longest first, of equal lengths by digest. One that resembles no principal by the threshold becomes
one; any other goes to the principal it resembles most, of equal ones to the longest. So a family's pivot is always its
longest member.

Where hot features have linked contents as stars, rays are linked to the centre and to nothing else, and the centre is
the largest by its signature, not always the longest. So of contents not all of whose pairs were listed those linked
most are taken first: else a longer ray would become a principal, take the centre, and leave all the others alone.

Resemblance r makes 1 - r a distance, so two members of a family resemble each other by 2t - 1 or more at threshold t.
The links of this view are those between members and their principal.
"""

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Evidence, Rows, degrees
from nearkin.group.family import Partition, Tally


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
