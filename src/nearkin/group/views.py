"""The views that are made from matches, by name."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.chain import chained
from nearkin.group.clique import complete_links
from nearkin.group.evidence import Evidence, Rows
from nearkin.group.family import Partition
from nearkin.group.principal import principals
from nearkin.model import View


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
