"""Holders: which documents have given bytes, which have a given content. Few are asked for, so each is looked up."""

import sqlite3
from collections.abc import Sequence

from nearkin.model import Location
from nearkin.store.contents import FRESH

DOCUMENT = """FROM present d JOIN scope ON scope.id = d.scope
              {} WHERE d.reason IS NULL AND"""
LOOK_UP = 500  # keys a query


def documents_of_bytes(connection: sqlite3.Connection, digest: bytes) -> list[Location]:
    """In byte order."""
    rows = connection.execute(
        f"""SELECT scope.name, d.path {DOCUMENT.format("JOIN text t ON t.id = d.text")} t.digest = ?1
            UNION SELECT scope.name, d.path {DOCUMENT.format("")} d.text IS NULL AND d.digest = ?1""",
        (digest,),
    )
    return sorted(Location(scope, path) for scope, path in rows)


def content_of(connection: sqlite3.Connection, digest: bytes, canon: int) -> int | None:
    row = connection.execute("SELECT id FROM content WHERE digest = ? AND canon = ?", (digest, canon)).fetchone()
    return None if row is None else int(row[0])


def documents_of(connection: sqlite3.Connection, contents: Sequence[int]) -> dict[int, list[Location]]:
    """For every content that is present its documents, in byte order: the first one names it."""
    found: dict[int, list[Location]] = {}
    for start in range(0, len(contents), LOOK_UP):
        part = contents[start : start + LOOK_UP]
        rows = connection.execute(
            f"""SELECT t.content, scope.name, d.path {DOCUMENT.format("JOIN text t ON t.id = d.text")}
                t.content IN ({",".join("?" * len(part))}) AND {FRESH} ORDER BY d.path, scope.name""",
            tuple(part),
        )
        for content, scope, path in rows:
            found.setdefault(content, []).append(Location(scope, path))
    return found
