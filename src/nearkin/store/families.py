"""What became of families: how they were when a run had finished, and the record of merges and splits."""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.bulk import insert_columns
from nearkin.store.matches import family_members


@dataclass(frozen=True)
class PastEvent:
    run: int
    at: str
    what: str
    family: bytes
    other: bytes | None
    documents: int
    place: Location | None  # of the first document that held the founding content; None: all were forgotten


def documents_of_families(connection: sqlite3.Connection, scheme: int, run: int) -> dict[tuple[bytes, int], set[int]]:
    """For each family, as a finished run left it, its documents: those that are still there, or what they became."""
    became = _latest_versions(connection)
    found: dict[tuple[bytes, int], set[int]] = defaultdict(set)
    rows = connection.execute(
        """WITH done AS (SELECT id FROM run WHERE state = 'done' AND id <= ?1)
           SELECT f.founder, coalesce(f.since, f.run), d.id FROM family f
           JOIN family_content m ON m.family = f.id JOIN text t ON t.content = m.content
           JOIN document d ON d.text = t.id
           WHERE f.scheme = ?2 AND d.reason IS NULL
           AND d.seen IN (SELECT id FROM done) AND (d.gone IS NULL OR d.gone NOT IN (SELECT id FROM done))""",
        (run, scheme),
    )
    for founder, since, document in rows:
        found[founder, since].add(became.get(document, document))
    return found


def _latest_versions(connection: sqlite3.Connection) -> dict[int, int]:
    """For versions that are gone the one that is there now, however many were between."""
    before = dict(connection.execute("SELECT id, before FROM document WHERE before IS NOT NULL"))
    found: dict[int, int] = {}
    for (latest,) in connection.execute("SELECT id FROM present WHERE before IS NOT NULL"):
        past = before.get(latest)
        while past is not None and past not in found:
            found[past] = latest
            past = before.get(past)
    return found


def stored_members(connection: sqlite3.Connection, scheme: int) -> tuple[list[bytes], NDArray[np.int64]]:
    """The families of the last run by their age and founder; and rows of (content, its family's place among these)."""
    rows = connection.execute(
        "SELECT id, founder FROM family WHERE scheme = ? ORDER BY coalesce(since, run), founder", (scheme,)
    ).fetchall()
    place = np.zeros(max((number for number, _ in rows), default=0) + 1, np.int64)
    place[[number for number, _ in rows]] = np.arange(len(rows))
    contents, families = family_members(connection, scheme)
    return [founder for _, founder in rows], np.stack([contents, place[families]], axis=1)


def documents_by_content(connection: sqlite3.Connection) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for content, document in connection.execute(
        "SELECT t.content, d.id FROM present d JOIN text t ON t.id = d.text WHERE d.reason IS NULL"
    ):
        found[content].append(document)
    return found


def record_events(connection: sqlite3.Connection, run: int, events: Mapping[str, Any]) -> None:
    """Columns, as of `insert_columns`: what, family, other, documents."""
    insert_columns(connection, "family_event", {"run": run, **events})


def history(connection: sqlite3.Connection) -> list[PastEvent]:
    """Latest first."""
    rows = connection.execute(
        """SELECT e.run, coalesce(r.ended, r.started), e.what, e.family, e.other, e.documents
           FROM family_event e JOIN run r ON r.id = e.run WHERE r.state = 'done' ORDER BY e.run DESC, e.id"""
    ).fetchall()
    places = {family: _founding_place(connection, family) for family in {row[3] for row in rows}}
    return [
        PastEvent(run, at, what, family, other, documents, places[family])
        for run, at, what, family, other, documents in rows
    ]


def _founding_place(connection: sqlite3.Connection, family: bytes) -> Location | None:
    """The first in byte order, also of versions that are gone: an id alone tells nobody what a family was about."""
    row = connection.execute(
        """SELECT scope.name, d.path FROM content c JOIN text t ON t.content = c.id JOIN document d ON d.text = t.id
           JOIN scope ON scope.id = d.scope WHERE c.digest = ? ORDER BY d.path, scope.name LIMIT 1""",
        (family,),
    ).fetchone()
    return None if row is None else Location(*row)
