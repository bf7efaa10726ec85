"""Scopes: the named trees a store knows. A document's path is relative to its scope's root."""

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import UsageError

ADDED = "added"
NO_ROOT = Path()


@dataclass(frozen=True)
class Scope:
    id: int
    name: str
    root: Path


def all_scopes(connection: sqlite3.Connection) -> list[Scope]:
    rows = connection.execute("SELECT id, name, root FROM scope ORDER BY name")
    return [Scope(number, name, Path(os.fsdecode(root))) for number, name, root in rows]


def scope_for(connection: sqlite3.Connection, starts: tuple[Path, ...], name: str | None) -> Scope:
    """The scope a scan of these paths belongs to; made where none fits.

    A tree inside a known scope is scanned as part of it: the same file must not become two documents.
    """
    root = (
        starts[0] if len(starts) == 1 and starts[0].is_dir() else Path(os.path.commonpath([s.parent for s in starts]))
    )
    known = all_scopes(connection)
    for scope in known:
        if scope.root == root or scope.root in root.parents:
            if name not in (None, scope.name):
                raise UsageError(f"{root} is already scanned as scope {scope.name!r} (root {scope.root}).")
            return scope
        if root in scope.root.parents:
            raise UsageError(
                f"{root} lies around scope {scope.name!r} ({scope.root}), which this store has already; "
                "use another --store for the larger tree."
            )
        if scope.name == name:
            raise UsageError(f"Scope {name!r} has the root {scope.root}, not {root}; choose another --scope.")
    chosen = name or _free_name(root.name or "root", {scope.name for scope in known})
    cursor = connection.execute("INSERT INTO scope (name, root) VALUES (?, ?)", (chosen, os.fsencode(root)))
    return Scope(int(cursor.lastrowid or 0), chosen, root)


def scope_around(connection: sqlite3.Connection, file: Path) -> Scope | None:
    """The scope whose tree this file lies in."""
    return next((scope for scope in all_scopes(connection) if scope.root in file.parents), None)


def scope_of_additions(connection: sqlite3.Connection) -> Scope:
    """Where documents go that were checked in and lie in no scope. It has no root, and is never scanned."""
    row = connection.execute("SELECT id, name FROM scope WHERE root = x''").fetchone()
    if row is None:
        name = _free_name(ADDED, {scope.name for scope in all_scopes(connection)})
        cursor = connection.execute("INSERT INTO scope (name, root) VALUES (?, x'')", (name,))
        row = int(cursor.lastrowid or 0), name
    return Scope(row[0], row[1], NO_ROOT)


def relative_to(path: Path, root: Path) -> bytes:
    """As documents' paths are; empty for the root itself."""
    return b"" if path == root else os.fsencode(path.relative_to(root))


def _free_name(wanted: str, taken: set[str]) -> str:
    wanted = wanted.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    return name
