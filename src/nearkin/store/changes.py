"""Changes of a run: documents that are new, changed, moved or gone, counted and listed.

Additions are documents that were checked in one by one, between scans; a scan that comes by their place takes over from
them. Dropping a scope makes its documents gone, as if a scan had met an empty folder. Their history stays.
"""

import os
import sqlite3
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from nearkin import model
from nearkin.model import Change, Document, Location
from nearkin.store.audit import record
from nearkin.store.freshness import Version
from nearkin.store.scopes import Scope


@dataclass(frozen=True)
class Changes:
    """How many documents a scan found new, changed, moved and gone."""

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
    """Pair documents of the same bytes and key, in byte order; the versions that are left."""
    waiting: dict[tuple[object, ...], list[tuple[int, bytes]]] = defaultdict(list)
    for digest, there in arrived.items():
        for number, path, inode in reversed(there):
            waiting[digest, *key(path, inode)].append((number, path))
    taken: set[int] = set()
    left = []
    for version in vanished:
        candidates = waiting.get((version.digest, *key(version.path, version.inode)))
        if candidates:
            number, path = candidates.pop()
            taken.add(number)
            moves.append(Move(version, number, path))
        else:
            left.append(version)
    for digest, there in arrived.items():
        arrived[digest] = [row for row in there if row[0] not in taken]
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
LISTED_COLUMNS = [name for name in model.DOCUMENT.attributes if not model.DOCUMENT[name].when]
OWN = ", ".join(f"d.{name}" for name in LISTED_COLUMNS)
LISTED = f"""
WITH last (run) AS (SELECT max(id) FROM run WHERE kind = 'scan' AND state = 'done')
SELECT CASE WHEN b.id IS NULL THEN 'new' WHEN b.path <> d.path THEN 'moved' ELSE 'changed' END,
       scope.name, d.path, CASE WHEN b.path <> d.path THEN b.path END, {OWN}
FROM last JOIN document d ON d.seen = run JOIN scope ON scope.id = d.scope LEFT JOIN document b ON b.id = d.before
WHERE (b.id IS NULL OR b.path <> d.path OR {CHANGED}) AND {DOCUMENT}
AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = d.gone AND r.kind = 'regroup' AND r.state = 'done')
UNION ALL
SELECT 'gone', scope.name, d.path, NULL, {OWN}
FROM last JOIN document d ON d.gone = run JOIN scope ON scope.id = d.scope
WHERE scope.root <> x'' AND d.seen < run AND {DOCUMENT}
AND NOT EXISTS (SELECT 1 FROM document n WHERE n.before = d.id AND n.seen = run)
ORDER BY 3, 2
"""
ORDER = ("new", "changed", "moved", "gone")


def list_changes(connection: sqlite3.Connection) -> list[Change]:
    """List what the last finished scan changed; by kind, then in byte order of their paths."""
    changes = [
        Change(
            what,
            Document.stored(scope, path, dict(zip(LISTED_COLUMNS, values, strict=True))),
            None if before is None else Location(scope, before),
        )
        for what, scope, path, before, *values in connection.execute(LISTED)
    ]
    return sorted(changes, key=lambda change: ORDER.index(change.what))


def _name(path: bytes) -> bytes:
    return path.rpartition(b"/")[2]


def added_below(connection: sqlite3.Connection, scope: int, run: int, below: tuple[bytes, ...]) -> list[int]:
    """Added documents that this scan of a scope's trees has met itself, or has found missing.

    Those outside all scopes have absolute paths, without the slash they begin with. Those in this scope were known to
    the scan as it began; what was added since is left to it where it read the same place.
    """
    (root,) = connection.execute("SELECT root FROM scope WHERE id = ?", (scope,)).fetchone()
    added: list[int] = []
    for start in below:
        tree = b"/".join(filter(None, [root.strip(b"/"), start]))
        rows = connection.execute(
            """SELECT d.id FROM present d JOIN scope ON scope.id = d.scope
               WHERE scope.root = x'' AND (d.path = ?1 OR ?1 = x'' OR (d.path >= ?2 AND d.path < ?3)
                                           OR (d.path >= ?4 AND d.path < ?5))""",
            # What begins with the tree and a slash, or lies in a file; 0 comes after the slash.
            (tree, tree + b"/", tree + b"0", tree + b"!/", tree + b"!0"),
        )
        added += [number for (number,) in rows]
    if connection.execute("SELECT 1 FROM run WHERE kind = 'add' AND id > ?", (run,)).fetchone() is None:
        return added  # nearly always: not worth looking through all documents
    rows = connection.execute(
        """SELECT d.id FROM present d JOIN run ON run.id = d.seen
           WHERE run.kind = 'add' AND d.scope = ?1 AND d.seen > ?2
           AND EXISTS (SELECT 1 FROM document n WHERE n.scope = d.scope AND n.path = d.path AND n.seen = ?2)""",
        (scope, run),
    )
    return added + [number for (number,) in rows]


ACTION = "drop"


@dataclass(frozen=True)
class Dropped:
    scope: str
    root: str
    documents: int
    on_disk: bool  # its folder is still there: a scan of it would store them again


def drop(connection: sqlite3.Connection, scope: Scope, *, run: int, by: str) -> int:
    """Drop a scope's documents, in a transaction of the run that they go with: until it has finished they are still
    there. Returns how many."""
    (documents,) = connection.execute(
        "SELECT count(*) FROM present WHERE scope = ? AND reason IS NULL", (scope.id,)
    ).fetchone()
    connection.execute(
        "UPDATE document SET gone = ? WHERE id IN (SELECT id FROM present WHERE scope = ?)", (run, scope.id)
    )
    # What a killed scan of it had read would otherwise wait for ever to be gone on with.
    connection.execute("DELETE FROM document WHERE scope = ? AND seen NOT IN (SELECT id FROM finished)", (scope.id,))
    before = {"root": os.fsencode(scope.root).decode("utf-8", "backslashreplace"), "documents": documents}
    record(connection, by=by, action=ACTION, subject=scope.name, before=before)
    return int(documents)
