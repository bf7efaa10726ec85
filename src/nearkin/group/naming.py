"""Families and their lasting names: those of the last finished run are carried on."""

import sqlite3
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from nearkin.group.families import Families
from nearkin.group.family import ContentFamily
from nearkin.group.identity import Found, Known, What, name_families
from nearkin.model import Role, View
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents
from nearkin.store.families import documents_by_content, documents_of_families
from nearkin.store.matches import FamilyRow, family_rows


@dataclass(frozen=True)
class Named:
    """Columns, as of `insert_columns`."""

    founders: list[bytes]
    since: list[int] | int
    events: dict[str, Any]


def named(
    connection: sqlite3.Connection, families: Families, contents: Contents, run: int, last: tuple[int, int] | None
) -> Named:
    """By this run; `last` is the last finished one and its scheme, None: there was none."""
    if last is None:
        return _founded(families, contents, run)
    known = documents_of_families(connection, last[1], last[0])
    before = [Known(founder, since, frozenset(documents)) for (founder, since), documents in sorted(known.items())]
    documents = documents_by_content(connection)
    ids = contents.numbers
    now = []
    for family in families.listed():
        rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
        holders = frozenset(document for row in rows for document in documents[ids[row]])
        now.append(Found(holders, [contents.digests[row] for row in rows]))
    names, events = name_families(before, now)
    return Named(
        [name.founder for name in names],
        [name.since or run for name in names],
        {
            "what": [event.what.value for event in events],
            "family": [event.family for event in events],
            "other": [event.other for event in events],
            "documents": [event.documents for event in events],
        },
    )


def _founded(families: Families, contents: Contents, run: int) -> Named:
    """As `name_families` names those of a first run, each by its pivot. It is the run that people wait for, and sets of
    documents were a twentieth of it."""
    founders = [contents.digests[pivot] for pivot in families.pivots.tolist()]
    order = np.argsort(families.pivots)  # rows are in order of digests
    documents = np.add.reduceat(contents.copies[families.rows], families.starts) if len(families) else families.sizes
    found = {"family": [founders[at] for at in order.tolist()], "documents": documents[order]}
    return Named(founders, run, {"what": What.FOUNDED.value, "other": None, **found})


def family_row(
    family: ContentFamily,
    contents: Contents,
    settings: MatchSettings,
    view: View = View.CHAIN,
    *,
    founder: bytes | None = None,
) -> FamilyRow:
    """As it is stored: content ids for rows. One that has no name yet is named by its pivot."""
    ids = contents.numbers
    weakest = family.weakest and (ids[family.weakest[0]], ids[family.weakest[1]], family.weakest[2])
    to_pivot, pivot = family.to_pivot.get, family.pivot
    held = [(ids[row], Role.MEMBER.value, row == pivot, to_pivot(row)) for row in family.members]
    held += [(ids[row], Role.PART.value, False, to_pivot(row)) for row in family.parts]
    return FamilyRow(
        founder=founder or contents.digests[family.pivot],
        view=view.value,
        threshold=settings.threshold,
        containment=settings.containment,
        kind=family.kind.value,
        links=family.links,
        weakest=weakest,
        mean_resemblance=family.mean_resemblance,
        contents=held,
        estimated=frozenset([ids[row] for row in family.estimated]),
        unlisted=family.unlisted,
        evaluated=family.evaluated,
        weakest_exact=family.weakest_exact,
        mean_exact=family.mean_exact,
    )


def recall_to_pivot(connection: sqlite3.Connection, scheme: int, families: Families, contents: Contents) -> None:
    """How far documents are from their pivots, where the last run measured the same two: texts need not be read."""
    measured: dict[tuple[int, int], float] = {}
    for stored in family_rows(connection, scheme):
        pivot = next((content for content, _, is_pivot, _ in stored.contents if is_pivot), None)
        for content, _, _, to_pivot in stored.contents:
            if pivot is not None and to_pivot is not None:
                measured[pivot, content] = to_pivot
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    pairs = zip(contents.ids[pivots].tolist(), contents.ids[families.rows[unknown]].tolist(), strict=True)
    families.to_pivot[unknown] = [measured.get(pair, nan) for pair in pairs]
