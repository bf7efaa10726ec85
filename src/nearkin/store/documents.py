"""Documents, texts, contents and signatures, written a batch at a time; some batches make a transaction."""

import pwd
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from types import TracebackType
from typing import Any, Self

from nearkin.model import Document, IdenticalGroup, Location, Readings
from nearkin.store.codes import add_codes
from nearkin.store.database import transaction
from nearkin.store.packing import pack_all
from nearkin.store.rows import insert_rows

LOOK_UP = 500  # keys a query

# What a kill may lose, and what one transaction holds.
TRANSACTION_FILES = 4096
TRANSACTION_BYTES = 64 << 20


@lru_cache(maxsize=1024)
def _owner(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


@dataclass
class Writer:
    """Stores what was read in one run of one scope."""

    connection: sqlite3.Connection
    scope: int
    run: int
    canon: int
    scheme: int
    keep_text: bool
    coded: bool = False  # signatures are a few numbers to look up

    def __post_init__(self) -> None:
        self._files = self._bytes = 0  # in the open transaction
        self._next_content = self._next("content")
        self._next_text = self._next("text")

    def _next(self, table: str) -> int:
        (last,) = self.connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
        return int(last) + 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whatever ended the reading: batches that were written whole stay."""
        self.flush()

    def add(self, readings: Readings) -> None:
        """Write a batch at once, while the next ones are read, and commit it with others: index pages are then not
        written for every few files."""
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
        try:
            self._write(readings)
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self._files += len(readings)
        self._bytes += sum(readings.sizes)
        if self._files >= TRANSACTION_FILES or self._bytes >= TRANSACTION_BYTES:
            self.flush()

    def flush(self) -> None:
        self._files = self._bytes = 0
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")

    def _write(self, readings: Readings) -> None:
        contents = self._add_contents(readings)
        texts = self._add_texts(readings, contents)
        count = len(readings)
        insert_rows(
            self.connection,
            """INSERT INTO document (scope, path, size, mtime_ns, inode, owner, media, encoding, digest, text,
                                     reason, detail, seen)""",
            zip(
                repeat(self.scope, count),
                readings.paths,
                readings.sizes,
                readings.mtimes,
                readings.inodes,
                map(_owner, readings.owners),
                readings.media,
                readings.encodings,
                readings.digests,
                texts,
                readings.reasons,
                readings.details,
                repeat(self.run, count),
                strict=True,
            ),
            then="""ON CONFLICT (scope, path) DO UPDATE SET
                        size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
                        owner = excluded.owner, media = excluded.media, encoding = excluded.encoding,
                        digest = excluded.digest, text = excluded.text, reason = excluded.reason,
                        detail = excluded.detail, seen = excluded.seen, gone = NULL""",
        )

    def _add_contents(self, readings: Readings) -> list[int | None]:
        """The id of each row's content; those not met before are stored with their signatures."""
        ids: dict[bytes | None, int] = self._look_up(
            "SELECT digest, id FROM content WHERE canon = ? AND digest IN", self.canon, readings.contents
        )
        known = list(ids.values())
        unsigned = set(known) - self._signed(known) if known else set[int]()
        new: list[tuple[int, bytes, int, int]] = []
        signatures: list[tuple[int, int, int, bytes, bytes | None]] = []
        for i, digest in enumerate(readings.contents):
            if digest is None:
                continue
            number = ids.get(digest)
            if number is None:
                number = ids[digest] = self._next_content
                self._next_content += 1
                new.append((number, digest, self.canon, readings.lengths[i]))
                unsigned.add(number)
            if number in unsigned:
                unsigned.discard(number)
                signatures.append((self.scheme, number, readings.moduli[i], readings.features[i], readings.weights[i]))
        insert_rows(self.connection, "INSERT INTO content (id, digest, canon, length)", new)
        insert_rows(self.connection, "INSERT INTO signature (scheme, content, modulus, features, weights)", signatures)
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for _, content, _, features, _ in signatures))
        return [ids.get(digest) for digest in readings.contents]

    def _signed(self, contents: list[int]) -> set[int]:
        return set(
            self._look_up(
                "SELECT content, content FROM signature WHERE scheme = ? AND content IN",
                self.scheme,
                contents,
            )
        )

    def _add_texts(self, readings: Readings, contents: list[int | None]) -> list[int | None]:
        """The id of each row's text; those not met before are stored, and those kept without their text completed."""
        wanted = [readings.digests[i] for i, content in enumerate(contents) if content is not None]
        ids: dict[tuple[bytes | None, str, int], int] = {}
        bare: set[int] = set()
        for start in range(0, len(wanted), LOOK_UP):
            part = wanted[start : start + LOOK_UP]
            for digest, extractor, content, number, empty in self.connection.execute(
                "SELECT digest, extractor, content, id, zstd IS NULL FROM text"
                f" WHERE digest IN ({','.join('?' * len(part))})",
                part,
            ):
                ids[digest, extractor, content] = number
                if empty:
                    bare.add(number)
        new: list[tuple[int, bytes | None, str, int, int, bytes | None]] = []
        completed: list[tuple[bytes | None, int]] = []
        found: list[int | None] = []
        for i, content in enumerate(contents):
            if content is None:
                found.append(None)
                continue
            key = (readings.digests[i], readings.extractors[i], content)
            number = ids.get(key)
            if number is None:
                number = ids[key] = self._next_text
                self._next_text += 1
                new.append((number, *key, readings.characters[i], self._packed(readings, i)))
            elif number in bare and self.keep_text:
                bare.discard(number)
                completed.append((self._packed(readings, i), number))
            found.append(number)
        insert_rows(self.connection, "INSERT INTO text (id, digest, extractor, content, characters, zstd)", new)
        self.connection.executemany("UPDATE text SET zstd = ? WHERE id = ?", completed)
        return found

    def _packed(self, readings: Readings, i: int) -> bytes | None:
        if not self.keep_text:
            return None
        packed = readings.packed[i]
        return pack_all([readings.texts[i]])[0] if packed is None else packed

    def _look_up(self, query: str, first: int, keys: Iterable[Any]) -> dict[Any, int]:
        wanted = [key for key in dict.fromkeys(keys) if key is not None]
        found: dict[Any, int] = {}
        for start in range(0, len(wanted), LOOK_UP):
            part = wanted[start : start + LOOK_UP]
            found.update(self.connection.execute(f"{query} ({','.join('?' * len(part))})", (first, *part)))
        return found

    def finish(self, below: tuple[bytes, ...]) -> None:
        """Documents of the scanned trees that this run did not meet are gone."""
        self.flush()
        with transaction(self.connection):
            for prefix in below:
                self.connection.execute(
                    """UPDATE document SET gone = ?1 WHERE scope = ?2 AND seen <> ?1 AND gone IS NULL
                       AND (?3 = x'' OR path = ?3 OR substr(path, 1, length(?3) + 1) = CAST(?3 || x'2f' AS BLOB))""",
                    (self.run, self.scope, prefix),
                )


