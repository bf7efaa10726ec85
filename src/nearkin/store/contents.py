"""Contents that are present, as columns in the order of their digests, and their kept texts on request.

The order is never that of ids: ids show in which order files were read, and no result may depend on that. Holdings say
how many documents hold each content: the views of families need a few numbers of every content and the digests of few.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.bulk import Numbers, columns, numbered_digests
from nearkin.store.compression import unpack
from nearkin.store.database import at_one_moment
from nearkin.store.freshness import CURRENT, SUFFICES, extractor_other_than, lies_below

HERE = "FROM present d JOIN text t ON t.id = d.text WHERE d.reason IS NULL"
# Texts that an older extractor took from the bytes are stale: they are read again, never compared.
FRESH = f"t.extractor IN ('raw', {', '.join(repr(name) for name in sorted(CURRENT))})"
COMPARED = f"{HERE} AND {FRESH}"


@dataclass(frozen=True)
class Contents:
    """The contents that are present, by digest. Row i is content ids[i]."""

    ids: NDArray[np.int64]
    digests: Sequence[bytes]
    lengths: NDArray[np.int64]
    copies: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # documents that hold each

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def numbers(self) -> list[int]:
        """The ids as plain numbers, for callers that want them one by one."""
        ids: list[int] = self.ids.tolist()
        return ids

    def rows(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """The row of each id; -1 where it is not among these contents."""
        most = max(self.ids.max(initial=0), ids.max(initial=0))
        row_of = np.full(int(most) + 1, -1, np.int64)
        row_of[self.ids] = np.arange(len(self.ids))
        rows: NDArray[np.int64] = row_of[ids]
        return rows


def contents_of(connection: sqlite3.Connection, ids: Sequence[int]) -> Contents:
    """These contents, in the order of their digests."""
    rows: list[tuple[int, bytes, int]] = []
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        marks = ",".join("?" * len(part))
        rows += connection.execute(f"SELECT id, digest, length FROM content WHERE id IN ({marks})", tuple(part))
    rows.sort(key=lambda row: row[1])
    return Contents(
        np.array([row[0] for row in rows], np.int64),
        [row[1] for row in rows],
        np.array([row[2] for row in rows], np.int64),
    )


def unsigned_contents(connection: sqlite3.Connection, scheme: int, canon: int) -> list[int]:
    """Contents that are present but were never signed in this way: read by an earlier scan under another scheme."""
    (all_are,) = connection.execute(
        "SELECT (SELECT count(*) FROM content WHERE canon = ?) = (SELECT count(*) FROM signature WHERE scheme = ?)",
        (canon, scheme),
    ).fetchone()
    if all_are:  # nearly always, and known without a look at every document
        return []
    rows = connection.execute(
        f"""SELECT DISTINCT t.content {COMPARED} AND t.content IN (SELECT id FROM content WHERE canon = ?)
            AND t.content NOT IN (SELECT content FROM signature WHERE scheme = ?)""",
        (canon, scheme),
    )
    return [content for (content,) in rows]


def other_canons(connection: sqlite3.Connection, canon: str, scope: int, below: tuple[bytes, ...]) -> int:
    """How many documents, besides those of this scope below these paths, have a text made canonical in another way from
    which this one cannot be made."""
    other = "SELECT 1 FROM content JOIN canon ON canon.id = content.canon WHERE canon.spec <> ? LIMIT 1"
    if connection.execute(other, (canon,)).fetchone() is None:
        return 0
    rows = connection.execute(
        f"""SELECT d.scope, d.path {HERE} AND (?1 = 'raw' OR NOT ({SUFFICES})) AND t.content IN (
                SELECT content.id FROM content JOIN canon ON canon.id = content.canon WHERE canon.spec <> ?1)""",
        (canon,),
    )
    return sum(not (where == scope and lies_below(path, below)) for where, path in rows)


def count_stale(connection: sqlite3.Connection) -> int:
    """Documents that no scan compares until their folder is scanned: an older extractor took their text."""
    (count,) = connection.execute(
        f"""SELECT count(*) FROM present d WHERE d.reason IS NULL
            AND d.text IN (SELECT id FROM text WHERE {extractor_other_than(CURRENT | {"raw"})})"""
    ).fetchone()
    return int(count)


def contents_at(connection: sqlite3.Connection, run: int) -> NDArray[np.int64]:
    """The ids of contents that were compared by a finished run, ascending. Those that are stale by now do not count."""
    rows = connection.execute(
        f"""WITH done AS (SELECT id FROM run WHERE state = 'done' AND id <= ?)
           SELECT DISTINCT c.id FROM document d JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
           WHERE d.reason IS NULL AND c.length > 0 AND {FRESH}
           AND d.seen IN (SELECT id FROM done) AND (d.gone IS NULL OR d.gone NOT IN (SELECT id FROM done))""",
        (run,),
    )
    return np.sort(np.array([content for (content,) in rows], np.int64))


def scheme_of(connection: sqlite3.Connection, spec: str, canon: str, signature_format: int) -> int | None:
    """The id of a way to sign that some scan of this store took."""
    row = connection.execute(
        """SELECT scheme.id FROM scheme JOIN canon ON canon.id = scheme.canon
           WHERE scheme.spec = ? AND canon.spec = ? AND scheme.format = ?""",
        (spec, canon, signature_format),
    ).fetchone()
    return None if row is None else int(row[0])


def named_contents(connection: sqlite3.Connection) -> Iterator[tuple[Location, int]]:
    """Every content with the document that names it, in byte order of their paths. Nothing is held in memory."""
    rows = connection.execute(
        """SELECT scope, path, content FROM (
               SELECT scope.name AS scope, d.path AS path, t.content AS content,
                      row_number() OVER (PARTITION BY t.content ORDER BY d.path, scope.name) AS copy
               FROM present d JOIN text t ON t.id = d.text JOIN scope ON scope.id = d.scope
               WHERE d.reason IS NULL)
           WHERE copy = 1 ORDER BY path, scope"""
    )
    return ((Location(scope, path), content) for scope, path, content in rows)


def count_without_source(connection: sqlite3.Connection, scheme: int | None) -> int:
    """How many contents are neither signed in this way nor have a kept text to sign."""
    (count,) = connection.execute(
        f"""SELECT count(DISTINCT t.content) {HERE}
            AND t.content NOT IN (SELECT content FROM signature WHERE scheme = ?)
            AND t.content NOT IN (SELECT content FROM text WHERE zstd IS NOT NULL)""",
        (scheme,),
    ).fetchone()
    return int(count)


def texts_of(connection: sqlite3.Connection, contents: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """(content, extracted text) for every content whose text was kept; one text a content, in no order."""
    for start in range(0, len(contents), 500):
        part = contents[start : start + 500]
        marks = ",".join("?" * len(part))
        rows = connection.execute(
            f"SELECT content, min(id), zstd FROM text WHERE content IN ({marks}) AND zstd IS NOT NULL GROUP BY content",
            tuple(part),
        )
        for content, _, blob in rows:
            text = unpack(blob)
            del blob  # a long one would be held beside what is made of the text
            yield content, text


def lengths_of(connection: sqlite3.Connection, contents: Sequence[int]) -> list[int]:
    """Bytes of canonical text, in the order of the contents."""
    lengths: dict[int, int] = {}
    for start in range(0, len(contents), 500):
        part = contents[start : start + 500]
        marks = ",".join("?" * len(part))
        lengths.update(connection.execute(f"SELECT id, length FROM content WHERE id IN ({marks})", tuple(part)))
    return [lengths[content] for content in contents]


Copies = dict[int, list[tuple[Location, int]]]


def locations(connection: sqlite3.Connection, contents: Sequence[int] | None = None) -> Copies:
    """For every content, or for these, its documents with their sizes, in byte order: the first one names it."""
    copies: Copies = {}
    parts = [None] if contents is None else [contents[start : start + 500] for start in range(0, len(contents), 500)]
    for part in parts:
        only = "" if part is None else f"AND t.content IN ({','.join('?' * len(part))})"
        rows = connection.execute(
            f"""SELECT t.content, scope.name, d.path, d.size FROM present d
                JOIN text t ON t.id = d.text JOIN scope ON scope.id = d.scope
                WHERE d.reason IS NULL {only} ORDER BY d.path, scope.name""",
            part or (),
        )
        for content, scope, path, size in rows:
            copies.setdefault(content, []).append((Location(scope, path), size))
    return copies


BY_DIGEST = "FROM (SELECT id, digest FROM content ORDER BY digest)"
PRESENT = "FROM present WHERE reason IS NULL AND text IS NOT NULL"
STALE = f"d.text IN (SELECT id FROM text WHERE {extractor_other_than(CURRENT | {'raw'})})"


class Digests(Sequence[bytes]):
    """Digests of the contents with these ids, each read when it is asked for."""

    def __init__(self, connection: sqlite3.Connection, ids: Numbers) -> None:
        self._connection = connection
        self._ids = ids

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, row: int) -> bytes: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[bytes]: ...
    def __getitem__(self, row: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(row, slice):
            return Digests(self._connection, self._ids[row])
        content = int(self._ids[row])
        (digest,) = self._connection.execute("SELECT digest FROM content WHERE id = ?", (content,)).fetchone()
        return bytes(digest)


@dataclass(frozen=True)
class Holdings:
    """How many documents hold each content, by its id."""

    fresh: Numbers  # documents whose text is not stale: those that are compared
    documents: Numbers
    bytes: Numbers  # of all its documents

    @classmethod
    def load(cls, connection: sqlite3.Connection) -> "Holdings":
        with at_one_moment(connection):  # a document may be forgotten meanwhile, with its text
            texts, sizes = columns(connection, ("text", "size"), PRESENT)
            ids, held = columns(connection, ("id", "content"), "FROM text")
            (stale,) = columns(connection, ("t.content",), f"{HERE} AND {STALE}")
        content_of = np.zeros(int(ids.max(initial=0)) + 1, np.int64)
        content_of[ids] = held
        contents = content_of[texts]
        most = int(contents.max(initial=0)) + 1
        documents = np.bincount(contents, minlength=most)
        total = np.bincount(contents, sizes, most).astype(np.int64)
        return cls(documents - np.bincount(stale, minlength=most), documents, total)

    def contents(self, connection: sqlite3.Connection, scheme: int) -> Contents:
        """The present contents, as `present_contents` gives them; but their digests are read one by one."""
        (by_digest,) = columns(connection, ("id",), BY_DIGEST)
        length = self._lengths(connection, scheme)
        ids = by_digest[length[by_digest] > 0]
        return Contents(ids, Digests(connection, ids), length[ids], self.fresh[ids])

    def contents_named(self, connection: sqlite3.Connection, scheme: int) -> Contents:
        """The present contents with all digests."""
        by_digest, digests = numbered_digests(connection, "id", "digest", BY_DIGEST)
        length = self._lengths(connection, scheme)
        present = length[by_digest] > 0
        ids = by_digest[present]
        return Contents(ids, digests[present].tolist(), length[ids], self.fresh[ids])

    def _lengths(self, connection: sqlite3.Connection, scheme: int) -> Numbers:
        """Lengths by id of content; 0 if it is not compared: empty, not signed or held by no fresh document."""
        ids, lengths = columns(connection, ("id", "length"), "FROM content")
        (signed,) = columns(connection, ("content",), "FROM signature WHERE scheme = ?", scheme)
        most = max(len(self.fresh), int(ids.max(initial=0)) + 1, int(signed.max(initial=0)) + 1)
        length = np.zeros(most, np.int64)
        length[ids] = lengths
        there = np.zeros(most, np.bool_)
        there[signed] = True
        there[: len(self.fresh)] &= self.fresh > 0
        there[len(self.fresh) :] = False
        return np.where(there, length, 0)


def present_contents(connection: sqlite3.Connection, scheme: int) -> Contents:
    """The present contents with their digests, as of one moment."""
    with at_one_moment(connection):  # a document may be checked in while a scan asks
        return Holdings.load(connection).contents_named(connection, scheme)
