"""Renewal: documents whose kept text was made canonical in another way than wanted now. No bytes need be read."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nearkin.store.compression import unpack
from nearkin.store.staleness import CURRENT

AT_ONCE = 256  # texts …
ROOM = 4 << 20  # … or their characters

# Bytes taken raw are no extracted text, and what an older extractor made of them is not what ours would.
SUFFICES = f"t.zstd IS NOT NULL AND t.extractor IN ({', '.join(repr(name) for name in sorted(CURRENT))})"


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Renewed:
    """A document, and what its text was taken from and how."""

    id: int
    path: bytes
    digest: bytes
    extractor: str


def in_parts(items: Sequence[Item], sizes: Sequence[int]) -> Iterator[Sequence[Item]]:
    """As many at a time as are read at once."""
    start = size = 0
    for end, one in enumerate(sizes, 1):
        size += one
        if end - start == AT_ONCE or size >= ROOM or end == len(items):
            yield items[start:end]
            start, size = end, 0


def is_any_other(connection: sqlite3.Connection, canon: int) -> bool:
    """Whether there are contents of another canon at all."""
    return connection.execute("SELECT 1 FROM content WHERE canon <> ? LIMIT 1", (canon,)).fetchone() is not None


def renewable(connection: sqlite3.Connection, canon: int) -> Iterator[tuple[list[Renewed], list[bytes]]]:
    """Documents whose text is canonical in another way and was kept, some at a time, with these texts."""
    wanted = connection.execute(
        f"""SELECT d.id, d.path, t.digest, t.extractor, t.id, t.characters FROM present d
            JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
            WHERE d.reason IS NULL AND c.canon <> ? AND {SUFFICES} ORDER BY t.id""",
        (canon,),
    ).fetchall()
    for part in in_parts(wanted, [row[5] for row in wanted]):
        marks = ",".join("?" * len(part))
        packed = dict(connection.execute(f"SELECT id, zstd FROM text WHERE id IN ({marks})", [row[4] for row in part]))
        yield [Renewed(*row[:4]) for row in part], [unpack(packed[row[4]]) for row in part]


def renewed_before(connection: sqlite3.Connection, canon: int) -> list[tuple[int, int, bytes]]:
    """What scans that did not finish have made anew: these documents, the versions they follow, and their contents."""
    return connection.execute(
        """SELECT max(n.id), d.id, c.digest FROM document n JOIN present d ON d.id = n.before
           JOIN text t ON t.id = n.text JOIN content c ON c.id = t.content
           JOIN text o ON o.id = d.text JOIN content b ON b.id = o.content
           WHERE n.before IS NOT NULL AND n.seen NOT IN (SELECT id FROM finished)
           AND n.scope = d.scope AND n.path = d.path AND n.digest = d.digest AND c.canon = ?1 AND b.canon <> ?1
           GROUP BY d.id""",
        (canon,),
    ).fetchall()
