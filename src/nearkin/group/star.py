"""Stars: families of contents with hot features, whose pairs were not all compared."""

from collections.abc import Iterable

import numpy as np

from nearkin.group.family import ContentFamily
from nearkin.matching.candidates import Hot
from nearkin.matching.columns import MatchColumns


def count_unlisted(families: Iterable[ContentFamily], matches: MatchColumns, hot: Hot) -> None:
    """How many pairs of each family's members are not listed though they may match: of starred contents, not all pairs
    were compared."""
    if not len(hot.contents):
        return
    size = int(max(hot.contents[-1], matches.b.max(initial=0))) + 1
    starred = np.zeros(size, np.bool_)
    starred[hot.contents] = True
    some = list(families)
    home = np.full(size, -1, np.int64)
    for number, family in enumerate(some):
        members = np.array(family.members, np.int64)
        members = members[members < size]
        home[members[starred[members]]] = number
    inside = (home[matches.a] >= 0) & (home[matches.a] == home[matches.b])
    listed = np.bincount(home[matches.a[inside]], minlength=len(some))
    members_of = np.bincount(home[home >= 0], minlength=len(some))
    for family, pairs in zip(some, (members_of * (members_of - 1) // 2 - listed).tolist(), strict=True):
        family.unlisted = pairs
