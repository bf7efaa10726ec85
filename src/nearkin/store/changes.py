"""What a run changed: documents that are new, changed, moved or gone."""

import sqlite3
from collections import defaultdict
from dataclasses import dataclass

from nearkin.store.known import Version


@dataclass(frozen=True)
class Changes:
    new: int = 0
    changed: int = 0
    moved: int = 0
    gone: int = 0

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.moved or self.gone)


@dataclass(frozen=True)
class Move:
    before: Version
    id: int  # what it is now
    path: bytes


def recognise_moves(connection: sqlite3.Connection, scope: int, run: int, vanished: list[Version]) -> list[Move]:
    """Give the new documents that have a vanished one's bytes that one as predecessor.

    The same inode is the best proof of a move, the same name the next best; then they are paired in byte order.
    """
    wanted = {version.digest for version in vanished if version.digest is not None and version.size}
    if not wanted:
        return []
    arrived: dict[bytes, list[tuple[int, bytes, int]]] = defaultdict(list)
    for number, path, inode, digest in connection.execute(
        """SELECT id, path, inode, digest FROM document
           WHERE scope = ? AND seen = ? AND before IS NULL AND parent IS NULL AND reason IS NULL ORDER BY path""",
        (scope, run),
    ):
        if digest in wanted:
            arrived[digest].append((number, path, inode))
    moved = []
    for version in vanished:
        there = arrived.get(version.digest or b"", [])
        if there:
            best = min(there, key=lambda one: (one[2] != version.inode, _name(one[1]) != _name(version.path)))
            there.remove(best)
            connection.execute("UPDATE document SET before = ? WHERE id = ?", (version.id, best[0]))
            moved.append(Move(version, best[0], best[1]))
    return moved


def count_changes(connection: sqlite3.Connection, scope: int, run: int, *, gone: int) -> Changes:
    new, changed, moved = connection.execute(
        """SELECT count(*) FILTER (WHERE b.id IS NULL),
                  count(*) FILTER (WHERE b.path = d.path AND b.digest IS NOT d.digest),
                  count(*) FILTER (WHERE b.path <> d.path)
           FROM document d LEFT JOIN document b ON b.id = d.before WHERE d.scope = ? AND d.seen = ?""",
        (scope, run),
    ).fetchone()
    return Changes(new, changed, moved, gone)


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
