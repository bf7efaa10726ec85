"""An inventory of a store: what is in it, how much room each part takes, and what is stale."""

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nearkin.store import runs
from nearkin.store.bulk import has_bulk_insert
from nearkin.store.changes import DOCUMENT
from nearkin.store.contents import COMPARED, FRESH, HERE
from nearkin.store.documents import count_documents
from nearkin.store.maintenance import AGAIN
from nearkin.store.scopes import NO_ROOT, all_scopes, dropped_scopes
from nearkin.store.segments import LOCK, folder_of

# Which tables make a part; all others are `other`.
PARTS = {
    "texts": ("text",),
    "contents": ("content",),
    "signatures": ("signature", "code"),
    "matches": ("match", "match_column"),
    "families": ("family", "family_content", "family_event"),
    "documents": ("document",),
    "decisions": ("verdict", "verdict_bytes", "template", "template_features", "audit"),
}


@dataclass(frozen=True)
class StorePart:
    name: str
    bytes: int


@dataclass(frozen=True)
class Stale:
    """What no command looks at any more, or only in history."""

    what: str
    count: int
    bytes: int
    remedy: str  # what removes it


@dataclass(frozen=True)
class ScopeCount:
    name: str
    root: str
    documents: int
    missing: bool  # its folder is not there any more


@dataclass(frozen=True)
class Inventory:
    store: str
    schema: int
    version: str | None  # of the nearkin that made the last finished run
    scheme: str | None
    documents: int
    failed: int
    gone: int  # places where there was a document once; one that moved is not gone
    versions: int  # of documents, present and gone
    contents: int  # that are compared: as a scan counts them, without the empty text and those of documents gone
    runs: int  # scans that finished
    unfinished: int  # and that did not
    pending: int  # documents that these have read, and the next goes on with
    running: bool  # whether a scan is at work now
    scopes: tuple[ScopeCount, ...]
    bytes: int
    parts: tuple[StorePart, ...]
    stale: tuple[Stale, ...]
    bulk_insert: bool  # whether SQLite reads whole columns here, or rows are bound one by one


def take_inventory(connection: sqlite3.Connection, store: Path) -> Inventory:
    def number_of(query: str, *given: object) -> int:
        (number,) = connection.execute(query, given).fetchone()
        return int(number)

    scheme = runs.last_scheme(connection)
    documents, failed = count_documents(connection)
    counts = dict(connection.execute("SELECT scope, count(*) FROM present WHERE reason IS NULL GROUP BY scope"))
    dropped = dropped_scopes(connection)  # of these there is only history
    scopes = tuple(
        ScopeCount(
            scope.name,
            "" if scope.root == NO_ROOT else os.fspath(scope.root),
            counts.get(scope.id, 0),
            scope.is_missing and scope.id in counts,
        )
        for scope in all_scopes(connection)
        if scope.id not in dropped
    )
    parts = _parts(connection, store)
    return Inventory(
        store=str(store),
        schema=number_of("PRAGMA user_version"),
        version=runs.last_version(connection),
        scheme=None if scheme is None else runs.last(connection).spec,
        documents=documents,
        failed=failed,
        gone=number_of(GONE),
        versions=number_of("SELECT count(*) FROM document WHERE seen IN (SELECT id FROM finished)"),
        contents=number_of(f"SELECT count(*) FROM content WHERE length > 0 AND id IN (SELECT t.content {COMPARED})"),
        runs=number_of("SELECT count(*) FROM run WHERE kind = 'scan' AND state = 'done'"),
        unfinished=number_of("SELECT count(*) FROM run WHERE kind = 'scan' AND state <> 'done'"),
        pending=number_of(f"SELECT count(*) {UNFINISHED}"),
        running=runs.is_running(connection),
        scopes=scopes,
        bytes=sum(part.bytes for part in parts),
        parts=parts,
        stale=tuple(_stale(connection, store, scheme)),
        bulk_insert=has_bulk_insert(connection),
    )


# A version that no later one follows, at a place where there is nothing now. What a scan took over from an addition
# without a folder is at its own place since.
GONE = f"""
SELECT count(*) FROM (
    SELECT d.scope, d.path FROM document d JOIN scope ON scope.id = d.scope JOIN run ON run.id = d.gone
    WHERE d.seen IN (SELECT id FROM finished) AND d.gone IN (SELECT id FROM finished)
    AND NOT (scope.root = x'' AND run.kind = 'scan') AND {DOCUMENT}
    AND NOT EXISTS (SELECT 1 FROM document n WHERE n.before = d.id AND n.seen IN (SELECT id FROM finished))
    EXCEPT SELECT scope, path FROM present
)
"""


