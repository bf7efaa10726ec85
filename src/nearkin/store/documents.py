r"""The documents that are there: listed, counted, found by name, and grouped where they are identical.

The name of a document is its path as listings show it, that with the scope before it, or its file's path, which may lie
in a container that is on disk; last the same with bytes that were spelled as \xNN.

Groups of identical documents have the same bytes, or the same words in other bytes. Empty files have nothing in common:
they would make the largest group of most repositories. Files that failed are copies of one another all the same where
their bytes were read. What lies in an archive or a mail costs nothing of its own, and neither does a further name of a
file (a hard link).
"""

import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin.model import DOCUMENT, Document, IdenticalGroup, Location
from nearkin.read.table import MEDIA, MEMBER, table_kind
from nearkin.store.bulk import digests
from nearkin.store.contents import FRESH
from nearkin.store.freshness import lies_below
from nearkin.store.runs import in_scope
from nearkin.store.scopes import NO_ROOT, Scope, all_scopes


def present(connection: sqlite3.Connection, *, failed: bool = False, without_text: bool = False) -> list[Document]:
    """The documents of the store, those that failed, or those with bytes but no text, in byte order of their paths."""
    return list(each_present(connection, failed=failed, without_text=without_text))


def each_present(
    connection: sqlite3.Connection, *, failed: bool = False, without_text: bool = False
) -> Iterator[Document]:
    """The same documents one by one, however many there are."""
    textless = "AND d.text IS NULL AND d.size > 0 AND NOT EXISTS (SELECT 1 FROM document m WHERE m.parent = d.id)"
    names = [name for name in DOCUMENT.attributes if name != "parent"]
    rows = connection.execute(
        f"""SELECT scope.name, d.path, {", ".join(f"d.{name}" for name in names)}, p.path
            FROM present d JOIN scope ON scope.id = d.scope LEFT JOIN document p ON p.id = d.parent
            WHERE d.reason IS {"NOT NULL" if failed else "NULL"} {textless if without_text else ""}
            ORDER BY d.path, scope.name"""
    )
    return (
        Document.stored(scope, path, dict(zip(names, values, strict=True)), parent)
        for scope, path, *values, parent in rows
    )


def count_documents(connection: sqlite3.Connection) -> tuple[int, int]:
    """Count the documents, and the files that failed."""
    documents, failed = connection.execute(
        """SELECT count(*) FILTER (WHERE reason IS NULL), count(*) FILTER (WHERE reason IS NOT NULL)
           FROM present"""
    ).fetchone()
    return int(documents), int(failed)


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """A document and what it holds; without text it has no content."""

    location: Location
    digest: bytes
    content: int | None
    length: int  # bytes of canonical text
    size: int


def held_in(connection: sqlite3.Connection, scope: str) -> list[HeldDocument]:
    """The documents of a scope, in byte order of their paths."""
    rows = connection.execute(
        """SELECT scope.name, d.path, d.digest, c.id, coalesce(c.length, d.size), d.size
           FROM present d JOIN scope ON scope.id = d.scope
           LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE scope.name = ? AND d.reason IS NULL ORDER BY d.path""",
        (scope,),
    )
    return [HeldDocument(Location(name, path), *rest) for name, path, *rest in rows]


Place = tuple[Scope, bytes]
SPELLED = re.compile(rb"\\x([89a-f][0-9a-f])")  # bytes that are not UTF-8, as on the screen and in tables of Arrow
UNWRITABLE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # halves of surrogate pairs that stand for no byte


def readings(scopes: list[Scope], name: str) -> Iterator[list[Place]]:
    """The places that a name may mean, one list for each way to read it."""
    if "\0" in name or UNWRITABLE.search(name):
        return
    plain = os.fsencode(name.removeprefix("./"))  # how names that begin with a dash are written
    yield [(scope, plain) for scope in scopes]
    first, colon, rest = name.removeprefix("./").partition(":")
    yield [(scope, os.fsencode(rest)) for scope in scopes if colon and first == scope.name]
    absolute = Path(os.path.abspath(name))  # noqa: PTH100  a link is meant by its own name
    yield [
        # Documents that were added are known by their absolute paths, without the slash.
        (scope, os.fsencode(absolute)[1:] if scope.root == NO_ROOT else os.fsencode(absolute.relative_to(scope.root)))
        for scope in scopes
        if scope.root == NO_ROOT or scope.root in absolute.parents
    ]


