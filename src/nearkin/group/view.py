"""The views that are made from matches, by name."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.chain import chain
from nearkin.group.clique import cliques
from nearkin.group.evidence import Evidence, Rows
from nearkin.group.family import ContentFamily
from nearkin.group.principal import around_principals
from nearkin.model import View


def grouped(
    view: View,
    evidence: Evidence,
    lengths: NDArray[np.int64],
    copies: NDArray[np.int64],
    *,
    unlisted: Rows | None = None,
) -> list[ContentFamily]:
    """`unlisted`: rows of contents not all of whose pairs were listed."""
    match view:
        case View.CHAIN:
            return chain(evidence, lengths, copies)
        case View.PIVOT:
            return around_principals(evidence, lengths, copies)
        case View.CLIQUE:
            return cliques(evidence, lengths, copies, unlisted=unlisted)
        case View.GREEDY:
            raise ValueError("the greedy view is made from signatures")
