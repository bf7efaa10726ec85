"""The clique view (complete link): every two members have a match at or above the threshold.

Of all pairs of clusters the two whose most unlike members are most alike merge first, of equal ones by digest, as long
as all their members are linked. The pivot is the longest member, of equal ones the first by digest; all links inside
count.

Where not all pairs of some contents were listed, a missing match says nothing. What hangs together with such contents
is left as the chain view has it, and said to be not evaluated.
"""

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.chain import linked
from nearkin.group.evidence import Evidence, Rows, degrees
from nearkin.group.families import families_in
from nearkin.group.family import ContentFamily, Partition, Tally, first_of


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
