"""Compaction: what is stale and can be made again goes, and the file is written anew without gaps.

Decisions, history and kept texts stay: they cannot be made again. So do signatures of texts that were not kept.

Is a store whole? What SQLite says, and what nearkin itself promises of its rows. Findings are sentences.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nearkin import _native
from nearkin.errors import StoreError
from nearkin.store import audit, runs
from nearkin.store.compression import unpack
from nearkin.store.contents import HERE
from nearkin.store.database import PATIENCE, one_scan, see, transaction, trusted, turn
from nearkin.store.members import mend_members
from nearkin.store.scopes import naming
from nearkin.store.segments import drop_segments, folder_of, one_builder, remove_unnamed
from nearkin.text.canon import Canon

# A signature can be made again where a text of its content was kept.
AGAIN = "content IN (SELECT content FROM text WHERE zstd IS NOT NULL)"
HELD = "content IN (SELECT t.content FROM text t JOIN document d ON d.text = t.id)"


@dataclass(frozen=True)
class Compacted:
    before: int  # bytes of the store, its log and its segments
    after: int
    signatures: int  # removed
    matches: int
    families: int
    documents: int  # read by scans that never finished


def compact(connection: sqlite3.Connection, store: Path, *, by: str) -> Compacted:
    """Refused while a scan runs."""
    with one_scan(store):
        before = total_size(store)
        # Not while a segment is written: the store does not name it yet.
        with one_builder(store, wait=True):
            with trusted(connection), turn(store), transaction(connection):
                removed = _remove_stale(connection)
                what = ("signatures", "matches", "families", "documents")
                after = dict(zip(what, removed, strict=True))
                audit.record(connection, by=by, action="compact", subject=store.name, after=after)
            remove_unnamed(connection, store)
        rewrite(connection, store)
        return Compacted(before, total_size(store), *removed)


def total_size(store: Path) -> int:
    beside = folder_of(store)
    files = [store, store.with_name(store.name + "-wal"), *(beside.iterdir() if beside.is_dir() else [])]
    return sum(file.stat().st_size for file in files if file.is_file())


def _remove_stale(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    used = runs.last_scheme(connection)
    if used is None:  # nothing has finished: what is there is all there is to go on with
        return 0, 0, 0, 0

    def removed(query: str, *given: object) -> int:
        return connection.execute(query, given).rowcount

    documents = removed("DELETE FROM document WHERE seen IN (SELECT id FROM run WHERE state <> 'done')")
    removed("UPDATE document SET gone = NULL WHERE gone IN (SELECT id FROM run WHERE state <> 'done')")
    mend_members(connection)
    signatures = removed(f"DELETE FROM signature WHERE scheme <> ? AND {AGAIN}", used)
    signatures += removed(f"DELETE FROM signature WHERE NOT {HELD}")
    others = [
        scheme
        for (scheme,) in connection.execute(
            "SELECT id FROM scheme WHERE id <> ? AND NOT EXISTS (SELECT 1 FROM signature WHERE scheme = scheme.id)",
            (used,),
        )
    ]
    matches = families = 0
    for scheme in others:
        matches += removed("DELETE FROM match WHERE scheme = ?", scheme)
        removed("DELETE FROM family_content WHERE family IN (SELECT id FROM family WHERE scheme = ?)", scheme)
        families += removed("DELETE FROM family WHERE scheme = ?", scheme)
        # Runs that made them have nothing left to be carried on from.
        carried = "UPDATE run SET counts = json_remove(counts, '$.scheme') WHERE json_extract(counts, '$.scheme') = ?"
        removed(carried, scheme)
    drop_segments(connection, others)
    for table in ("code", "delta"):
        removed(
            f"DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM signature s"
            f" WHERE s.scheme = {table}.scheme AND s.content = {table}.content)"
        )
    return signatures, matches, families, documents


def rewrite(connection: sqlite3.Connection, store: Path) -> None:
    """The whole file anew, and an empty log: no byte of what was deleted is left in either."""
    try:
        with _temporary_files_beside(connection, store):
            connection.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if "full" not in str(error):
            raise
        raise StoreError(
            f"There is no room to write {store} anew, so its gaps may still hold what was removed;"
            f" free as much as it takes and run: nearkin store compact{naming(connection)}"
        ) from error
    give_up = time.monotonic() + PATIENCE
    while True:
        (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return
        if time.monotonic() > give_up:
            raise StoreError(
                f"Another process is reading {store}, so its log still holds what was removed;"
                f" run when it has finished: nearkin store compact{naming(connection)}"
            )
        time.sleep(0.05)


@contextmanager
def _temporary_files_beside(connection: sqlite3.Connection, store: Path) -> Iterator[None]:
    """A second copy of the store is too large for memory, and often for the system's folder of temporary files."""
    folder = str(store.resolve().parent).replace("'", "''")
    connection.execute("PRAGMA temp_store = FILE")  # takes the views with it
    connection.execute(f"PRAGMA temp_store_directory = '{folder}'")
    try:
        yield
    finally:
        connection.execute("PRAGMA temp_store_directory = ''")
        connection.execute("PRAGMA temp_store = MEMORY")
        see(connection)


