"""Rows of tables in the store: documents whose parent is the table's, and that come and go with it.

A table that changed is another version of its document. Its rows that are as they were stay as they are, and belong to
the new one once the run ends; so others see the last finished run's rows throughout, and a killed run leaves nothing
that has to be undone.
"""

import sqlite3
from collections.abc import Iterable

from nearkin.read.table import MEMBER
from nearkin.store.changes import Move

# What begins with the table's path and `!/`; 0 comes after the slash.
ROWS = "scope = ?1 AND path >= ?2 AND path < ?3 AND parent IS NOT NULL"
PRESENT = """seen IN (SELECT id FROM finished) AND (gone IS NULL OR gone NOT IN (SELECT id FROM finished))"""

Place = tuple[int, bytes, bytes]


def place_of(scope: int, table: bytes) -> Place:
    """Where its rows are."""
    return scope, table + MEMBER, table + MEMBER[:-1] + b"0"


def pass_on_rows(connection: sqlite3.Connection, scope: int, table: bytes, document: int) -> None:
    """The rows that stayed belong to the table as it is now, and have its time and owner."""
    (mtime, owner) = connection.execute("SELECT mtime_ns, owner FROM document WHERE id = ?", (document,)).fetchone()
    query = f"""UPDATE document SET parent = ?4, mtime_ns = ?5, owner = ?6
                WHERE {ROWS} AND {PRESENT} AND (parent <> ?4 OR mtime_ns <> ?5 OR owner IS NOT ?6)"""
    connection.execute(query, (*place_of(scope, table), document, mtime, owner))


def leave_rows(connection: sqlite3.Connection, run: int, scope: int, tables: Iterable[bytes]) -> int:
    """Rows of tables that are gone, or are read as plain files now; how many."""
    query = f"UPDATE document SET gone = {run} WHERE {ROWS} AND {PRESENT}"
    return max(0, connection.executemany(query, (place_of(scope, table) for table in tables)).rowcount)


def drop_rows(connection: sqlite3.Connection, table: int) -> None:
    """What unfinished runs have read of it."""
    connection.execute("DELETE FROM document WHERE parent = ? AND seen NOT IN (SELECT id FROM finished)", (table,))


def adopt_rows(connection: sqlite3.Connection, run: int, scope: int, table: bytes, document: int) -> int:
    """The rows of a table that a killed run had read to its end, before the table itself is adopted; how many of those
    before are gone."""
    (killed,) = connection.execute("SELECT seen FROM document WHERE id = ?", (document,)).fetchone()
    place = (*place_of(scope, table), killed)
    # Marked by that run: those it found changed, which another row follows, and those it did not find.
    marked = f"{ROWS} AND gone = ?4 AND seen IN (SELECT id FROM finished)"
    (gone,) = connection.execute(
        f"""SELECT count(*) FROM document d WHERE {marked}
            AND NOT EXISTS (SELECT 1 FROM document n WHERE n.before = d.id)""",
        place,
    ).fetchone()
    connection.execute(f"UPDATE document SET gone = {run} WHERE {marked}", place)
    connection.execute("UPDATE document SET seen = ? WHERE parent = ? AND seen = ?", (run, document, killed))
    pass_on_rows(connection, scope, table, document)
    return int(gone)


def move_rows(connection: sqlite3.Connection, run: int, move: Move) -> int:
    """Rows that moved with their table follow those of the same name and bytes; how many."""
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
