"""Scopes: the named trees a store knows. A document's path is relative to its scope's root.

The option that names a store, for a command that someone may type next.
"""

import os
import shlex
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import InputError, UsageError
from nearkin.store import audit


def file_of(connection: sqlite3.Connection) -> str:
    """Empty where it is in memory."""
    return next((file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"), "")


def naming(connection: sqlite3.Connection) -> str:
    file = file_of(connection)
    return f" --store {shlex.quote(file)}" if file else ""


ADDED = "added"
NO_ROOT = Path()
MOVED = "scope moved"


@dataclass(frozen=True)
class Scope:
    id: int
    name: str
    root: Path

    @property
    def is_missing(self) -> bool:
        """Whether its folder is not there any more; that of additions never was."""
        return self.root != NO_ROOT and not self.root.is_dir()


def all_scopes(connection: sqlite3.Connection) -> list[Scope]:
    rows = connection.execute("SELECT id, name, root FROM scope ORDER BY name")
    return [Scope(number, name, Path(os.fsdecode(root))) for number, name, root in rows]


def scope_for(connection: sqlite3.Connection, starts: tuple[Path, ...], name: str | None) -> Scope:
    """The scope a scan of these paths belongs to; made where none fits.

    A tree inside a known scope is scanned as part of it: the same file must not become two documents. One whose folder
    is not there any more, or that has no documents, moves to where it is scanned by its name.
    """
    root = (
        starts[0] if len(starts) == 1 and starts[0].is_dir() else Path(os.path.commonpath([s.parent for s in starts]))
    )
    known, used = all_scopes(connection), used_scopes(connection)
    named = next((scope for scope in known if scope.name == name), None)
    free = named is not None and named.root != NO_ROOT and (named.id not in used or named.is_missing)
    for scope in known:
        if scope is named and free:
            continue
        if scope.root == root or (scope.root in root.parents and scope.id in used):
            if name not in (None, scope.name):
                instead = f"; what it was before goes with: {_drop(connection, name)}" if free else ""
                raise UsageError(f"{root} is already scanned as scope {scope.name!r} (root {scope.root}){instead}.")
            return scope
        if root in scope.root.parents and scope.id in used:
            raise UsageError(
                f"{root} contains {scope.root}, the folder of scope {scope.name!r}, {_instead(connection, scope)}."
            )
        if scope is named:
            raise UsageError(f"Scope {name!r} has {_its_root(scope)}, not {root}; choose another --scope.")
    if named is not None:
        return named if named.root == root else _moved(connection, named, root)
    chosen = name or _free_name(root.name or "root", {scope.name for scope in known})
    cursor = connection.execute("INSERT INTO scope (name, root) VALUES (?, ?)", (chosen, os.fsencode(root)))
    return Scope(int(cursor.lastrowid or 0), chosen, root)


def used_scopes(connection: sqlite3.Connection) -> frozenset[int]:
    """Those that have documents; one that was dropped has only history."""
    rows = connection.execute("SELECT id FROM scope WHERE EXISTS (SELECT 1 FROM present d WHERE d.scope = scope.id)")
    return frozenset(number for (number,) in rows)


def dropped_scopes(connection: sqlite3.Connection) -> frozenset[int]:
    """Those whose documents went without a scan, and that no scan has filled since."""
    rows = connection.execute(
        "SELECT DISTINCT d.scope FROM document d JOIN run ON run.id = d.gone WHERE run.kind = 'regroup'"
    )
    return frozenset(number for (number,) in rows) - used_scopes(connection)


def find_scope(connection: sqlite3.Connection, name: str) -> Scope:
    """One that was not dropped."""
    dropped = dropped_scopes(connection)
    known = [scope for scope in all_scopes(connection) if scope.name == name or scope.id not in dropped]
    for scope in known:
        if scope.name == name:
            if scope.id in dropped:
                raise InputError(f"Scope {name!r} was dropped already; a scan of its folder would bring it back.")
            return scope
    names = ", ".join(scope.name for scope in known) or "none"
    raise InputError(f"There is no scope {name!r} in this store; known are: {names}.")


def _moved(connection: sqlite3.Connection, scope: Scope, root: Path) -> Scope:
    """Its documents keep their paths there, so those that came along are not new."""
    connection.execute("UPDATE scope SET root = ? WHERE id = ?", (os.fsencode(root), scope.id))
    audit.record(
        connection,
        by=audit.login_name(),
        action=MOVED,
        subject=scope.name,
        before={"root": str(scope.root)},
        after={"root": str(root)},
    )
    return Scope(scope.id, scope.name, root)


def _instead(connection: sqlite3.Connection, scope: Scope) -> str:
    if scope.is_missing:
        return f"whose folder is not there any more; its documents go with: {_drop(connection, scope.name)}"
    return "which this store already has as a tree of its own; use another --store for the larger tree"


def _its_root(scope: Scope) -> str:
    return "no folder" if scope.root == NO_ROOT else f"the root {scope.root}"


def scope_around(connection: sqlite3.Connection, file: Path) -> Scope | None:
    """The scope whose tree this file lies in; rather one that has documents than one that was dropped."""
    used = used_scopes(connection)
    around = [scope for scope in all_scopes(connection) if scope.root in file.parents]
    return min(around, key=lambda scope: scope.id not in used, default=None)


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


def _drop(connection: sqlite3.Connection, name: str | None) -> str:
    return f"nearkin store drop {shlex.quote(name or '')}{naming(connection)}"