def rows_named(connection: sqlite3.Connection, query: str, name: str) -> list[tuple[Any, ...]]:
    """The rows of a query by scope and path, of the first reading that has some."""
    scopes = all_scopes(connection)
    for places in chain.from_iterable(readings(scopes, meant) for meant in spellings(name)):
        rows = [row for scope, path in places for row in connection.execute(query, (scope.id, path))]
        if rows:
            return rows
    return []


def spellings(name: str) -> list[str]:
    """The name as it is, and with the bytes that it spells, where it does, in case nothing is called so."""
    if UNWRITABLE.search(name):
        return [name]
    meant = os.fsdecode(SPELLED.sub(lambda byte: bytes([int(byte[1], 16)]), os.fsencode(name)))
    return [name] if meant == name else [name, meant]


WITH_SCOPE = """FROM present d JOIN scope ON scope.id = d.scope
              {} WHERE d.reason IS NULL AND"""
LOOK_UP = 500  # keys a query


def documents_of_bytes(connection: sqlite3.Connection, digest: bytes) -> list[Location]:
    """The documents that have these bytes, in byte order."""
    rows = connection.execute(
        f"""SELECT scope.name, d.path {WITH_SCOPE.format("JOIN text t ON t.id = d.text")} t.digest = ?1
            UNION SELECT scope.name, d.path {WITH_SCOPE.format("")} d.text IS NULL AND d.digest = ?1""",
        (digest,),
    )
    return sorted(Location(scope, path) for scope, path in rows)


def content_of(connection: sqlite3.Connection, digest: bytes, canon: int) -> int | None:
    row = connection.execute("SELECT id FROM content WHERE digest = ? AND canon = ?", (digest, canon)).fetchone()
    return None if row is None else int(row[0])


def documents_of(connection: sqlite3.Connection, contents: Sequence[int]) -> dict[int, list[Location]]:
    """The documents of every content that is present, in byte order: the first one names it."""
    documents: dict[int, list[Location]] = {}
    for start in range(0, len(contents), LOOK_UP):
        part = contents[start : start + LOOK_UP]
        rows = connection.execute(
            f"""SELECT t.content, scope.name, d.path {WITH_SCOPE.format("JOIN text t ON t.id = d.text")}
                t.content IN ({",".join("?" * len(part))}) AND {FRESH} ORDER BY d.path, scope.name""",
            tuple(part),
        )
        for content, scope, path in rows:
            documents.setdefault(content, []).append(Location(scope, path))
    return documents


