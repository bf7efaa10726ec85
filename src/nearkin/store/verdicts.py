"""Verdicts: what people decided about a pair or a family, for good (docs/decisions/014-decisions.md).

A verdict hangs on the bytes of its documents, so moves, new normalisers and other schemes do not touch it.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from nearkin.model import Location
from nearkin.store.audit import now, record
from nearkin.store.holders import documents_of_bytes
from nearkin.store.scopes import used_scopes


class Ruling(StrEnum):
    SAME = "same"
    VERSION = "version"
    NOT_SIMILAR = "not-similar"
    TEMPLATE = "template"
    KEEP = "keep"

    @property
    def parts(self) -> bool:
        """Whether what it is said of links no family."""
        return self in (Ruling.NOT_SIMILAR, Ruling.TEMPLATE)


@dataclass(frozen=True)
class Verdict:
    id: int
    about: str  # pair or family
    ruling: Ruling
    family: bytes | None  # founder of the family it was about
    keep: bytes | None  # bytes of the document to keep
    keep_at: Location | None  # and where it was then
    by: str
    note: str | None
    at: str
    digests: frozenset[bytes]


def all_verdicts(connection: sqlite3.Connection) -> list[Verdict]:
    """The latest first."""
    digests: dict[int, set[bytes]] = defaultdict(set)
    for verdict, digest in connection.execute("SELECT verdict, digest FROM verdict_bytes"):
        digests[verdict].add(digest)
    rows = connection.execute(
        "SELECT id, about, verdict, family, keep, keep_scope, keep_path, by, note, at FROM verdict ORDER BY id DESC"
    )
    return [
        Verdict(
            number,
            about,
            Ruling(ruling),
            family,
            keep,
            None if path is None else Location(scope or "", path),
            by,
            note,
            at,
            frozenset(digests[number]),
        )
        for number, about, ruling, family, keep, scope, path, by, note, at in rows
    ]


def add_verdict(
    connection: sqlite3.Connection,
    ruling: Ruling,
    digests: Iterable[bytes],
    *,
    by: str,
    note: str | None = None,
    family: bytes | None = None,  # None: it is about a pair
    keep: bytes | None = None,
    keep_at: Location | None = None,
) -> Verdict | None:
    """It takes the place of what was said before of the same pair or family, which is returned; which document to keep
    is said apart."""
    about = "pair" if family is None else "family"
    bytes_of = frozenset(digests)
    before = [one for one in all_verdicts(connection) if _same_subject(one, about, family, bytes_of, ruling)]
    for one in before:
        connection.execute("DELETE FROM verdict WHERE id = ?", (one.id,))
        connection.execute("DELETE FROM verdict_bytes WHERE verdict = ?", (one.id,))
    at = now()
    cursor = connection.execute(
        """INSERT INTO verdict (about, verdict, family, keep, keep_scope, keep_path, by, note, at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (about, ruling.value, family, keep, keep_at and keep_at.scope, keep_at and keep_at.path, by, note, at),
    )
    number = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO verdict_bytes (verdict, digest) VALUES (?, ?)", ((number, digest) for digest in sorted(bytes_of))
    )
    added = Verdict(number, about, ruling, family, keep, keep_at, by, note, at, bytes_of)
    record(
        connection,
        by=by,
        action="verdict set",
        subject=_subject(connection, added),
        before=_audited(before[0]) if before else None,
        after=_audited(added),
    )
    return before[0] if before else None


def remove_verdict(connection: sqlite3.Connection, verdict: Verdict, *, by: str) -> None:
    subject = _subject(connection, verdict)
    connection.execute("DELETE FROM verdict_bytes WHERE verdict = ?", (verdict.id,))
    connection.execute("DELETE FROM verdict WHERE id = ?", (verdict.id,))
    record(connection, by=by, action="verdict clear", subject=subject, before=_audited(verdict))


def _same_subject(one: Verdict, about: str, family: bytes | None, digests: frozenset[bytes], ruling: Ruling) -> bool:
    if one.about != about or (one.ruling is Ruling.KEEP) != (ruling is Ruling.KEEP):
        return False
    return one.digests == digests if family is None else one.family == family or one.digests == digests


def _subject(connection: sqlite3.Connection, verdict: Verdict) -> str:
    if verdict.family is not None:
        return f"family {verdict.family.hex()[:16]}"
    first = [documents_of_bytes(connection, digest)[:1] for digest in sorted(verdict.digests)]
    scoped = len(used_scopes(connection)) > 1
    names = [
        (f"{place.scope}:" if scoped else "") + place.path.decode("utf-8", "backslashreplace")
        for places in first
        for place in places
    ]
    return f"pair {' and '.join(sorted(names))}"


def _audited(verdict: Verdict) -> dict[str, object]:
    keep = {} if verdict.keep is None else {"keep": verdict.keep.hex()}
    bytes_of = sorted(digest.hex() for digest in verdict.digests)
    return {"verdict": str(verdict.ruling), **keep, "by": verdict.by, "note": verdict.note, "bytes": bytes_of}


def places_of(connection: sqlite3.Connection, verdict: Verdict) -> list[Location]:
    """Where its documents are now, in byte order."""
    return sorted(place for digest in verdict.digests for place in documents_of_bytes(connection, digest))
