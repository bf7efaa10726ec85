"""Contents in columns: which are present, and how many documents hold them.

The views of families need a few numbers of every content and the digests of few.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from nearkin.store.contents import HERE, Contents
from nearkin.store.database import at_one_moment
from nearkin.store.gathering import Numbers, columns, numbered_digests
from nearkin.store.staleness import CURRENT, extractor_other_than

BY_DIGEST = "FROM (SELECT id, digest FROM content ORDER BY digest)"
PRESENT = "FROM present WHERE reason IS NULL AND text IS NOT NULL"
STALE = f"d.text IN (SELECT id FROM text WHERE {extractor_other_than(CURRENT | {'raw'})})"


class Digests(Sequence[bytes]):
    """Of the contents with these ids, each read when it is asked for."""

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
        found = self._connection.execute("SELECT digest FROM content WHERE id = ?", (int(self._ids[row]),)).fetchone()
        return bytes(found[0])


@dataclass(frozen=True)
class Holdings:
    """By id of content; what is not there has none."""

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
        """The present ones, as `present_contents` gives them; but their digests are read one by one."""
        (by_digest,) = columns(connection, ("id",), BY_DIGEST)
        length = self._lengths(connection, scheme)
        found = by_digest[length[by_digest] > 0]
        return Contents(found, Digests(connection, found), length[found], self.fresh[found])

    def contents_named(self, connection: sqlite3.Connection, scheme: int) -> Contents:
        """The same with all digests."""
        by_digest, known = numbered_digests(connection, "id", "digest", BY_DIGEST)
        length = self._lengths(connection, scheme)
        there = length[by_digest] > 0
        found = by_digest[there]
        return Contents(found, known[there].tolist(), length[found], self.fresh[found])

    def _lengths(self, connection: sqlite3.Connection, scheme: int) -> Numbers:
        """By id of content; 0 where it is not compared: it is empty, not signed or held by no fresh document."""
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
    """For those who ask for the digests of many."""
    with at_one_moment(connection):  # a document may be checked in while a scan asks
        return Holdings.load(connection).contents_named(connection, scheme)
