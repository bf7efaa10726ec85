"""Runs: when nearkin looked, with which settings, what came out and where the time went.

The last scan that finished, beside the one of the same files and folders before it.
"""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nearkin.errors import BusyError, StoreError
from nearkin.read.walk import ROOT
from nearkin.settings import Settings
from nearkin.store.audit import is_noted_since, last_entry, now
from nearkin.store.changes import DOCUMENT
from nearkin.store.contents import FRESH
from nearkin.store.database import is_scanning
from nearkin.store.freshness import lies_below
from nearkin.store.scopes import MOVED, Scope, all_scopes, file_of, naming, relative_to

LAST = "FROM run WHERE state = 'done' AND kind <> 'add' ORDER BY id DESC LIMIT 1"


@dataclass(frozen=True)
class FinishedRun:
    """The last finished run and the scheme it matched under."""

    id: int
    scheme: int
    spec: str
    settings: dict[str, dict[str, float]]
    counts: dict[str, int]
    version: str = ""  # of the nearkin that made it
    ended: str = ""

    @property
    def templates(self) -> int:
        """How many were left out of its scores."""
        return self.counts.get("templates", 0)

    @property
    def template_counts(self) -> dict[str, int]:
        return {name: self.counts.get(name, 0) for name in ("templates", "template_state")}

    @property
    def template(self) -> str:
        """Whether its scores are with boilerplate or without."""
        return "without" if self.templates else "with"


def begin(connection: sqlite3.Connection, *, version: str, settings: str, kind: str = "scan") -> int:
    # A run that is still marked as running was killed: only one can run at a time.
    connection.execute("UPDATE run SET state = 'interrupted' WHERE state = 'running'")
    cursor = connection.execute(
        "INSERT INTO run (kind, state, started, version, settings) VALUES (?, 'running', ?, ?, ?)",
        (kind, now(), version, settings),
    )
    return int(cursor.lastrowid or 0)


def coming(connection: sqlite3.Connection) -> int:
    """The id of the run that the open transaction will begin next."""
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM run").fetchone()
    return int(last) + 1


def of_additions(connection: sqlite3.Connection, *, version: str, fresh: bool = False) -> int:
    """The run that documents checked in since the last scan came with, or a new one; it is finished at once."""
    row = connection.execute(
        """SELECT id FROM run WHERE kind = 'add'
           AND id > (SELECT coalesce(max(id), 0) FROM run WHERE kind <> 'add') ORDER BY id DESC LIMIT 1"""
    ).fetchone()
    if row is not None and not fresh:
        connection.execute("UPDATE run SET ended = ? WHERE id = ?", (now(), row[0]))
        return int(row[0])
    cursor = connection.execute(
        """INSERT INTO run (kind, state, started, ended, version, settings, counts, timings)
           VALUES ('add', 'done', ?1, ?1, ?2, '{}', '{}', '{}')""",
        (now(), version),
    )
    return int(cursor.lastrowid or 0)


def end(connection: sqlite3.Connection, run: int, *, counts: dict[str, int], timings: dict[str, float]) -> None:
    """With the last entry of the audit by then: what comes after it is not in what was found."""
    noted = counts | {"audit": last_entry(connection)}
    connection.execute(
        "UPDATE run SET state = 'done', ended = ?, counts = ?, timings = ? WHERE id = ?",
        (now(), json.dumps(noted), json.dumps(timings), run),
    )


def interrupt(connection: sqlite3.Connection, run: int) -> bool:
    """False: it has finished, and only what came after was cut short."""
    query = "UPDATE run SET state = 'interrupted', ended = ? WHERE id = ? AND state = 'running'"
    return connection.execute(query, (now(), run)).rowcount > 0


def canon_id(connection: sqlite3.Connection, spec: str) -> int:
    connection.execute("INSERT OR IGNORE INTO canon (spec) VALUES (?)", (spec,))
    (number,) = connection.execute("SELECT id FROM canon WHERE spec = ?", (spec,)).fetchone()
    return int(number)


def scheme_id(connection: sqlite3.Connection, spec: str, canon: int, signature_format: int) -> int:
    key = (spec, canon, signature_format)
    connection.execute("INSERT OR IGNORE INTO scheme (spec, canon, format) VALUES (?, ?, ?)", key)
    (number,) = connection.execute("SELECT id FROM scheme WHERE spec = ? AND canon = ? AND format = ?", key).fetchone()
    return int(number)


def last(connection: sqlite3.Connection) -> FinishedRun:
    row = connection.execute(f"SELECT id, settings, counts, version, ended {LAST}").fetchone()
    if row is None:
        if is_running(connection):
            raise BusyError("The first scan of this store is still running; try again when it has finished.")
        raise StoreError(f"No scan of this store has finished yet; run: nearkin scan FOLDER{naming(connection)}")
    counts = json.loads(row[2])
    (spec,) = connection.execute("SELECT spec FROM scheme WHERE id = ?", (counts["scheme"],)).fetchone()
    return FinishedRun(row[0], counts["scheme"], spec, json.loads(row[1]), counts, row[3], row[4])


