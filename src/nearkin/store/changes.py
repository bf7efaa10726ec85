"""What a run changed: documents that are new, changed, moved or gone, counted and listed."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from nearkin.model import Change, Document, Location
from nearkin.store.freshness import Version


@dataclass(frozen=True)
class Changes:
    """How many documents a scan found to be so."""

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
           WHERE scope = ? AND seen = ? AND before IS NULL AND parent IS NULL ORDER BY path""",
        (scope, run),
    ):
        if digest in wanted:
            arrived[digest].append((number, path, inode))
    moves: list[Move] = []
    left = vanished
    for key in (lambda path, inode: (inode,), lambda path, _: (_name(path),), lambda *_: ()):
        left = _paired(left, arrived, key, moves)
    connection.executemany("UPDATE document SET before = ? WHERE id = ?", ((move.before.id, move.id) for move in moves))
    return moves


def _paired(
    vanished: list[Version],
    arrived: dict[bytes, list[tuple[int, bytes, int]]],
    key: Callable[[bytes, int], tuple[object, ...]],
    moves: list[Move],
) -> list[Version]:
    """Pair those of the same bytes and key, in byte order; who is left."""
    waiting: dict[tuple[object, ...], list[tuple[int, bytes]]] = defaultdict(list)
    for digest, there in arrived.items():
        for number, path, inode in reversed(there):
            waiting[digest, *key(path, inode)].append((number, path))
    taken: set[int] = set()
    left = []
    for version in vanished:
        found = waiting.get((version.digest, *key(version.path, version.inode)))
        if found:
            number, path = found.pop()
            taken.add(number)
            moves.append(Move(version, number, path))
        else:
            left.append(version)
    for digest, there in arrived.items():
        arrived[digest] = [one for one in there if one[0] not in taken]
    return left


# A folder that could not be looked into is noted like a file that failed, of no kind, and is no document.
DOCUMENT = "(d.media <> '' OR d.parent IS NOT NULL)"
# Also one of the same bytes that can be read at last, or no longer.
CHANGED = "(b.digest IS NOT d.digest OR (b.reason IS NULL) <> (d.reason IS NULL))"


def count_changes(connection: sqlite3.Connection, scope: int, run: int, *, gone: int) -> Changes:
    new, changed, moved = connection.execute(
        f"""SELECT count(*) FILTER (WHERE b.id IS NULL),
                  count(*) FILTER (WHERE b.path = d.path AND {CHANGED}),
                  count(*) FILTER (WHERE b.path <> d.path)
           FROM document d LEFT JOIN document b ON b.id = d.before WHERE d.scope = ? AND d.seen = ? AND {DOCUMENT}""",
        (scope, run),
    ).fetchone()
    return Changes(new, changed, moved, gone)


# Documents checked in that a scan took over did not go: it has them at their own place, or read them itself. Those of a
# scope that was dropped since are there no more, whatever the scan found.
LISTED = f"""
WITH last (run) AS (SELECT max(id) FROM run WHERE kind = 'scan' AND state = 'done')
SELECT CASE WHEN b.id IS NULL THEN 'new' WHEN b.path <> d.path THEN 'moved' ELSE 'changed' END,
       scope.name, d.path, d.size, d.mtime_ns, d.media, d.encoding, d.digest, d.reason, d.detail,
       CASE WHEN b.path <> d.path THEN b.path END
FROM last JOIN document d ON d.seen = run JOIN scope ON scope.id = d.scope LEFT JOIN document b ON b.id = d.before
WHERE (b.id IS NULL OR b.path <> d.path OR {CHANGED}) AND {DOCUMENT}
AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = d.gone AND r.kind = 'regroup' AND r.state = 'done')
UNION ALL
SELECT 'gone', scope.name, d.path, d.size, d.mtime_ns, d.media, d.encoding, d.digest, d.reason, d.detail, NULL
FROM last JOIN document d ON d.gone = run JOIN scope ON scope.id = d.scope
WHERE scope.root <> x'' AND d.seen < run AND {DOCUMENT}
AND NOT EXISTS (SELECT 1 FROM document n WHERE n.before = d.id AND n.seen = run)
ORDER BY 3, 2
"""
ORDER = ("new", "changed", "moved", "gone")


def list_changes(connection: sqlite3.Connection) -> list[Change]:
    """Of the last scan that finished; by kind, then in byte order of their paths."""
    found = [
        Change(
            what,
            Document(Location(scope, path), size, mtime, media, encoding, (digest or b"").hex(), reason, detail),
            None if before is None else Location(scope, before),
        )
        for what, scope, path, size, mtime, media, encoding, digest, reason, detail, before in connection.execute(
            LISTED
        )
    ]
    return sorted(found, key=lambda change: ORDER.index(change.what))


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]