# A file, or a row of a table: it takes room that could be saved.
COSTS = "d.parent IS NULL OR (SELECT p.reader FROM document p WHERE p.id = d.parent) IS NULL"
# Names of one file are one. Devices are not stored, and files of two may have the same inode: their times differ.
FILE = "CASE d.inode WHEN 0 THEN d.id ELSE d.scope || ' ' || d.inode || ' ' || d.mtime_ns || ' ' || d.ctime_ns END"
WITH_BYTES = "FROM present d WHERE digest IS NOT NULL AND size > 0"
BY_BYTES = f"{WITH_BYTES} GROUP BY digest HAVING count(*) > 1"
# Documents of one text have the same bytes: only contents of two texts and more can be of the same words alone.
WITH_WORDS = """
FROM present d JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
WHERE d.reason IS NULL AND c.length > 0
AND t.content IN (SELECT content FROM text GROUP BY content HAVING count(*) > 1)
"""
BY_WORDS = f"{WITH_WORDS} GROUP BY t.content HAVING count(*) > 1 AND min(d.digest) < max(d.digest)"
SAME_BYTES = f"""
SELECT 'bytes', digest, count(*), max(size),
       max(count(DISTINCT {FILE}) FILTER (WHERE {COSTS}) - 1, 0) * max(size), min(path)
{BY_BYTES}
"""
SAME_WORDS = f"""
SELECT 'words', words, sum(names), max(size), coalesce(sum(cost) - max(cost), 0), min(path) FROM (
    SELECT t.content, c.digest AS words, count(*) AS names, max(d.size) AS size, min(d.path) AS path,
           max(d.size) FILTER (WHERE {COSTS}) AS cost, min(d.digest) AS least, max(d.digest) AS most
    {WITH_WORDS} GROUP BY t.content, {FILE}
) GROUP BY content HAVING sum(names) > 1 AND min(least) < max(most)
"""
# Containers, mails and tables of which there are copies.
COPIED = """
SELECT digest FROM present WHERE id IN (SELECT parent FROM document WHERE parent IS NOT NULL)
GROUP BY digest HAVING count(*) > 1
"""
# Of some bytes or words, how many documents lie in such of one digest only.
IN_COPIES = f"p.digest IN ({COPIED}) GROUP BY 2 HAVING count(DISTINCT p.digest) = 1"
BYTES_IN_COPIES = f"""
SELECT 'bytes', d.digest, count(*) FROM present d JOIN document p ON p.id = d.parent WHERE {IN_COPIES}
"""
WORDS_IN_COPIES = f"""
SELECT 'words', c.digest, count(*) FROM present d JOIN document p ON p.id = d.parent
JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content WHERE d.reason IS NULL AND {IN_COPIES}
"""
HOLDERS = """
SELECT scope.name, d.path, d.digest, c.digest
FROM present d JOIN scope ON scope.id = d.scope
LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
WHERE d.digest IS NOT NULL ORDER BY d.path, scope.name
"""


class CopyGroup(NamedTuple):
    """A group of identical documents.

    Its overhead is what keeping one copy would save: the other files of equal size, or all but the largest.
    """

    tier: str
    digest: bytes
    documents: int
    size: int
    overhead: int
    first: bytes  # path

    @property
    def held(self) -> tuple[str, bytes, int]:
        return self.tier, self.digest, self.documents


def identical_groups(connection: sqlite3.Connection, limit: int | None = None) -> list[IdenticalGroup]:
    """The groups of most documents first, then of the largest overhead; last come those that are copies only because
    their containers are."""
    groups = [CopyGroup._make(row) for query in (SAME_BYTES, SAME_WORDS) for row in connection.execute(query)]
    within = _within_copies(connection)
    groups.sort(
        key=lambda group: (group.held in within, -group.documents, -group.overhead, group.first, group.tier),
    )
    return _named(connection, groups[:limit], within)


def _within_copies(connection: sqlite3.Connection) -> set[tuple[str, bytes, int]]:
    """The groups as they would be if all their documents lay in containers that are copies of one another."""
    if connection.execute(COPIED).fetchone() is None:
        return set()
    return {row for query in (BYTES_IN_COPIES, WORDS_IN_COPIES) for row in connection.execute(query)}


def _named(
    connection: sqlite3.Connection, groups: list[CopyGroup], within: set[tuple[str, bytes, int]]
) -> list[IdenticalGroup]:
    """Name the documents of groups in one walk over all, however few: 50,000 rows are read in a tenth of a second."""
    wanted = {(group.tier, group.digest) for group in groups}
    holders: dict[tuple[str, bytes], list[Location]] = defaultdict(list)
    for scope, path, digest, words in connection.execute(HOLDERS):
        for key in (("bytes", digest), ("words", words)):
            if key in wanted:
                holders[key].append(Location(scope, path))
    return [
        IdenticalGroup(
            group.tier,
            group.size,
            group.overhead,
            tuple(holders[group.tier, group.digest]),
            within_copies=group.held in within,
        )
        for group in groups
    ]


