"""Families and their lasting names: those of the last finished run are carried on."""

import sqlite3
from collections.abc import Sequence
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from nearkin.group.family import ContentFamily
from nearkin.group.family_columns import MEMBER, PART
from nearkin.group.identity import Event, Found, Known, Name, What, name_families
from nearkin.model import View
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents
from nearkin.store.family_history import documents_by_content, documents_of_families
from nearkin.store.results import FamilyRow, family_rows


def named(
    connection: sqlite3.Connection,
    families: Sequence[ContentFamily],
    contents: Contents,
    copies: NDArray[np.int64],
    last: tuple[int, int] | None,
) -> tuple[list[Name], list[Event]]:
    """`copies` are documents of each content; `last` is the last finished run and its scheme, None: there was none."""
    if last is None:
        return _founded(families, contents, copies.tolist())
    run, scheme = last
    known = documents_of_families(connection, scheme, run)
    before = [Known(founder, since, frozenset(documents)) for (founder, since), documents in sorted(known.items())]
    documents = documents_by_content(connection)
    ids = contents.numbers
    now = []
    for family in families:
        rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
        holders = frozenset(document for row in rows for document in documents[ids[row]])
        now.append(Found(holders, [contents.digests[row] for row in rows]))
    return name_families(before, now)


def _founded(
    families: Sequence[ContentFamily], contents: Contents, copies: list[int]
) -> tuple[list[Name], list[Event]]:
    """As `name_families` names those of a first run, each by its pivot. It is the run that people wait for, and sets of
    documents were a twentieth of it."""
    names, events = [], []
    for family in families:
        founder = contents.digests[family.pivot]
        names.append(Name(founder, None))
        held = sum([copies[row] for row in (*family.members, *family.parts)])
        events.append(Event(What.FOUNDED, founder, None, held))
    events.sort(key=attrgetter("family"))
    return names, events


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
    held = [(ids[row], MEMBER, row == pivot, to_pivot(row)) for row in family.members]
    held += [(ids[row], PART, False, to_pivot(row)) for row in family.parts]
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
    )


def recall_to_pivot(
    connection: sqlite3.Connection, scheme: int, families: Sequence[ContentFamily], contents: Contents
) -> None:
    """How far documents are from their pivots, where the last run measured the same two: texts need not be read."""
    measured: dict[tuple[int, int], float] = {}
    for stored in family_rows(connection, scheme):
        pivot = next((content for content, _, is_pivot, _ in stored.contents if is_pivot), None)
        for content, _, _, to_pivot in stored.contents:
            if pivot is not None and to_pivot is not None:
                measured[pivot, content] = to_pivot
    ids = contents.numbers
    for family in families:
        for row in (*family.members, *family.parts):
            known = measured.get((ids[family.pivot], ids[row]))
            if known is not None:
                family.to_pivot.setdefault(row, known)
