"""What became of families: how they were when a run had finished, and the record of merges and splits."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from nearkin.model import Location
from nearkin.store.rows import insert_rows


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
    became = dict(connection.execute("SELECT before, id FROM present WHERE before IS NOT NULL"))
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


def documents_by_content(connection: sqlite3.Connection) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for content, document in connection.execute(
        "SELECT t.content, d.id FROM present d JOIN text t ON t.id = d.text WHERE d.reason IS NULL"
    ):
        found[content].append(document)
    return found


def names_used(connection: sqlite3.Connection) -> frozenset[bytes]:
    """Also those of families that are no more."""
    rows = connection.execute("SELECT family FROM family_event UNION SELECT founder FROM family")
    return frozenset(name for (name,) in rows)


def record_events(
    connection: sqlite3.Connection, run: int, events: Iterable[tuple[str, bytes, bytes | None, int]]
) -> None:
    """(what, family, other, documents)."""
    insert_rows(
        connection,
        "INSERT INTO family_event (run, what, family, other, documents)",
        ((run, *event) for event in events),
    )


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