def overhead_of_copies(connection: sqlite3.Connection) -> int:
    """The bytes that copies of the same bytes cost. Groups of the same words hold these, and must not count twice."""
    return sum(CopyGroup._make(row).overhead for row in connection.execute(SAME_BYTES))


def count_identical(connection: sqlite3.Connection) -> int:
    """Count the groups of identical documents."""
    ((of_words,),) = connection.execute(f"SELECT count(*) FROM (SELECT 1 {BY_WORDS})")
    return int(of_words) + count_repeated(digests(connection, "digest", WITH_BYTES))


def count_repeated(digests: NDArray[np.void]) -> int:
    """Count the digests that are there more than once. SQLite takes four times as long to sort them."""
    parts = digests.view("<u8").reshape(-1, 4)
    ordered = parts[np.argsort(parts[:, 0])]
    alike = ordered[1:] == ordered[:-1]
    again = alike.all(axis=1)
    if (alike[:, 0] & ~again).any():  # by 8 bytes some are alike that are not; sorted by all takes twice as long
        ordered = parts[np.lexsort(parts.T)]
        again = (ordered[1:] == ordered[:-1]).all(axis=1)
    return int((again & ~np.append(False, again[:-1])).sum())


FAILED = "reason IS NOT NULL"
# A table is read where one of its rows was.
TABLES = ",".join(f"'{media}'" for media in sorted(MEDIA))
READ = f"reason IS NULL AND (media IS NULL OR media NOT IN ({TABLES}))"


def nothing_read(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> bool:
    """Whether in each of these files and folders something failed, and nothing was read."""
    return all(_any(connection, start, FAILED) and not _any(connection, start, READ) for start in starts)


def only_failure(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> str | None:
    """The detail of the one document that failed; None where there are more."""
    details = [detail for start in starts for (detail,) in _some(connection, start, FAILED, "detail", most=2)]
    return details[0] if len(details) == 1 else None


def _any(connection: sqlite3.Connection, start: Path, state: str) -> bool:
    return bool(_some(connection, start, state, "1", most=1))


def _some(connection: sqlite3.Connection, start: Path, state: str, what: str, *, most: int) -> list[tuple[str]]:
    """Some documents of a state, by the index of places: a store may hold far more than was scanned."""
    rows: list[tuple[str]] = []
    for scope in all_scopes(connection):
        for below in in_scope(scope, (start,)):
            where, places = "TRUE", []
            if below:
                where = "(path = ? OR path > ? AND path < ? OR path > ? AND path < ?)"
                places = [below, below + b"/", below + b"0", below + MEMBER, below + b"!0"]
            query = f"SELECT {what} FROM present WHERE scope = ? AND {where} AND {state} LIMIT ?"
            rows += connection.execute(query, (scope.id, *places, most))
    return rows[:most]


def rows_gone(connection: sqlite3.Connection, run: int) -> int:
    """Count the rows of tables that were in the store until this run, while their table still is."""
    query = f"""SELECT count(*) FROM document r JOIN document t ON t.id = r.parent
        WHERE r.gone = ? AND t.media IN ({",".join("?" * len(MEDIA))})
        AND EXISTS (SELECT 1 FROM present p WHERE p.scope = t.scope AND p.path = t.path)"""
    (count,) = connection.execute(query, (run, *sorted(MEDIA))).fetchone()
    return int(count)


def tables_without_text(connection: sqlite3.Connection, starts: tuple[Path, ...]) -> int:
    """Count the files below these that are called like tables and have no text as a whole, as .parquet has none."""
    textless = "text IS NULL AND parent IS NULL AND reason IS NULL AND size > 0"
    query = f"SELECT path FROM present WHERE +scope = ? AND {textless}"  # found by their lack of a text, not by scope
    return sum(
        table_kind(path) is not None and lies_below(path, below)
        for scope in all_scopes(connection)
        if (below := in_scope(scope, starts))
        for (path,) in connection.execute(query, (scope.id,))
    )