def _parts(connection: sqlite3.Connection, store: Path) -> tuple[StorePart, ...]:
    part_of = {table: name for name, tables in PARTS.items() for table in tables}
    sizes = dict.fromkeys((*PARTS, "other", "indices", "free"), 0)
    indices = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    for name, size in table_sizes(connection):
        sizes["indices" if name in indices else part_of.get(name, "other")] += size
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    sizes["free"] = free * page_size
    # Where SQLite does not say, what is left over is indices and half filled pages.
    sizes["indices"] += max(0, pages * page_size - sum(sizes.values()))
    log = store.with_name(store.name + "-wal")
    sizes["log"] = log.stat().st_size if log.exists() else 0
    sizes["segments"] = sum(file.stat().st_size for file in _segment_files(store))
    return tuple(StorePart(name, size) for name, size in sizes.items())


def _segment_files(store: Path) -> list[Path]:
    folder = folder_of(store)
    files = folder.iterdir() if folder.is_dir() else iter(())
    return [file for file in files if file.is_file() and file.name != LOCK]


def table_sizes(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """Bytes of pages by table and index; where SQLite was built without that table, of the values in the tables."""
    try:
        return connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    except sqlite3.OperationalError:
        return [(name, _values(connection, name)) for (name,) in connection.execute(TABLES).fetchall()]


TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"


def _values(connection: sqlite3.Connection, table: str) -> int:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    lengths = " + ".join(f'coalesce(length("{column}"), 0)' for column in columns)
    (size,) = connection.execute(f"SELECT coalesce(sum({lengths}), 0) FROM {table}").fetchone()
    return int(size)


def _stale(connection: sqlite3.Connection, store: Path, scheme: int | None) -> list[Stale]:
    def counted(what: str, remedy: str, query: str, *given: object) -> Stale:
        count, size = connection.execute(query, given).fetchone()
        return Stale(what, count, size or 0, remedy)

    size = "count(*), sum(length(features) + coalesce(length(weights), 0))"
    stale = [
        counted(
            f"signatures by {spec} of texts as {canon}, format {number}",
            COMPACT if connection.execute(f"{SIGNED.format(1)} AND {AGAIN} LIMIT 1", (older,)).fetchone() else FORGET,
            SIGNED.format(size),
            older,
        )
        for older, spec, canon, number in connection.execute(
            """SELECT s.id, s.spec, canon.spec, s.format FROM scheme s JOIN canon ON canon.id = s.canon
               WHERE s.id IS NOT ? ORDER BY s.id""",
            (scheme,),
        ).fetchall()
        if scheme is not None  # else nothing has finished: the next scan goes on with all there is
    ]
    stale += [
        counted(
            "signatures of contents that are gone",
            FORGET,
            f"""{SIGNED.format(size)} AND content NOT IN (SELECT t.content {HERE})
                AND content NOT IN (SELECT t.content FROM text t WHERE t.id IN ({PENDING}))""",
            scheme,
        ),
        counted(
            "texts of documents that are gone",
            FORGET,
            f"""SELECT count(*), sum(length(zstd)) FROM text
                WHERE zstd IS NOT NULL AND id NOT IN (SELECT d.text {HERE}) AND id NOT IN ({PENDING})""",
        ),
        counted(
            "documents whose text an older nearkin took from them",
            SCAN,
            f"SELECT count(*), 0 {HERE} AND NOT {FRESH}",
        ),
        counted(
            "documents read by scans that did not finish",
            f"{SCAN}, which goes on with them, or {COMPACT}",
            f"SELECT count(*), 0 {UNFINISHED} AND ? IS NOT NULL",
            scheme,
        ),
        counted(
            "segments of other schemes",
            COMPACT,
            "SELECT count(*), sum(bytes) FROM segment WHERE scheme <> ?",
            scheme,
        ),
        _misfits(connection, store),
        counted("contents in no segment yet", SCAN, "SELECT count(*), 0 FROM delta WHERE scheme IS ?", scheme),
    ]
    return [kind for kind in stale if kind.count]


SIGNED = "SELECT {} FROM signature WHERE scheme = ?"
# What an unfinished scan has read: the next one goes on with it.
UNFINISHED = "FROM document WHERE seen NOT IN (SELECT id FROM finished)"
PENDING = f"SELECT text {UNFINISHED} AND text IS NOT NULL"

# Remedies.
COMPACT = "nearkin store compact"
FORGET = "only nearkin store forget"  # they are history, and cannot be made again
SCAN = "the next scan"


def _misfits(connection: sqlite3.Connection, store: Path) -> Stale:
    """Files that the store does not name, left by a process that was killed."""
    named = {name for (name,) in connection.execute("SELECT name FROM segment")}
    lost = [file.stat().st_size for file in _segment_files(store) if file.name not in named]
    return Stale("segment files the store does not name", len(lost), sum(lost), SCAN)
