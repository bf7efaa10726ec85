"""Additions: documents checked in one by one, between scans. A scan that comes by their place takes over from them."""

import sqlite3


def added_below(connection: sqlite3.Connection, scope: int, run: int, below: tuple[bytes, ...]) -> list[int]:
    """Added documents that this scan of a scope's trees has met itself, or has found missing.

    Those outside all scopes have absolute paths, without the slash they begin with. Those in this scope were known to
    the scan as it began; what was added since is left to it where it read the same place.
    """
    (root,) = connection.execute("SELECT root FROM scope WHERE id = ?", (scope,)).fetchone()
    found: list[int] = []
    for start in below:
        tree = b"/".join(filter(None, [root.strip(b"/"), start]))
        rows = connection.execute(
            """SELECT d.id FROM present d JOIN scope ON scope.id = d.scope
               WHERE scope.root = x'' AND (d.path = ?1 OR ?1 = x'' OR (d.path >= ?2 AND d.path < ?3)
                                           OR (d.path >= ?4 AND d.path < ?5))""",
            # What begins with the tree and a slash, or lies in a file; 0 comes after the slash.
            (tree, tree + b"/", tree + b"0", tree + b"!/", tree + b"!0"),
        )
        found += [number for (number,) in rows]
    if connection.execute("SELECT 1 FROM run WHERE kind = 'add' AND id > ?", (run,)).fetchone() is None:
        return found  # nearly always: not worth looking through all documents
    rows = connection.execute(
        """SELECT d.id FROM present d JOIN run ON run.id = d.seen
           WHERE run.kind = 'add' AND d.scope = ?1 AND d.seen > ?2
           AND EXISTS (SELECT 1 FROM document n WHERE n.scope = d.scope AND n.path = d.path AND n.seen = ?2)""",
        (scope, run),
    )
    return found + [number for (number,) in rows]
