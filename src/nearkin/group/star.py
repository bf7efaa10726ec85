"""Stars: families of contents with hot features, whose pairs were not all compared."""

import numpy as np
from numpy.typing import NDArray

from nearkin.group.families import Families
from nearkin.matching.candidates import Hot
from nearkin.matching.match_columns import MatchColumns

NO_FAMILY = -1


def count_unlisted(families: Families, matches: MatchColumns, hot: Hot, contents: int) -> None:
    """How many pairs of each family's members are not listed though they may match."""
    if not len(hot.contents):
        return
    home = np.full(contents, NO_FAMILY, np.int64)
    member = ~families.is_part
    home[families.rows[member]] = np.repeat(np.arange(len(families)), families.sizes)[member]
    families.unlisted[:] = unlisted_in(home, len(families), matches, hot)


def unlisted_in(home: NDArray[np.int64], families: int, matches: MatchColumns, hot: Hot) -> NDArray[np.int64]:
    """By family, where each row is in the family `home`: pairs of starred members, of which not all were compared, that
    are no match."""
    starred = np.full(len(home), NO_FAMILY, np.int64)
    starred[hot.contents] = home[hot.contents]
    a, b = starred[matches.a], starred[matches.b]
    listed = np.bincount(a[(a == b) & (a != NO_FAMILY)], minlength=families)
    members = np.bincount(starred[starred != NO_FAMILY], minlength=families)
    pairs: NDArray[np.int64] = members * (members - 1) // 2 - listed
    return pairs
