"""Families as they are stored, column by column."""

from collections.abc import Sequence
from itertools import chain
from math import nan
from typing import Any

import numpy as np

from nearkin.group.family import ContentFamily
from nearkin.group.identity import Name
from nearkin.model import Role, View
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents

# Plain strings: of an enum SQLite's module first asks how it would like to be stored.
MEMBER, PART = Role.MEMBER.value, Role.PART.value


def family_columns(
    families: Sequence[ContentFamily], names: Sequence[Name], contents: Contents, settings: MatchSettings, run: int
) -> dict[str, Any]:
    """Content ids for rows; NaN for what is not known."""
    ids = contents.numbers
    weakest = [family.weakest for family in families]
    return {
        "founder": [name.founder for name in names],
        "view": View.CHAIN.value,
        "threshold": settings.threshold,
        "containment": settings.containment,
        "kind": [family.kind.value for family in families],
        "links": [family.links for family in families],
        "weakest_a": [ids[link[0]] if link else nan for link in weakest],
        "weakest_b": [ids[link[1]] if link else nan for link in weakest],
        "weakest": [link[2] if link else nan for link in weakest],
        "mean_resemblance": [_number(family.mean_resemblance) for family in families],
        "run": run,
        "since": [name.since or run for name in names],
        "unlisted": [family.unlisted for family in families],
    }


def held_columns(families: Sequence[ContentFamily], contents: Contents) -> tuple[list[int], dict[str, Any]]:
    """How many contents each family holds, and all of them, members before parts."""
    every = [[*family.members, *family.parts] for family in families]
    sizes = list(map(len, every))
    rows = np.fromiter(chain.from_iterable(every), np.int64, sum(sizes))
    roles = ([MEMBER] * len(family.members) + [PART] * len(family.parts) for family in families)
    pivots = np.repeat(np.array([family.pivot for family in families], np.int64), sizes)
    return sizes, {
        "content": contents.ids[rows].tolist(),
        "role": list(chain.from_iterable(roles)),
        "pivot": (rows == pivots).astype(np.uint8).tolist(),
        "to_pivot": [
            nan if value is None else value
            for family, held in zip(families, every, strict=True)
            for value in map(family.to_pivot.get, held)
        ],
    }


def _number(value: float | None) -> float:
    return nan if value is None else value
