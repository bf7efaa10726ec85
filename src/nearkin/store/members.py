"""Members of containers in the store: rows of tables, members of archives, attachments of mails. They are documents
whose parent is the container's document, and come and go with it.

A container that changed is another version of its document. Its members that are as they were stay as they are, and
belong to the new one once the run ends; so others see the last finished run's members throughout, and a killed run
leaves nothing that has to be undone. Until then all that lies in a file, at whatever depth, has its document as parent.
"""

import sqlite3
from collections.abc import Iterable

from nearkin.read.table import MEMBER
from nearkin.store.changes import Move

# What begins with the container's path and `!/`; 0 comes after the slash.
ROWS = "scope = ?1 AND path >= ?2 AND path < ?3 AND parent IS NOT NULL"
PRESENT = """seen IN (SELECT id FROM finished) AND (gone IS NULL OR gone NOT IN (SELECT id FROM finished))"""

Place = tuple[int, bytes, bytes]


def place_of(scope: int, container: bytes) -> Place:
    """Where the members of a container are: its scope, and from which path to which."""
    return scope, container + MEMBER, container + MEMBER[:-1] + b"0"


def settle_members(connection: sqlite3.Connection, scope: int, container: bytes, document: int) -> None:
    """In the transaction that ends the run: the members that stayed belong to the container as it is now, and have its
    owner; rows of a table also its time, having none of their own."""
    (mtime, owner, reader) = connection.execute(
        "SELECT mtime_ns, owner, reader FROM document WHERE id = ?", (document,)
    ).fetchone()
    time = "mtime_ns" if reader else "?5"
    query = f"""UPDATE document SET parent = ?4, mtime_ns = {time}, owner = ?6
                WHERE {ROWS} AND {PRESENT} AND (parent <> ?4 OR mtime_ns <> {time} OR owner IS NOT ?6)"""
    connection.execute(query, (*place_of(scope, container), document, mtime, owner))
    if reader is not None:  # else rows of a table, whose ids may be anything
        _nest(connection, scope, container)


def stay_with_renewed(connection: sqlite3.Connection, run: int, versions: Iterable[int]) -> None:
    """In the transaction that ends the run: members of documents whose text was renewed belong to the new versions."""
    connection.executemany(
        f"""UPDATE document
            SET parent = coalesce((SELECT max(id) FROM document WHERE before = ?1 AND seen = {run}), parent)
            WHERE parent = ?1 AND {PRESENT}""",
        ((version,) for version in versions),
    )


def _nest(connection: sqlite3.Connection, scope: int, container: bytes) -> None:
    """What lies in a member has that as parent. Names hold no `!/` of their own."""
    rows = connection.execute(f"SELECT path, id FROM document WHERE {ROWS} AND {PRESENT}", place_of(scope, container))
    ids = dict(rows.fetchall())
    inner = ((ids.get(path.rpartition(MEMBER)[0]), number) for path, number in ids.items())
    connection.executemany("UPDATE document SET parent = ? WHERE id = ?", (row for row in inner if row[0] is not None))


def leave_members(connection: sqlite3.Connection, run: int, scope: int, containers: Iterable[bytes]) -> int:
    """Members of containers that are gone, or are read as plain files now; how many."""
    query = f"UPDATE document SET gone = {run} WHERE {ROWS} AND {PRESENT}"
    return max(0, connection.executemany(query, (place_of(scope, container) for container in containers)).rowcount)


def drop_members(connection: sqlite3.Connection, container: int) -> None:
    """What unfinished runs have read of it."""
    connection.execute("DELETE FROM document WHERE parent = ? AND seen NOT IN (SELECT id FROM finished)", (container,))


def adopt_members(connection: sqlite3.Connection, run: int, scope: int, container: bytes, document: int) -> int:
    """The members of a container that a killed run had read to its end, before that itself is adopted; how many of
    those before are gone."""
    (killed,) = connection.execute("SELECT seen FROM document WHERE id = ?", (document,)).fetchone()
    place = (*place_of(scope, container), killed)
    # Marked by that run: those it found changed, which another member follows, and those it did not find.
    marked = f"{ROWS} AND gone = ?4 AND seen IN (SELECT id FROM finished)"
    (gone,) = connection.execute(
        f"""SELECT count(*) FROM document d WHERE {marked}
            AND NOT EXISTS (SELECT 1 FROM document n WHERE n.before = d.id)""",
        place,
    ).fetchone()
    connection.execute(f"UPDATE document SET gone = {run} WHERE {marked}", place)
    connection.execute(f"UPDATE document SET seen = {run} WHERE {ROWS} AND seen = ?4", place)
    return int(gone)


def move_members(connection: sqlite3.Connection, run: int, move: Move) -> int:
    """Members that moved with their container follow those of the same name and bytes; how many."""
    connection.execute(
        """UPDATE document SET before = (
               SELECT o.id FROM document o WHERE o.scope = document.scope AND o.gone = ?1
               AND o.path = CAST(?2 || substr(document.path, ?3) AS BLOB) AND o.digest IS document.digest)
           WHERE parent = ?4 AND seen = ?1 AND before IS NULL""",
        (run, move.before.path, len(move.path) + 1, move.id),
    )
    (moved,) = connection.execute(
        "SELECT count(*) FROM document WHERE parent = ? AND seen = ? AND before IS NOT NULL", (move.id, run)
    ).fetchone()
    return int(moved)


def mend_members(connection: sqlite3.Connection) -> None:
    """Earlier nearkins hung members on a version of their container before its run had ended; where it never did and
    that version went, they belong to the one before."""
    lost = "SELECT DISTINCT parent FROM document WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM document)"
    for parent in connection.execute(lost).fetchall():
        orphans = connection.execute("SELECT id, scope, path, gone FROM document WHERE parent = ?", parent).fetchall()
        parents = [(_container_of(connection, *place), number) for number, *place in orphans]
        connection.executemany("UPDATE document SET parent = ? WHERE id = ?", parents)


def _container_of(connection: sqlite3.Connection, scope: int, path: bytes, gone: int | None) -> int | None:
    """The last version of it that there was before a member went."""
    query = """SELECT max(id) FROM document
               WHERE scope = ?1 AND path = ?2 AND seen IN (SELECT id FROM finished) AND (?3 IS NULL OR seen < ?3)"""
    container = None
    while container is None and MEMBER in path:
        path = path.rpartition(MEMBER)[0]
        (container,) = connection.execute(query, (scope, path, gone)).fetchone()
    return container
