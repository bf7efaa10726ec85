"""Groups of identical documents: of the same bytes, or of the same words in other bytes.

Empty files have nothing in common: they would make the largest group of most repositories. Files that failed are copies
of one another all the same where their bytes were read. What lies in an archive or a mail costs nothing of its own, and
neither does a further name of a file (a hard link).
"""

import sqlite3
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkin.model import IdenticalGroup, Location
from nearkin.store.gathering import digests

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


class Group(NamedTuple):
    """Overhead is what keeping one copy would save: the other files of equal size, or all but the largest."""

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
    """Most documents first, then largest overhead; at last those that are copies only because their containers are."""
    groups = [Group._make(row) for query in (SAME_BYTES, SAME_WORDS) for row in connection.execute(query)]
    within = _within_copies(connection)
    groups.sort(
        key=lambda group: (group.held in within, -group.documents, -group.overhead, group.first, group.tier),
    )
    return _named(connection, groups[:limit], within)


def _within_copies(connection: sqlite3.Connection) -> set[tuple[str, bytes, int]]:
    """Groups as they would be if all their documents lay in containers that are copies of one another."""
    if connection.execute(COPIED).fetchone() is None:
        return set()
    return {row for query in (BYTES_IN_COPIES, WORDS_IN_COPIES) for row in connection.execute(query)}


def _named(
    connection: sqlite3.Connection, groups: list[Group], within: set[tuple[str, bytes, int]]
) -> list[IdenticalGroup]:
    """One walk over all documents, however few the groups are: 50,000 rows are read in a tenth of a second."""
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
    """What the copies of the same bytes cost in all. Those of the same words hold these: they must not count twice."""
    return sum(Group._make(row).overhead for row in connection.execute(SAME_BYTES))


def count_identical(connection: sqlite3.Connection) -> int:
    """How many groups there are."""
    ((of_words,),) = connection.execute(f"SELECT count(*) FROM (SELECT 1 {BY_WORDS})")
    return int(of_words) + count_repeated(digests(connection, "digest", WITH_BYTES))


def count_repeated(found: NDArray[np.void]) -> int:
    """How many digests are there more than once. SQLite takes four times as long to sort them."""
    parts = found.view("<u8").reshape(-1, 4)
    ordered = parts[np.argsort(parts[:, 0])]
    alike = ordered[1:] == ordered[:-1]
    again = alike.all(axis=1)
    if (alike[:, 0] & ~again).any():  # by 8 bytes some are alike that are not; sorted by all takes twice as long
        ordered = parts[np.lexsort(parts.T)]
        again = (ordered[1:] == ordered[:-1]).all(axis=1)
    return int((again & ~np.append(False, again[:-1])).sum())
