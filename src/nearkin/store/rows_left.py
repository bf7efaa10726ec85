"""Tables that a scan read as a whole, and the rows that it left out so."""

import sqlite3
from pathlib import Path

from nearkin.read.table import MEDIA, table_kind
from nearkin.store.freshness import lies_below
from nearkin.store.last_scan import in_scope
from nearkin.store.scopes import all_scopes


def rows_gone(connection: sqlite3.Connection, run: int) -> int:
    """Rows of tables that were in the store until this run, while their table still is."""
    query = f"""SELECT count(*) FROM document r JOIN document t ON t.id = r.parent
        WHERE r.gone = ? AND t.media IN ({",".join("?" * len(MEDIA))})
        AND EXISTS (SELECT 1 FROM present p WHERE p.scope = t.scope AND p.path = t.path)"""
    (count,) = connection.execute(query, (run, *sorted(MEDIA))).fetchone()
    return int(count)


def tables_without_text(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> int:
    """Files below these that are called like tables and have no text as a whole, as .parquet has none."""
    textless = "text IS NULL AND parent IS NULL AND reason IS NULL AND size > 0"
    query = f"SELECT path FROM present WHERE +scope = ? AND {textless}"  # found by their lack of a text, not by scope
    return sum(
        table_kind(path) is not None and lies_below(path, below)
        for scope in all_scopes(connection)
        if (below := in_scope(scope, starts))
        for (path,) in connection.execute(query, (scope.id,))
    )
