"""An inventory of a store: what is in it, how much room each part takes, and what is stale."""

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from nearkin.store import runs
from nearkin.store.contents import FRESH, HERE
from nearkin.store.documents import count_documents
from nearkin.store.segments import LOCK, folder_of

# Which tables make a part; all others are `other`.
PARTS = {
    "texts": ("text",),
    "contents": ("content",),
    "signatures": ("signature", "code"),
    "matches": ("match",),
    "families": ("family", "family_content", "family_event"),
    "documents": ("document",),
    "decisions": ("verdict", "verdict_bytes", "template", "template_features", "audit"),
}


@dataclass(frozen=True)
class Part:
    name: str
    bytes: int


@dataclass(frozen=True)
class Stale:
    """What no command looks at any more, or only in history."""

    what: str
    count: int
    bytes: int


@dataclass(frozen=True)
class ScopeCount:
    name: str
    root: str
    documents: int


@dataclass(frozen=True)
class Inventory:
    store: str
    schema: int
    version: str | None  # of the nearkin that made the last finished run
    scheme: str | None
    documents: int
    failed: int
    gone: int  # places where there was a document once
    versions: int  # of documents, present and gone
    contents: int
    runs: int
    unfinished: int
    scopes: tuple[ScopeCount, ...]
    bytes: int
    parts: tuple[Part, ...]
    stale: tuple[Stale, ...]


def take_inventory(connection: sqlite3.Connection, store: Path) -> Inventory:
    def one(query: str, *given: object) -> int:
        (number,) = connection.execute(query, given).fetchone()
        return int(number)

    scheme = runs.last_scheme(connection)
    documents, failed = count_documents(connection)
    scopes = connection.execute(
        """SELECT name, root, (SELECT count(*) FROM present d WHERE d.scope = scope.id AND reason IS NULL)
           FROM scope ORDER BY name"""
    ).fetchall()
    parts = _parts(connection, store)
    return Inventory(
        store=str(store),
        schema=one("PRAGMA user_version"),
        version=runs.last_version(connection),
        scheme=None if scheme is None else runs.last(connection).spec,
        documents=documents,
        failed=failed,
        gone=one("SELECT count(*) FROM (SELECT scope, path FROM document EXCEPT SELECT scope, path FROM present)"),
        versions=one("SELECT count(*) FROM document"),
        contents=one("SELECT count(*) FROM content"),
        runs=one("SELECT count(*) FROM run WHERE state = 'done'"),
        unfinished=one("SELECT count(*) FROM run WHERE state <> 'done'"),
        scopes=tuple(ScopeCount(name, os.fsdecode(root), count) for name, root, count in scopes),
        bytes=sum(part.bytes for part in parts),
        parts=parts,
        stale=tuple(_stale(connection, store, scheme)),
    )


def _parts(connection: sqlite3.Connection, store: Path) -> tuple[Part, ...]:
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
    return tuple(Part(name, size) for name, size in sizes.items())


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
    def counted(what: str, query: str, *given: object) -> Stale:
        count, size = connection.execute(query, given).fetchone()
        return Stale(what, count, size or 0)

    size = "count(*), sum(length(features) + coalesce(length(weights), 0))"
    found = [
        counted(f"signatures by {spec} of texts as {canon}, format {number}", SIGNED.format(size), other)
        for other, spec, canon, number in connection.execute(
            """SELECT s.id, s.spec, canon.spec, s.format FROM scheme s JOIN canon ON canon.id = s.canon
               WHERE s.id IS NOT ? ORDER BY s.id""",
            (scheme,),
        ).fetchall()
    ]
    found += [
        counted(
            "signatures of contents that are gone",
            f"{SIGNED.format(size)} AND content NOT IN (SELECT t.content {HERE})",
            scheme,
        ),
        counted(
            "texts of documents that are gone",
            f"""SELECT count(*), sum(length(zstd)) FROM text
                WHERE zstd IS NOT NULL AND id NOT IN (SELECT d.text {HERE})""",
        ),
        counted("documents whose text an older nearkin took from them", f"SELECT count(*), 0 {HERE} AND NOT {FRESH}"),
        counted(
            "documents read by scans that did not finish",
            "SELECT count(*), 0 FROM document WHERE seen NOT IN (SELECT id FROM finished)",
        ),
        counted("segments of other schemes", "SELECT count(*), sum(bytes) FROM segment WHERE scheme IS NOT ?", scheme),
        _misfits(connection, store),
        counted("contents in no segment yet", "SELECT count(*), 0 FROM delta WHERE scheme IS ?", scheme),
    ]
    return [stale for stale in found if stale.count]


SIGNED = "SELECT {} FROM signature WHERE scheme = ?"


def _misfits(connection: sqlite3.Connection, store: Path) -> Stale:
    """Files that the store does not name, left by a process that was killed."""
    named = {name for (name,) in connection.execute("SELECT name FROM segment")}
    lost = [file.stat().st_size for file in _segment_files(store) if file.name not in named]
    return Stale("segment files the store does not name", len(lost), sum(lost))
