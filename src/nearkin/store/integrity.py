"""Is a store whole? What SQLite says, and what nearkin itself promises of its rows. Findings are sentences."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nearkin.errors import StoreError
from nearkin.store import runs
from nearkin.store.compression import unpack
from nearkin.store.contents import HERE
from nearkin.text.canon import Canon

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
    if extractor == "raw" and sha256(text).digest() != of_bytes:
        return "is not these bytes"
    canonical = canon.apply(text)
    if sha256(canonical).digest() != digest or len(canonical) != length:
        return "is not the one that was compared"
    return None
