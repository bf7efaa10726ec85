"""Families as they are stored, column by column."""

from typing import Any

import numpy as np

from nearkin.group.families import Families
from nearkin.group.naming import Named
from nearkin.model import Role, View
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents

ROLES = np.array([Role.MEMBER.value, Role.PART.value], object)


def family_columns(
    families: Families, named: Named, contents: Contents, settings: MatchSettings, run: int
) -> dict[str, Any]:
    """Content ids for rows; NaN for what is not known."""
    linked = families.weakest_a >= 0
    weakest_a, weakest_b = (
        np.where(linked, contents.ids[row], np.nan) for row in (families.weakest_a, families.weakest_b)
    )
    return {
        "founder": named.founders,
        "view": View.CHAIN.value,
        "threshold": settings.threshold,
        "containment": settings.containment,
        "kind": families.kinds,
        "links": families.links,
        "weakest_a": weakest_a,
        "weakest_b": weakest_b,
        "weakest": families.weakest,
        "mean_resemblance": families.means,
        "run": run,
        "since": named.since,
        "unlisted": families.unlisted,
        "weakest_exact": families.weakest_exact,
        "mean_exact": families.mean_exact,
    }


def held_columns(families: Families, contents: Contents) -> dict[str, Any]:
    """All contents that families hold, members before parts."""
    return {
        "content": contents.ids[families.rows],
        "role": ROLES[families.is_part.astype(np.intp)].tolist(),
        "pivot": families.rows == np.repeat(families.pivots, families.sizes),
        "to_pivot": families.to_pivot,
    }