def add_signatures(
    connection: sqlite3.Connection, scheme: int, rows: list[tuple[int, int, bytes, bytes | None]], *, coded: bool
) -> None:
    """(content, modulus, features, weights) of contents that are stored already."""
    with transaction(connection):
        if coded:
            add_codes(connection, scheme, ((content, features) for content, _, features, _ in rows))
        connection.executemany(
            f"INSERT INTO signature (scheme, content, modulus, features, weights) VALUES ({scheme}, ?, ?, ?, ?)", rows
        )


def present(connection: sqlite3.Connection, *, failed: bool = False) -> list[Document]:
    """The documents of the store, or those that failed, in byte order of their paths."""
    rows = connection.execute(
        f"""SELECT scope.name, path, size, mtime_ns, media, encoding, digest, reason, detail
            FROM document JOIN scope ON scope.id = document.scope
            WHERE gone IS NULL AND reason IS {"NOT NULL" if failed else "NULL"} ORDER BY path, scope.name"""
    )
    return [
        Document(Location(scope, path), size, mtime, media, encoding, (digest or b"").hex(), reason, detail)
        for scope, path, size, mtime, media, encoding, digest, reason, detail in rows
    ]


def identical_groups(connection: sqlite3.Connection) -> list[IdenticalGroup]:
    """Same bytes, and same words in other bytes; most documents first, then largest overhead.

    Overhead is what keeping one copy would save: the others of equal size, or all but the largest of equal words.
    """
    groups: dict[tuple[str, bytes], list[tuple[Location, int]]] = {}
    rows = connection.execute(
        """SELECT scope.name, d.path, d.size, d.digest, c.digest, c.length
           FROM document d JOIN scope ON scope.id = d.scope
           LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE d.gone IS NULL AND d.reason IS NULL ORDER BY d.path, scope.name"""
    )
    bytes_in_words: dict[bytes, set[bytes]] = {}
    for scope, path, size, digest, words, length in rows:
        if size == 0:
            continue  # nothing in common: empty files would make the largest group of most repositories
        location = Location(scope, path)
        groups.setdefault(("bytes", digest), []).append((location, size))
        if words is not None and length:
            groups.setdefault(("words", words), []).append((location, size))
            bytes_in_words.setdefault(words, set()).add(digest)
    found = []
    for (tier, digest), documents in groups.items():
        if len(documents) < 2 or (tier == "words" and len(bytes_in_words[digest]) < 2):
            continue
        sizes = [size for _, size in documents]
        largest = max(sizes)
        found.append(IdenticalGroup(tier, largest, sum(sizes) - largest, tuple(location for location, _ in documents)))
    return sorted(found, key=lambda group: (-len(group.documents), -group.overhead, group.documents[0].path))


def count_identical(connection: sqlite3.Connection) -> int:
    """How many groups identical_groups would list."""
    (same_bytes,) = connection.execute(
        """SELECT count(*) FROM (SELECT 1 FROM document WHERE gone IS NULL AND reason IS NULL AND size > 0
                                 GROUP BY digest HAVING count(*) > 1)"""
    ).fetchone()
    (same_words,) = connection.execute(
        """SELECT count(*) FROM (
               SELECT 1 FROM document d JOIN text t ON t.id = d.text JOIN content c ON c.id = t.content
               WHERE d.gone IS NULL AND d.reason IS NULL AND c.length > 0
               GROUP BY t.content HAVING count(*) > 1 AND min(d.digest) < max(d.digest))"""
    ).fetchone()
    return int(same_bytes + same_words)


def count_documents(connection: sqlite3.Connection) -> tuple[int, int]:
    """How many there are, and how many files failed."""
    documents, failed = connection.execute(
        """SELECT count(*) FILTER (WHERE reason IS NULL), count(*) FILTER (WHERE reason IS NOT NULL)
           FROM document WHERE gone IS NULL"""
    ).fetchone()
    return int(documents), int(failed)
