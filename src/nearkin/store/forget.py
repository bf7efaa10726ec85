"""Forgetting: a document's text, signature and history are purged for good; its digest stays in the audit.

All versions at its place go, and those it was moved here from. What they held goes unless another document, present
or in history, holds the same: then that is said. Digests are no texts: verdicts, families' names and the log of merges
and splits hang on them and stay.
"""

import os
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nearkin.errors import InputError, UsageError
from nearkin.model import Location
from nearkin.store.audit import record
from nearkin.store.bulk import remember_ids
from nearkin.store.database import one_scan, transaction, trusted, turn
from nearkin.store.documents import readings, spellings
from nearkin.store.maintenance import rewrite
from nearkin.store.scopes import Scope, all_scopes, naming
from nearkin.store.segments import drop_segments, one_builder, remove_unnamed

# Versions at the place, those they follow from elsewhere, and what came in any of them as in a container.
VERSIONS = """
WITH RECURSIVE whole (id) AS (
    SELECT id FROM document WHERE scope = ? AND path = ?
    UNION SELECT d.before FROM document d JOIN whole ON whole.id = d.id WHERE d.before IS NOT NULL
    UNION SELECT d.id FROM document d JOIN whole ON d.parent = whole.id
) INSERT OR IGNORE INTO temp.forgotten SELECT id FROM whole
"""
HELD = "FROM document WHERE id IN (SELECT id FROM temp.forgotten)"


@dataclass(frozen=True)
class Forgotten:
    location: Location
    versions: int
    digests: tuple[str, ...]  # of the bytes of these versions
    texts: int  # purged
    kept_for: tuple[Location, ...]  # who else holds the same bytes or words
    on_disk: bool  # the next scan would store it again


def _places(connection: sqlite3.Connection, scopes: list[Scope], name: str) -> list[tuple[int, Location, Path]]:
    meant = sorted({(scope.id, path): scope for places in readings(scopes, name) for scope, path in places}.items())
    return [
        (number, Location(scope.name, path), scope.root / os.fsdecode(path))
        for (number, path), scope in meant
        if connection.execute("SELECT 1 FROM document WHERE scope = ? AND path = ? LIMIT 1", (number, path)).fetchone()
    ]


def find_places(connection: sqlite3.Connection, names: Sequence[str]) -> list[tuple[int, Location, Path]]:
    """Documents by their path as listings show it, or by their file's; also those that are gone."""
    scopes = all_scopes(connection)
    found: dict[tuple[int, bytes], tuple[int, Location, Path]] = {}
    for name in names:
        # Whichever way it is read: nobody's document is forgotten because another has such a name.
        places = next(filter(None, (_places(connection, scopes, one) for one in spellings(name))), [])
        if not places:
            see = f"see: nearkin documents{naming(connection)}"
            raise InputError(f"No document at {name} is or was in this store; {see}")
        if len(places) > 1:
            choices = " or ".join(f"{place.scope}:{place.name}" for _, place, _ in places)
            raise UsageError(f"{name} may be several documents; name one: {choices}.")
        found[places[0][0], places[0][1].path] = places[0]
    return list(found.values())


def forget(connection: sqlite3.Connection, store: Path, names: Sequence[str], *, by: str) -> list[Forgotten]:
    """Refused while a scan runs. The file is written anew: some SQLites leave deleted rows in gaps between others."""
    with one_scan(store):
        connection.execute("PRAGMA secure_delete = ON")
        places = find_places(connection, names)
        # Not while a segment is written: it would hold what is forgotten.
        with one_builder(store, wait=True):
            with trusted(connection), turn(store), transaction(connection):
                remember_ids(connection)
                forgotten = [_forget(connection, *place, by=by) for place in places]
            remove_unnamed(connection, store)
        rewrite(connection, store)
    return forgotten


def _forget(connection: sqlite3.Connection, scope: int, location: Location, file: Path, *, by: str) -> Forgotten:
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS forgotten (id INTEGER PRIMARY KEY)")
    connection.execute("DELETE FROM temp.forgotten")
    connection.execute(VERSIONS, (scope, location.path))
    digests = [d for (d,) in connection.execute(f"SELECT DISTINCT digest {HELD} AND digest IS NOT NULL ORDER BY id")]
    held = {t for (t,) in connection.execute(f"SELECT DISTINCT text {HELD} AND text IS NOT NULL")}
    contents = {_content_of(connection, text) for text in held}
    (versions,) = connection.execute("SELECT count(*) FROM temp.forgotten").fetchone()
    connection.execute("UPDATE document SET before = NULL WHERE before IN (SELECT id FROM temp.forgotten)")
    connection.execute("DELETE FROM document WHERE id IN (SELECT id FROM temp.forgotten)")
    purged = _purge_texts(connection, held, contents, digests)
    kept_for = _holders(connection, contents, digests)
    gone = [
        content
        for content in sorted(contents)
        if not connection.execute("SELECT 1 FROM text WHERE content = ? LIMIT 1", (content,)).fetchone()
    ]
    _purge_contents(connection, gone)
    record(
        connection,
        by=by,
        action="forget",
        subject=f"{location.scope}:{location.name}",
        before={"digests": [digest.hex() for digest in digests], "versions": versions, "texts": purged},
    )
    return Forgotten(
        location, versions, tuple(digest.hex() for digest in digests), purged, tuple(kept_for), file.is_file()
    )


