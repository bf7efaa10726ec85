"""The documents that are there: listed, counted, grouped where they are identical."""

import sqlite3
from dataclasses import dataclass

from nearkin.model import Document, IdenticalGroup, Location


def present(connection: sqlite3.Connection, *, failed: bool = False) -> list[Document]:
    """The documents of the store, or those that failed, in byte order of their paths."""
    rows = connection.execute(
        f"""SELECT scope.name, path, size, mtime_ns, media, encoding, digest, reason, detail
            FROM present d JOIN scope ON scope.id = d.scope
            WHERE reason IS {"NOT NULL" if failed else "NULL"} ORDER BY path, scope.name"""
    )
    return [
        Document(Location(scope, path), size, mtime, media, encoding, (digest or b"").hex(), reason, detail)
        for scope, path, size, mtime, media, encoding, digest, reason, detail in rows
    ]


def identical_groups(connection: sqlite3.Connection) -> list[IdenticalGroup]:
    """Same bytes, and same words in other bytes; most documents first, then largest overhead.

    Overhead is what keeping one copy would save: the others of equal size, or all but the largest of equal words.
    """
    groups: dict[tuple[str, bytes], list[tuple[Location, int]]] = {}
    rows = connection.execute(
        """SELECT scope.name, d.path, d.size, d.digest, c.digest, c.length
           FROM present d JOIN scope ON scope.id = d.scope
           LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE d.reason IS NULL ORDER BY d.path, scope.name"""
    )
    bytes_in_words: dict[bytes, set[bytes]] = {}
    for scope, path, size, digest, words, length in rows:
        if size == 0:
            continue  # nothing in common: empty files would make the largest group of most repositories
        location = Location(scope, path)
        groups.setdefault(("bytes", digest), []).append((location, size))
        if words is not None and length:
            groups.setdefault(("words", words), []).append((location, size))
            bytes_in_words.setdefault(words, set()).add(digest)
    found = []
    for (tier, digest), documents in groups.items():
        if len(documents) < 2 or (tier == "words" and len(bytes_in_words[digest]) < 2):
            continue
        sizes = [size for _, size in documents]
        largest = max(sizes)
        found.append(IdenticalGroup(tier, largest, sum(sizes) - largest, tuple(location for location, _ in documents)))
    return sorted(found, key=lambda group: (-len(group.documents), -group.overhead, group.documents[0].path))


def count_identical(connection: sqlite3.Connection) -> int:
    """How many groups identical_groups would list."""
    (same_bytes,) = connection.execute(
        """SELECT count(*) FROM (SELECT 1 FROM present WHERE reason IS NULL AND size > 0
                                 GROUP BY digest HAVING count(*) > 1)"""
    ).fetchone()
    (same_words,) = connection.execute(
        """SELECT count(*) FROM (
               SELECT 1 FROM present d JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
               WHERE d.reason IS NULL AND c.length > 0
               GROUP BY t.content HAVING count(*) > 1 AND min(d.digest) < max(d.digest))"""
    ).fetchone()
    return int(same_bytes + same_words)


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


def held_in(connection: sqlite3.Connection, scope: str) -> list[Held]:
    """The documents of a scope, in byte order of their paths."""
    rows = connection.execute(
        """SELECT scope.name, d.path, d.digest, c.id, coalesce(c.length, d.size)
           FROM present d JOIN scope ON scope.id = d.scope
           LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE scope.name = ? AND d.reason IS NULL ORDER BY d.path""",
        (scope,),
    )
    return [Held(Location(name, path), digest, content, length) for name, path, digest, content, length in rows]
