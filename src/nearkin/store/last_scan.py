"""The last scan that finished, beside the one of the same files and folders before it."""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nearkin.read.walk import ROOT
from nearkin.settings import Settings
from nearkin.store.changes import DOCUMENT
from nearkin.store.freshness import lies_below
from nearkin.store.scopes import MOVED, Scope, all_scopes, relative_to


@dataclass(frozen=True)
class LastScan:
    run: int
    settings: Settings
    before: Settings | None  # of the last scan of the same; None: this was the first
    matched: bool  # False: everything was as it had been left
    moved: tuple[tuple[str, str], ...]  # scopes whose folder is now another, and where that is


def last_scan(connection: sqlite3.Connection) -> LastScan | None:
    """The audit tells what each run went through."""
    scans = "SELECT id, subject, json_extract(after, '$.run') FROM audit WHERE action = 'scan'"
    last = connection.execute(f"{scans} ORDER BY id DESC LIMIT 1").fetchone()
    if last is None:
        return None
    entry, subject, run = last
    same = connection.execute(f"{scans} AND id < ? AND subject = ? ORDER BY id DESC LIMIT 1", (entry, subject))
    before = same.fetchone()
    timings = connection.execute("SELECT timings FROM run WHERE id = ?", (run,)).fetchone()
    moved = connection.execute(
        """SELECT subject, json_extract(after, '$.root') FROM audit WHERE action = ?1 AND id < ?2
           AND id > (SELECT coalesce(max(id), 0) FROM audit WHERE action = 'scan' AND id < ?2) ORDER BY id""",
        (MOVED, entry),
    ).fetchall()
    settings = _settings(connection, run)
    return LastScan(
        run,
        settings,
        None if before is None else _settings(connection, before[2]),
        "match" in json.loads(timings[0]),
        tuple(moved),
    )


def _settings(connection: sqlite3.Connection, run: int) -> Settings:
    (settings,) = connection.execute("SELECT settings FROM run WHERE id = ?", (run,)).fetchone()
    return Settings.from_json(settings)


def count_below(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> tuple[int, int]:
    """Documents at these files and below these folders, and files there that failed."""
    failed = [reason is not None for reason in _reasons_below(connection, starts)]
    return failed.count(False), failed.count(True)


def is_any_below(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> bool:
    """Whether there are such: the first tells."""
    return any(True for _ in _reasons_below(connection, starts))


def _reasons_below(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> Iterator[str | None]:
    for scope in all_scopes(connection):
        if below := in_scope(scope, starts):
            for path, reason in connection.execute("SELECT path, reason FROM present WHERE scope = ?", (scope.id,)):
                if lies_below(path, below):
                    yield reason


def failed_by_reason(connection: sqlite3.Connection, starts: tuple[Path, ...] | None) -> dict[str, int]:
    """How many failed of each reason, most first; None: in the whole store."""
    counts: Counter[str] = Counter()
    for scope in all_scopes(connection):
        below = None if starts is None else in_scope(scope, starts)
        query = "SELECT path, reason FROM present WHERE scope = ? AND reason IS NOT NULL"
        counts.update(
            reason
            for path, reason in connection.execute(query, (scope.id,))
            if below is None or lies_below(path, below)
        )
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def out_of_reach(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> int:
    """How many documents lie in folders there that could not be looked into: they stay as they were known."""
    number = 0
    for scope in all_scopes(connection):
        below = in_scope(scope, starts)
        # By the index of bytes: of these there are none.
        failed = f"SELECT path FROM present d WHERE text IS NULL AND digest IS NULL AND +scope = ? AND NOT {DOCUMENT}"
        closed = [path for (path,) in connection.execute(failed, (scope.id,)) if below and lies_below(path, below)]
        if closed:
            folders = tuple(b"" if path == ROOT else path for path in closed)
            known = connection.execute("SELECT path FROM present WHERE scope = ? AND reason IS NULL", (scope.id,))
            number += sum(lies_below(path, folders) for (path,) in known)
    return number


def in_scope(scope: Scope, starts: tuple[Path, ...]) -> tuple[bytes, ...]:
    """Those of the starts that lie in a scope, by their paths there."""
    return tuple(relative_to(one, scope.root) for one in starts if one == scope.root or scope.root in one.parents)


def keeps_texts(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM text WHERE zstd IS NOT NULL LIMIT 1").fetchone() is not None


def lost_scopes(connection: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Scopes whose folder is not there any more, while their documents still count: name, folder and how many."""
    found = []
    for scope in all_scopes(connection):
        if scope.is_missing:
            (documents,) = connection.execute(
                "SELECT count(*) FROM present WHERE scope = ? AND reason IS NULL", (scope.id,)
            ).fetchone()
            if documents:
                found.append((scope.name, os.fsencode(scope.root).decode("utf-8", "backslashreplace"), int(documents)))
    return found
