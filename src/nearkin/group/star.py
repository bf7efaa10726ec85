"""Stars: families of contents with hot features, whose pairs were not all compared."""

from collections.abc import Iterable

import numpy as np

from nearkin.group.family import ContentFamily
from nearkin.matching.candidates import Hot
from nearkin.matching.columns import MatchColumns


def count_unlisted(families: Iterable[ContentFamily], matches: MatchColumns, hot: Hot) -> None:
    """How many pairs of each family's members were never compared: those of starred contents that are no match."""
    if not len(hot.contents):
        return
    size = int(max(hot.contents[-1], matches.b.max(initial=0))) + 1
    starred = np.zeros(size, np.bool_)
    starred[hot.contents] = True
    both = matches[starred[matches.a] & starred[matches.b]]
    listed = np.bincount(both.a, minlength=size)
    for family in families:
        inside = [row for row in family.members if row < size and starred[row]]
        if len(inside) > 1:
            family.unlisted = max(0, len(inside) * (len(inside) - 1) // 2 - int(listed[inside].sum()))
