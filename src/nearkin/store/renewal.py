"""Renewal: documents whose kept text was made canonical in another way than wanted now. No bytes need be read."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from nearkin.store.packing import unpack
from nearkin.store.staleness import CURRENT

AT_ONCE = 256

# Bytes taken raw are no extracted text, and what an older extractor made of them is not what ours would.
SUFFICES = f"t.zstd IS NOT NULL AND t.extractor IN ({', '.join(repr(name) for name in sorted(CURRENT))})"


@dataclass(frozen=True, slots=True)
class Renewed:
    """A document, and what its text was taken from and how."""

    id: int
    path: bytes
    digest: bytes
    extractor: str


def renewable(connection: sqlite3.Connection, canon: int) -> Iterator[tuple[list[Renewed], list[bytes]]]:
    """Documents whose text is canonical in another way and was kept, some at a time, with these texts."""
    if connection.execute("SELECT 1 FROM content WHERE canon <> ? LIMIT 1", (canon,)).fetchone() is None:
        return
    wanted = connection.execute(
        f"""SELECT d.id, d.path, t.digest, t.extractor, t.id FROM present d
            JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
            WHERE d.reason IS NULL AND c.canon <> ? AND {SUFFICES} ORDER BY t.id""",
        (canon,),
    ).fetchall()
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        marks = ",".join("?" * len(part))
        packed = dict(connection.execute(f"SELECT id, zstd FROM text WHERE id IN ({marks})", [row[4] for row in part]))
        yield [Renewed(*row[:4]) for row in part], [unpack(packed[row[4]]) for row in part]
