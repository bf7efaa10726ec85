"""Dropping a scope: its documents are gone, as if a scan had found its folder empty. Their history stays."""

import os
import sqlite3
from dataclasses import dataclass

from nearkin.store.audit import record
from nearkin.store.scopes import Scope

ACTION = "drop"


@dataclass(frozen=True)
class Dropped:
    scope: str
    root: str
    documents: int
    on_disk: bool  # its folder is still there: a scan of it would store them again


def drop(connection: sqlite3.Connection, scope: Scope, *, run: int, by: str) -> int:
    """Inside a transaction of the run that they go with: until it has finished they are still there."""
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