Progress = Callable[[str, int, int], None]
AT_ONCE = 256

# Each query counts what should not be; `of` is the scheme of the last finished run.
RULES = {
    "present documents hold a text that is not there": """
        SELECT count(*) FROM present d WHERE d.text IS NOT NULL AND d.text NOT IN (SELECT id FROM text)""",
    "documents have a text of other bytes than theirs": """
        SELECT count(*) FROM document d JOIN text t ON t.id = d.text WHERE t.digest IS NOT d.digest""",
    "contents of present documents are not signed as the last scan signs": f"""
        SELECT count(DISTINCT t.content) {HERE} AND t.content IN (
            SELECT id FROM content WHERE canon = (SELECT canon FROM scheme WHERE id = :scheme))
            AND t.content NOT IN (SELECT content FROM signature WHERE scheme = :scheme)""",
    "signatures are of a length that no signature has": """
        SELECT count(*) FROM signature
        WHERE length(features) % 8 <> 0 OR (weights IS NOT NULL AND length(weights) * 2 <> length(features))""",
    "matches are of a content that no present document holds": f"""
        SELECT count(*) FROM match WHERE scheme = :scheme
        AND (a NOT IN (SELECT t.content {HERE}) OR b NOT IN (SELECT t.content {HERE}) OR a = b)""",
    "members of families are contents that no present document holds": f"""
        SELECT count(*) FROM family_content JOIN family ON family.id = family WHERE scheme = :scheme
        AND content NOT IN (SELECT t.content {HERE})""",
    "families have no members": """
        SELECT count(*) FROM family WHERE id NOT IN (SELECT family FROM family_content)""",
}


@dataclass(frozen=True)
class Finding:
    what: str  # sqlite, references, rows, texts, segments
    sentence: str


def findings(
    connection: sqlite3.Connection, store: Path, *, quick: bool = False, progress: Progress = lambda *_: None
) -> Iterator[Finding]:
    """As they are found. `quick` leaves out making every kept text canonical again."""
    progress("sqlite", 0, 0)
    for (said,) in connection.execute("PRAGMA integrity_check"):
        if said != "ok":
            yield Finding("sqlite", f"SQLite says: {said}.")
    progress("references", 0, 0)
    for table, row, other, _ in connection.execute("PRAGMA foreign_key_check"):
        yield Finding("references", f"Row {row} of {table} refers to a row of {other} that is not there.")
    progress("rows", 0, 0)
    yield from _broken_rules(connection)
    if not quick:
        yield from _texts(connection, progress)


def _broken_rules(connection: sqlite3.Connection) -> Iterator[Finding]:
    scheme = runs.last_scheme(connection)
    if scheme is None:
        return
    for rule, query in RULES.items():
        (broken,) = connection.execute(query, {"scheme": scheme}).fetchone()
        if broken:
            yield Finding("rows", f"{broken:,} {rule}.")


def _texts(connection: sqlite3.Connection, progress: Progress) -> Iterator[Finding]:
    """Kept texts still make the contents they are kept for."""
    done = size = 0
    for number, spec in connection.execute("SELECT id, spec FROM canon").fetchall():
        try:
            canon = Canon.parse(spec)
        except StoreError:  # of an older nearkin: stale, not damaged
            continue
        cursor = connection.execute(
            """SELECT t.digest, t.zstd, t.extractor, c.digest, c.length FROM content c JOIN text t ON t.content = c.id
               WHERE c.canon = ? AND t.zstd IS NOT NULL""",
            (number,),
        )
        while rows := cursor.fetchmany(AT_ONCE):
            for of_bytes, blob, extractor, digest, length in rows:
                done += 1
                size += len(blob)
                if (wrong := _wrong(canon, of_bytes, blob, extractor, digest, length)) is not None:
                    yield Finding("texts", f"The text kept of the bytes {of_bytes.hex()} {wrong}.")
            progress("texts", done, size)


def _wrong(canon: Canon, of_bytes: bytes, blob: bytes, extractor: str, digest: bytes, length: int) -> str | None:
    try:
        text = unpack(blob)
    except StoreError:
        return "cannot be unpacked"
    if extractor == "raw" and _native.sha256(text) != of_bytes:
        return "is not these bytes"
    canonical = canon.apply(text)
    if _native.sha256(canonical) != digest or len(canonical) != length:
        return "is not the one that was compared"
    return None