def _content_of(connection: sqlite3.Connection, text: int) -> int:
    (content,) = connection.execute("SELECT content FROM text WHERE id = ?", (text,)).fetchone()
    return int(content)


def _purge_texts(connection: sqlite3.Connection, held: set[int], contents: set[int], digests: list[bytes]) -> int:
    """Also those of the same bytes or words that nobody holds any more: a killed scan may have left them."""
    candidates = set(held)
    for content in contents:
        candidates.update(t for (t,) in connection.execute("SELECT id FROM text WHERE content = ?", (content,)))
    for digest in digests:
        candidates.update(t for (t,) in connection.execute("SELECT id FROM text WHERE digest = ?", (digest,)))
    purged = 0
    for text in sorted(candidates):
        contents.add(_content_of(connection, text))
        if not connection.execute("SELECT 1 FROM document WHERE text = ? LIMIT 1", (text,)).fetchone():
            connection.execute("DELETE FROM text WHERE id = ?", (text,))
            purged += 1
    return purged


def _holders(connection: sqlite3.Connection, contents: set[int], digests: list[bytes]) -> list[Location]:
    found: set[Location] = set()
    for column, keys in (("content", sorted(contents)), ("digest", digests)):
        for key in keys:
            rows = connection.execute(
                f"""SELECT scope.name, d.path FROM text t JOIN document d ON d.text = t.id
                    JOIN scope ON scope.id = d.scope WHERE t.{column} = ?""",
                (key,),
            )
            found.update(Location(scope, path) for scope, path in rows)
    return sorted(found)


def _purge_contents(connection: sqlite3.Connection, contents: list[int]) -> None:
    """Everything that was made of them. Families keep their other members until they are grouped again: at once, or by
    the next scan where someone is in the way; whoever reads meanwhile finds each with a pivot."""
    schemes = [scheme for (scheme,) in connection.execute("SELECT id FROM scheme").fetchall()]
    touched: set[int] = set()
    for content in contents:
        for scheme in schemes:
            if _purge_signature(connection, scheme, content):
                touched.add(scheme)
        families = [
            family
            for (family,) in connection.execute("SELECT family FROM family_content WHERE content = ?", (content,))
        ]
        connection.execute("DELETE FROM family_content WHERE content = ?", (content,))
        for family in families:
            connection.execute(
                """UPDATE family SET weakest_a = NULL, weakest_b = NULL, weakest = NULL
                   WHERE id = ?1 AND ?2 IN (weakest_a, weakest_b)""",
                (family, content),
            )
            _settle_family(connection, family)
        connection.execute("DELETE FROM content WHERE id = ?", (content,))
    if touched:
        drop_segments(connection, sorted(touched))


def _settle_family(connection: sqlite3.Connection, family: int) -> None:
    """Without its pivot the member that was nearest to it takes its place; one document alone is no family."""
    left = connection.execute(
        """SELECT content, pivot FROM family_content WHERE family = ?
           ORDER BY pivot DESC, role, to_pivot DESC, content""",
        (family,),
    ).fetchall()
    if not left or (len(left) == 1 and _documents_of(connection, left[0][0]) < 2):
        connection.execute("DELETE FROM family_content WHERE family = ?", (family,))
        connection.execute("DELETE FROM family WHERE id = ?", (family,))
    elif not left[0][1]:
        connection.execute(
            "UPDATE family_content SET pivot = content = ?2, to_pivot = iif(content = ?2, 1.0, NULL) WHERE family = ?1",
            (family, left[0][0]),
        )


def _documents_of(connection: sqlite3.Connection, content: int) -> int:
    query = "SELECT count(*) FROM text t JOIN present d ON d.text = t.id WHERE t.content = ?"
    return int(connection.execute(query, (content,)).fetchone()[0])


def _purge_signature(connection: sqlite3.Connection, scheme: int, content: int) -> bool:
    """Whether there was one."""
    key = (scheme, content)
    row = connection.execute("SELECT features FROM signature WHERE scheme = ? AND content = ?", key).fetchone()
    if row is None:
        return False
    for number in np.frombuffer(row[0], "<i8").tolist():
        connection.execute(
            "DELETE FROM code WHERE scheme = ? AND number = ? AND content = ?", (scheme, number, content)
        )
    for statement in (
        "DELETE FROM delta WHERE scheme = ? AND content = ?",
        "DELETE FROM match WHERE scheme = ? AND a = ?",
        "DELETE FROM match INDEXED BY match_b WHERE scheme = ? AND b = ?",  # SQLite 3.46 would go through all of them
        "DELETE FROM signature WHERE scheme = ? AND content = ?",
    ):
        connection.execute(statement, key)
    return True
