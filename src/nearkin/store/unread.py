"""Whether of what was to be scanned nothing could be read."""

import sqlite3
from pathlib import Path

from nearkin.read.table import MEDIA, MEMBER
from nearkin.store.last_scan import in_scope
from nearkin.store.scopes import all_scopes

FAILED = "reason IS NOT NULL"
# A table is read where one of its rows was.
TABLES = ",".join(f"'{one}'" for one in sorted(MEDIA))
READ = f"reason IS NULL AND (media IS NULL OR media NOT IN ({TABLES}))"


def nothing_read(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> bool:
    """Of each of these files and folders something failed, and nothing was read."""
    return all(_any(connection, start, FAILED) and not _any(connection, start, READ) for start in starts)


def only_failure(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> str | None:
    """What is said of the one document that failed; None where there are more."""
    found = [detail for start in starts for (detail,) in _some(connection, start, FAILED, "detail", most=2)]
    return found[0] if len(found) == 1 else None


def _any(connection: sqlite3.Connection, start: Path, state: str) -> bool:
    return bool(_some(connection, start, state, "1", most=1))


def _some(connection: sqlite3.Connection, start: Path, state: str, what: str, *, most: int) -> list[tuple[str]]:
    """By the index of places: a store may hold far more than was scanned."""
    found: list[tuple[str]] = []
    for scope in all_scopes(connection):
        for below in in_scope(scope, (start,)):
            where, places = "TRUE", []
            if below:
                where = "(path = ? OR path > ? AND path < ? OR path > ? AND path < ?)"
                places = [below, below + b"/", below + b"0", below + MEMBER, below + b"!0"]
            query = f"SELECT {what} FROM present WHERE scope = ? AND {where} AND {state} LIMIT ?"
            found += connection.execute(query, (scope.id, *places, most))
    return found[:most]
