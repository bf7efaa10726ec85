"""The families of a run, written all at once when it ends, and read back; and the record of merges and splits."""

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.bulk import columns, insert_columns


@dataclass(frozen=True)
class FamilyRow:
    """A family of contents, as stored or as grouped anew."""

    founder: bytes
    view: str
    threshold: float
    containment: float
    kind: str
    links: int
    weakest: tuple[int, int, float] | None  # content ids
    mean_resemblance: float | None
    contents: list[tuple[int, str, bool, float | None]]  # content id, role, pivot, to_pivot
    estimated: frozenset[int] = frozenset()  # content ids whose to_pivot is an estimate; there are none in stored rows
    unlisted: int = 0  # pairs of members that were not compared
    evaluated: bool = True  # False: not all pairs of members were listed, so it is no clique but the chain
    most_distant: tuple[int, int, float, bool] | None = None  # content ids, resemblance, measured or not; never stored
    weakest_exact: bool = True  # False: its resemblance is an estimate
    mean_exact: bool = True  # False: some of what the mean is of are estimates


def replace_families(
    connection: sqlite3.Connection,
    scheme: int,
    families: Mapping[str, Any],
    sizes: NDArray[np.int64],
    held: Mapping[str, Any],
) -> None:
    """Store columns (see `insert_columns`) of families, and of the contents they hold: `sizes` says how many each."""
    connection.execute("DELETE FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)", (scheme,))
    connection.execute("DELETE FROM family WHERE scheme = ?", (scheme,))
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM family").fetchone()
    ids = np.arange(int(last) + 1, int(last) + 1 + len(sizes))
    insert_columns(connection, "family", {"id": ids, "scheme": scheme, **families})
    insert_columns(connection, "family_content", {"family": np.repeat(ids, sizes), **held})


def unlisted_contents(connection: sqlite3.Connection, scheme: int) -> NDArray[np.int64]:
    """Contents of families whose pairs were not all compared: hot features have linked them as stars."""
    rows = connection.execute(
        """SELECT content FROM family_content
           WHERE family IN (SELECT id FROM family WHERE scheme = ? AND unlisted > 0)""",
        (scheme,),
    )
    return np.array([content for (content,) in rows], np.int64)


def contents_of_kind(connection: sqlite3.Connection, scheme: int, kind: str) -> NDArray[np.int64]:
    """Members of the families of this kind."""
    (contents,) = columns(
        connection,
        ("content",),
        f"""FROM family_content WHERE role = 'member'
            AND family IN (SELECT id FROM family WHERE scheme = ? AND kind = '{kind}')""",
        scheme,
    )
    return contents


def family_members(connection: sqlite3.Connection, scheme: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Contents, members and parts, and the id of the family each is in."""
    contents, families = columns(
        connection,
        ("content", "family"),
        "FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)",
        scheme,
    )
    return contents, families


def family_rows(connection: sqlite3.Connection, scheme: int, only: Sequence[int] | None = None) -> list[FamilyRow]:
    """Read all families of a scheme, or those with these ids."""
    if only is None:
        return _family_rows(connection, "", scheme)
    rows: list[FamilyRow] = []
    for start in range(0, len(only), 500):
        ids = only[start : start + 500]
        rows += _family_rows(connection, f"AND id IN ({','.join('?' * len(ids))})", scheme, *ids)
    return rows


def _family_rows(connection: sqlite3.Connection, condition: str, *given: int) -> list[FamilyRow]:
    contents: dict[int, list[tuple[int, str, bool, float | None]]] = {}
    for family, content, role, pivot, to_pivot in connection.execute(
        f"""SELECT family, content, role, pivot, to_pivot FROM family_content
            WHERE family IN (SELECT id FROM family WHERE scheme = ? {condition})""",
        given,
    ):
        contents.setdefault(family, []).append((content, role, bool(pivot), to_pivot))
    return [
        FamilyRow(
            founder,
            view,
            threshold,
            containment,
            kind,
            links,
            None if a is None else (a, b, weakest),
            mean,
            contents[number],
            weakest_exact=bool(weakest_exact),
            mean_exact=bool(mean_exact),
        )
        for (
            number, founder, view, threshold, containment, kind, links, a, b, weakest, weakest_exact, mean, mean_exact,
        ) in connection.execute(
            f"""SELECT id, founder, view, threshold, containment, kind, links, weakest_a, weakest_b, weakest,
                       weakest_exact, mean_resemblance, mean_exact FROM family WHERE scheme = ? {condition}""",
            given,
        )
    ]  # fmt: skip


@dataclass(frozen=True)
class PastEvent:
    """A family that was founded, merged into another, split from one or ended."""

    run: int
    at: str
    what: str
    family: bytes
    other: bytes | None
    documents: int
    place: Location | None  # of the first document that held the founding content; None: all were forgotten


def documents_of_families(connection: sqlite3.Connection, scheme: int, run: int) -> dict[tuple[bytes, int], set[int]]:
    """The documents of each family, as a finished run left it: those that are still there, or what they became."""
    latest = _latest_versions(connection)
    documents: dict[tuple[bytes, int], set[int]] = defaultdict(set)
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
        documents[founder, since].add(latest.get(document, document))
    return documents


def _latest_versions(connection: sqlite3.Connection) -> dict[int, int]:
    """Map each version that is gone to the one that is there now, however many were between."""
    before = dict(connection.execute("SELECT id, before FROM document WHERE before IS NOT NULL"))
    latest_of: dict[int, int] = {}
    for (latest,) in connection.execute("SELECT id FROM present WHERE before IS NOT NULL"):
        past = before.get(latest)
        while past is not None and past not in latest_of:
            latest_of[past] = latest
            past = before.get(past)
    return latest_of


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
    documents: dict[int, list[int]] = defaultdict(list)
    for content, document in connection.execute(
        "SELECT t.content, d.id FROM present d JOIN text t ON t.id = d.text WHERE d.reason IS NULL"
    ):
        documents[content].append(document)
    return documents


def record_events(connection: sqlite3.Connection, run: int, events: Mapping[str, Any]) -> None:
    """Store columns (see `insert_columns`): what, family, other, documents."""
    insert_columns(connection, "family_event", {"run": run, **events})


def history(connection: sqlite3.Connection) -> list[PastEvent]:
    """List all events, the latest first."""
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
    """Where the first document in byte order with the founding content is or was.

    An id alone does not say what a family was about, so versions that are gone count, too.
    """
    row = connection.execute(
        """SELECT scope.name, d.path FROM content c JOIN text t ON t.content = c.id JOIN document d ON d.text = t.id
           JOIN scope ON scope.id = d.scope WHERE c.digest = ? ORDER BY d.path, scope.name LIMIT 1""",
        (family,),
    ).fetchone()
    return None if row is None else Location(*row)
