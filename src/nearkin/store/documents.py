"""The documents that are there: listed, counted, grouped where they are identical."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from nearkin.model import Document, Location


def present(connection: sqlite3.Connection, *, failed: bool = False, without_text: bool = False) -> list[Document]:
    """The documents of the store, those that failed, or those with bytes but no text, in byte order of their paths."""
    return list(each_present(connection, failed=failed, without_text=without_text))


def each_present(
    connection: sqlite3.Connection, *, failed: bool = False, without_text: bool = False
) -> Iterator[Document]:
    """The same one by one, however many there are."""
    textless = "AND d.text IS NULL AND d.size > 0 AND NOT EXISTS (SELECT 1 FROM document m WHERE m.parent = d.id)"
    rows = connection.execute(
        f"""SELECT scope.name, d.path, d.size, d.mtime_ns, d.media, d.encoding, d.digest, d.reason, d.detail,
                   d.owner, d.custodian, d.properties, hex(d.md5), hex(d.sha1), p.path
            FROM present d JOIN scope ON scope.id = d.scope LEFT JOIN document p ON p.id = d.parent
            WHERE d.reason IS {"NOT NULL" if failed else "NULL"} {textless if without_text else ""}
            ORDER BY d.path, scope.name"""
    )
    return (
        Document(
            Location(scope, path),
            size,
            mtime,
            media,
            encoding,
            (digest or b"").hex(),
            reason,
            detail,
            parent=None if parent is None else Location(scope, parent),
            owner=owner,
            custodian=custodian,
            properties=json.loads(properties) if properties else {},
            md5=md5.lower() or None,
            sha1=sha1.lower() or None,
        )
        for (
            scope, path, size, mtime, media, encoding, digest, reason, detail,
            owner, custodian, properties, md5, sha1, parent,
        ) in rows
    )  # fmt: skip


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
