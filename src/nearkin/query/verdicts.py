"""The documents and families that a verdict is about, found by their names; and what followed from a verdict.

A verdict is kept by the bytes of its documents.
"""

import os
import re
import sqlite3
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nearkin.errors import InputError, UsageError
from nearkin.model import Location
from nearkin.query.records import Name, Record, surrogate_escaped
from nearkin.store import runs
from nearkin.store.documents import documents_of_bytes, rows_named
from nearkin.store.scopes import naming
from nearkin.store.verdicts import Verdict, all_verdicts, places_of

HEX = re.compile(r"[0-9a-fA-F]{1,64}")  # an id, or the beginning of one
STORED = """
SELECT scope.name, d.digest FROM scope CROSS JOIN present d ON d.scope = scope.id
WHERE d.digest IS NOT NULL AND d.scope = ? AND d.path = ?
"""
SHOWN = 16  # digits of a family's id


@dataclass(frozen=True)
class FoundFamily:
    """A family that a person named by its id."""

    founder: bytes
    digests: frozenset[bytes]  # of its documents' bytes
    contents: tuple[int, ...]  # of its members

    @property
    def id(self) -> str:
        return self.founder.hex()[:SHOWN]


def bytes_of(connection: sqlite3.Connection, name: str) -> bytes:
    """The digest of a document of the store: a file on disk that is in it too, or one by its path there."""
    if os.path.isfile(name):  # noqa: PTH113  Path.is_file fails on names no file can have
        digest = sha256(Path(name).read_bytes()).digest()
        if documents_of_bytes(connection, digest):
            return digest
    stored = name.removeprefix("./")
    rows = rows_named(connection, STORED, stored)
    if len(rows) > 1:
        raise UsageError(f"{name} is in several scopes; name one: {' or '.join(f'{row[0]}:{stored}' for row in rows)}.")
    if not rows:
        raise InputError(
            f"{name} is not a document of the store; list them with: nearkin documents{naming(connection)}"
        )
    return bytes(rows[0][1])


def place_of(connection: sqlite3.Connection, name: str, digest: bytes) -> Location:
    """Which of the documents with these bytes is meant by a name; a file on disk may stand for any."""
    places = documents_of_bytes(connection, digest)
    stored = os.fsencode(name.removeprefix("./"))
    ends = (b"/" + stored).endswith
    named = (place for place in places if place.path == stored or f"{place.scope}:".encode() + place.path == stored)
    return next(named, next((place for place in places if ends(b"/" + place.path)), places[0]))


def pair_of(connection: sqlite3.Connection, a: str, b: str) -> frozenset[bytes]:
    digests = frozenset(bytes_of(connection, name) for name in (a, b))
    if len(digests) < 2:
        raise UsageError(f"{a} and {b} have the same bytes; there is nothing to decide.")
    return digests


def of_one_content(connection: sqlite3.Connection, digests: frozenset[bytes]) -> bool:
    """Whether these bytes have the same words: then nothing can set them apart."""
    marks = ",".join("?" * len(digests))
    (count,) = connection.execute(
        f"SELECT count(DISTINCT t.content) FROM present d JOIN text t ON t.id = d.text WHERE d.digest IN ({marks})",
        tuple(digests),
    ).fetchone()
    return bool(count == 1)


def find_family(connection: sqlite3.Connection, prefix: str) -> FoundFamily:
    """Find a family by its id or the beginning of it; also one that a verdict has parted."""
    if not HEX.fullmatch(prefix):
        raise InputError(f"{prefix} is not a family id; `nearkin families` shows them, such as 0123456789abcdef.")
    wanted = prefix.lower()
    scheme = runs.last(connection).scheme
    known = {
        founder: number
        for number, founder in connection.execute("SELECT id, founder FROM family WHERE scheme = ?", (scheme,))
        if founder.hex().startswith(wanted)
    }
    judged = {
        verdict.family: verdict.digests
        for verdict in reversed(all_verdicts(connection))
        if verdict.family is not None and verdict.family.hex().startswith(wanted)
    }
    founders = sorted({*known, *judged})
    if not founders:
        raise InputError(f"There is no family {prefix}; `nearkin families` lists them.")
    if len(founders) > 1:
        some = ", ".join(founder.hex()[:SHOWN] for founder in founders[:4])
        raise UsageError(
            f"{prefix} is the beginning of the ids of {len(founders)} families ({some} …); give more digits."
        )
    founder = founders[0]
    if founder not in known:
        return FoundFamily(founder, judged[founder], _contents_of(connection, judged[founder]))
    contents = connection.execute(
        "SELECT content, role FROM family_content WHERE family = ? ORDER BY content", (known[founder],)
    ).fetchall()
    digests = connection.execute(
        """SELECT DISTINCT d.digest FROM present d JOIN text t ON t.id = d.text
           WHERE d.reason IS NULL AND t.content IN (SELECT content FROM family_content WHERE family = ?)""",
        (known[founder],),
    )
    members = tuple(content for content, role in contents if role == "member")
    return FoundFamily(founder, frozenset(digest for (digest,) in digests), members)


def _contents_of(connection: sqlite3.Connection, digests: frozenset[bytes]) -> tuple[int, ...]:
    contents = {
        content
        for digest in digests
        for (content,) in connection.execute(
            "SELECT t.content FROM present d JOIN text t ON t.id = d.text WHERE t.digest = ? AND d.reason IS NULL",
            (digest,),
        )
    }
    return tuple(sorted(contents))


@dataclass(frozen=True)
class Consequence:
    """What followed from a verdict."""

    replaced: str | None  # the verdict before it
    ended: int = 0  # families
    changed: int = 0
    founded: int = 0


def members_of_families(connection: sqlite3.Connection) -> dict[bytes, frozenset[int]]:
    """The contents of each family as it is now, by its founder."""
    members: dict[bytes, set[int]] = defaultdict(set)
    for founder, content in connection.execute(
        "SELECT founder, content FROM family JOIN family_content ON family = id WHERE scheme = ?",
        (runs.last(connection).scheme,),
    ):
        members[founder].add(content)
    return {founder: frozenset(contents) for founder, contents in members.items()}


def consequence(
    replaced: str | None, before: dict[bytes, frozenset[int]], after: dict[bytes, frozenset[int]]
) -> Consequence:
    changed = sum(before[founder] != after[founder] for founder in before.keys() & after.keys())
    return Consequence(replaced, len(before.keys() - after.keys()), changed, len(after.keys() - before.keys()))


def verdict_record(connection: sqlite3.Connection, verdict: Verdict, *, name: Name = surrogate_escaped) -> Record:
    places = places_of(connection, verdict)
    return {
        "id": verdict.id,
        "about": verdict.about,
        "verdict": str(verdict.ruling),
        "family": None if verdict.family is None else verdict.family.hex()[:SHOWN],
        "paths": [name(place) for place in places],
        "keep": None if verdict.keep_at is None else verdict.keep_at.name,
        "by": verdict.by,
        "note": verdict.note,
        "at": verdict.at,
    }