def is_running(connection: sqlite3.Connection) -> bool:
    """Whether a scan is at work now; one that was killed is marked as running, but holds no lock."""
    marked = connection.execute("SELECT 1 FROM run WHERE kind = 'scan' AND state = 'running'").fetchone()
    file = file_of(connection)
    return marked is not None and file != "" and is_scanning(Path(file))


def last_families(connection: sqlite3.Connection, scheme: int) -> tuple[int, int] | None:
    """The finished run whose families give their names to those of this scheme now, and its own scheme: the last under
    the same scheme, else the last of all."""
    row = connection.execute(
        """SELECT id, json_extract(counts, '$.scheme') AS scheme FROM run
           WHERE state = 'done' AND kind <> 'add' AND scheme IS NOT NULL
           ORDER BY scheme = ? DESC, id DESC LIMIT 1""",
        (scheme,),
    ).fetchone()
    return None if row is None else (int(row[0]), int(row[1]))


@dataclass(frozen=True)
class Previous:
    """A run whose results can be carried on from."""

    id: int
    ended: str
    counts: dict[str, int]
    latest: bool  # nothing at all has happened since


def is_noted_after(connection: sqlite3.Connection, run: FinishedRun | Previous, action: str) -> bool:
    """Whether the audit knows of such an action since the run ended."""
    return is_noted_since(connection, action, last=run.counts.get("audit"), moment=run.ended)


def comparable(connection: sqlite3.Connection, scheme: int, settings: Settings, version: str) -> Previous | None:
    """The last finished run under this scheme, if it matched as a run of these settings would."""
    row = connection.execute(
        """SELECT id, version, settings, counts, ended FROM run WHERE state = 'done' AND kind <> 'add'
           AND json_extract(counts, '$.scheme') = ? ORDER BY id DESC LIMIT 1""",
        (scheme,),
    ).fetchone()
    if row is None or row[1] != version:
        return None
    before = Settings.from_json(row[2])
    if (before.match, before.text.keep) != (settings.match, settings.text.keep):
        return None
    (later,) = connection.execute("SELECT count(*) FROM run WHERE id > ? AND state = 'done'", (row[0],)).fetchone()
    found = Previous(row[0], row[4], json.loads(row[3]), later == 0)
    # Matches may be missing that it would have now.
    return None if is_noted_after(connection, found, "forget") else found


def last_settings(connection: sqlite3.Connection) -> str | None:
    """Of the last finished run; None where there is none."""
    row = connection.execute(f"SELECT settings {LAST}").fetchone()
    return None if row is None else str(row[0])


def last_version(connection: sqlite3.Connection) -> str | None:
    """Of the nearkin that made the last finished run."""
    row = connection.execute(f"SELECT version {LAST}").fetchone()
    return None if row is None else str(row[0])


def last_scheme(connection: sqlite3.Connection) -> int | None:
    row = connection.execute(f"SELECT counts {LAST}").fetchone()
    return None if row is None else int(json.loads(row[0])["scheme"])


def canon_of(connection: sqlite3.Connection, run: FinishedRun) -> str:
    """How the texts of a run were made canonical."""
    (spec,) = connection.execute(
        "SELECT canon.spec FROM canon JOIN scheme ON scheme.canon = canon.id WHERE scheme.id = ?", (run.scheme,)
    ).fetchone()
    return str(spec)


def unfinished(connection: sqlite3.Connection) -> bool:
    """Whether a later scan has begun and not ended: documents may then be newer than the matches."""
    (count,) = connection.execute(
        """SELECT count(*) FROM run
           WHERE id > (SELECT max(id) FROM run WHERE state = 'done' AND kind = 'scan') AND kind = 'scan'"""
    ).fetchone()
    return bool(count)


@dataclass(frozen=True)
class SignedScheme:
    """A scheme the store has signatures of, and how their texts were made canonical."""

    id: int
    canon_id: int
    canon: str


def signed_scheme(connection: sqlite3.Connection, spec: str, signature_format: int) -> SignedScheme | None:
    """The latest way in which documents that are present were signed by this spec."""
    row = connection.execute(
        # One document that is present suffices: signatures are gone through only until there is one.
        f"""SELECT s.id, canon.id, canon.spec FROM scheme s JOIN canon ON canon.id = s.canon
           WHERE s.spec = ? AND s.format = ?
           AND EXISTS (SELECT 1 FROM signature g CROSS JOIN text t ON t.content = g.content
                       CROSS JOIN present d ON d.text = t.id WHERE g.scheme = s.id AND d.reason IS NULL AND {FRESH})
           ORDER BY s.id DESC LIMIT 1""",
        (spec, signature_format),
    ).fetchone()
    return None if row is None else SignedScheme(*row)


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
