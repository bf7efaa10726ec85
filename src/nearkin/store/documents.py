"""The documents that are there: listed, counted, grouped where they are identical."""

import sqlite3
from dataclasses import dataclass

from nearkin.model import Document, Location


def present(connection: sqlite3.Connection, *, failed: bool = False, without_text: bool = False) -> list[Document]:
    """The documents of the store, those that failed, or those with bytes but no text, in byte order of their paths."""
    only = "AND text IS NULL AND size > 0" if without_text else ""
    rows = connection.execute(
        f"""SELECT scope.name, path, size, mtime_ns, media, encoding, digest, reason, detail
            FROM present d JOIN scope ON scope.id = d.scope
            WHERE reason IS {"NOT NULL" if failed else "NULL"} {only} ORDER BY path, scope.name"""
    )
    return [
        Document(Location(scope, path), size, mtime, media, encoding, (digest or b"").hex(), reason, detail)
        for scope, path, size, mtime, media, encoding, digest, reason, detail in rows
    ]


def count_documents(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many there are, and how many files failed."""
    documents, failed = connection.execute(
        """SELECT count(*) FILTER (WHERE reason IS NULL), count(*) FILTER (WHERE reason IS NOT NULL)
           FROM present"""
    ).fetchone()
    return int(documents), int(failed)


@dataclass(frozen=True, slots=True)
class Held:
    """A document and what it holds; without text it has no content."""

    location: Location
    digest: bytes
    content: int | None
    length: int  # bytes of canonical text
    size: int


def held_in(connection: sqlite3.Connection, scope: str) -> list[Held]:
    """The documents of a scope, in byte order of their paths."""
    rows = connection.execute(
        """SELECT scope.name, d.path, d.digest, c.id, coalesce(c.length, d.size), d.size
           FROM present d JOIN scope ON scope.id = d.scope
           LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE scope.name = ? AND d.reason IS NULL ORDER BY d.path""",
        (scope,),
    )
    return [Held(Location(name, path), *rest) for name, path, *rest in rows]
