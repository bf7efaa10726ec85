"""Verdicts: what people decided about a pair or a family, for good (docs/decisions/014-decisions.md).

A verdict hangs on the bytes of its documents, so moves, new normalisers and other schemes do not touch it.

`VerdictIndex` says what all verdicts together mean for the contents that are present. A content is concerned if some
document that is present holds it and has the verdict's bytes. Of a pair one content must have the one's bytes and the
other the other's; of a family any two contents with its bytes are a pair of it. What is said of a pair goes before what
is said of a family, the later before the earlier.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.audit import now, record
from nearkin.store.contents import HERE
from nearkin.store.documents import documents_of_bytes
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


class VerdictIndex:
    """What verdicts say of the contents that are present, which are named by their ids."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.verdicts = all_verdicts(connection)
        concerned = _contents_by_bytes(connection) if self.verdicts else {}
        # The later before the earlier, as they come.
        self._families = [one for one in self.verdicts if one.about == "family"]
        self._held = [[concerned[digest] for digest in one.digests if digest in concerned] for one in self._families]
        self._keep = {one.id: _kept(connection, one) for one in self._families if one.ruling is Ruling.KEEP}
        # Of each content, in which families' verdicts it is and by which of their bytes.
        self._inside: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, held in enumerate(self._held):
            for digest, contents in enumerate(held):
                for content in contents:
                    self._inside[content].append((at, digest))
        self._pairs: dict[tuple[int, int], Ruling] = {}
        # Which to keep is said beside what the two are, and shown where nothing else was said of them.
        self._keep_one: set[tuple[int, int]] = set()
        for one in sorted(self.verdicts, key=lambda one: one.id):
            if one.about == "pair" and len(one.digests) == 2:  # what was forgotten for good is no pair
                first, second = (concerned.get(digest, frozenset()) for digest in one.digests)
                pairs = [(min(a, b), max(a, b)) for a in first for b in second - {a}]
                if one.ruling is Ruling.KEEP:
                    self._keep_one.update(pairs)
                else:
                    self._pairs.update(dict.fromkeys(pairs, one.ruling))

    def of_pair(self, a: int, b: int) -> Ruling | None:
        if not self.verdicts:
            return None
        pair = (min(a, b), max(a, b))
        if (found := self._pairs.get(pair)) is not None:
            return found
        both = {at for at, _ in self._inside.get(a, ())} & {at for at, _ in self._inside.get(b, ())}
        spoken = (self._families[at].ruling for at in sorted(both))
        unsaid = Ruling.KEEP if pair in self._keep_one else None
        return next((ruling for ruling in spoken if ruling is not Ruling.KEEP), unsaid)

    def of_family(self, contents: Iterable[int]) -> tuple[Ruling | None, Location | None]:
        """What was said of it, and the document to keep. A verdict is of the family that holds more than half of the
        bytes it is about, of those still present."""
        here = {place for content in contents for place in self._inside.get(content, ())} if self._families else set()
        count = Counter(at for at, _ in here)
        ruling, keep = None, None
        for at in sorted(count, reverse=True):  # the latest is the last word
            one = self._families[at]
            if 2 * count[at] > len(self._held[at]):
                if one.ruling is Ruling.KEEP:
                    keep = self._keep[one.id]
                else:
                    ruling = one.ruling
        return ruling, keep

    def apart(self, a: NDArray[np.uint32], b: NDArray[np.uint32], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these pairs of rows link no family. Row i is content ids[i]."""
        found = np.zeros(len(a), np.bool_)
        if not self.verdicts:
            return found
        row_of = {content: row for row, content in enumerate(ids.tolist())}
        for one, held in zip(reversed(self._families), reversed(self._held), strict=True):
            if one.ruling is not Ruling.KEEP:
                inside = np.zeros(len(ids), np.bool_)
                inside[[row_of[content] for contents in held for content in contents if content in row_of]] = True
                found[inside[a] & inside[b]] = one.ruling.parts
        size = len(ids)
        keys = np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)
        for parts in (False, True):
            said = [
                min(row_of[x], row_of[y]) * size + max(row_of[x], row_of[y])
                for (x, y), ruling in self._pairs.items()
                if ruling.parts == parts and x in row_of and y in row_of
            ]
            found[np.isin(keys, np.array(said, np.int64))] = parts
        return found


def _contents_by_bytes(connection: sqlite3.Connection) -> dict[bytes, frozenset[int]]:
    """Of bytes that verdicts are about, the contents of documents that are present."""
    found: dict[bytes, set[int]] = defaultdict(set)
    for digest, content in connection.execute(
        f"SELECT DISTINCT d.digest, t.content {HERE} AND d.digest IN (SELECT digest FROM verdict_bytes)"
    ):
        found[digest].add(content)
    return {digest: frozenset(contents) for digest, contents in found.items()}


def _kept(connection: sqlite3.Connection, verdict: Verdict) -> Location | None:
    """Where it was, if it is still there, otherwise its first copy."""
    places = documents_of_bytes(connection, verdict.keep or b"")
    return next((place for place in places if place == verdict.keep_at), places[0] if places else None)
