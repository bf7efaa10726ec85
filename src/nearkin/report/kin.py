"""Who may belong to a family, though no match reaches its threshold: versions that were rewritten.

Two texts of different families, or of none, are kin if each is the nearest to the other of all outside its own family,
by the matches that the scan kept down to its floor. Nearest alone would not do: where pages have a template in common,
hundreds have the same nearest one, and that one has one nearest too. So no more are joined than a family has texts.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nearkin.store.matches import stored_columns
from nearkin.store.verdicts import Decided, Ruling

MEMBERS = """
SELECT content, family FROM family_content JOIN family ON family.id = family_content.family WHERE scheme = ?
"""


def kin_of(connection: sqlite3.Connection, scheme: int, contents: Iterable[int]) -> frozenset[int]:
    """Contents beyond these: those that are kin to one of them, with their families, and the kin of these."""
    matches = stored_columns(connection, scheme)
    members = np.array(connection.execute(MEMBERS, (scheme,)).fetchall(), np.int64).reshape(-1, 2)
    highest = max(
        int(matches.a.max(initial=0)), int(matches.b.max(initial=0)), int(members[:, 0].max(initial=0)), *contents, 0
    )
    home = -np.arange(highest + 1, dtype=np.int64) - 1  # whoever has no family is one of its own
    home[members[:, 0]] = members[:, 1]
    asked = set(contents)
    for content in asked:  # a text that was asked for alone, or a family that a verdict has parted
        home[content] = home[min(asked)]
    a, b = matches.a.astype(np.int64), matches.b.astype(np.int64)
    outside = home[a] != home[b]
    pairs = _mutual(a[outside], b[outside], matches.resemblance[outside])
    parting = (Ruling.NOT_SIMILAR, Ruling.TEMPLATE)
    decided = Decided(connection)
    joined: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        if decided.of_pair(one, other) not in parting:
            joined[int(home[one])].add(int(home[other]))
            joined[int(home[other])].add(int(home[one]))
    start = {int(home[content]) for content in asked}
    reached, left = set(start), list(start)
    while left:
        for near in joined[left.pop()] - reached:
            reached.add(near)
            left.append(near)
    rows = np.flatnonzero(np.isin(home, np.array(sorted(reached), np.int64)))
    return frozenset(rows.tolist()) - asked


def _mutual(a: NDArray[np.int64], b: NDArray[np.int64], strength: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of which each is the other's strongest; of equally strong ones the first counts."""
    here, there = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.lexsort((there, -np.concatenate([strength, strength]), here))
    here, there = here[order], there[order]
    first = np.ones(len(here), np.bool_)
    first[1:] = here[1:] != here[:-1]
    best = dict(zip(here[first].tolist(), there[first].tolist(), strict=True))
    return [(one, other) for one, other in best.items() if one < other and best.get(other) == one]
