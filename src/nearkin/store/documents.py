"""Documents, texts, contents and signatures, written a batch at a time; each batch is one transaction."""

import pwd
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import zstandard

from nearkin.model import Document, IdenticalGroup, Location, Reading
from nearkin.store.database import transaction

# Level 1: texts of a few kilobytes shrink to 45 %; level 3 takes half as long again for 2 % less.
COMPRESSOR = zstandard.ZstdCompressor(level=1, write_checksum=True)


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

    def __post_init__(self) -> None:
        self._next_content = self._next("content")
        self._next_text = self._next("text")

    def _next(self, table: str) -> int:
        (last,) = self.connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
        return int(last) + 1

    def add(self, readings: list[Reading]) -> None:
        with transaction(self.connection):
            contents = self._add_contents([reading for reading in readings if reading.content_digest])
            texts = self._add_texts([reading for reading in readings if reading.text_digest], contents)
            self.connection.executemany(
                """INSERT INTO document (scope, path, size, mtime_ns, inode, owner, media, encoding, digest, text,
                                         reason, detail, seen)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (scope, path) DO UPDATE SET
                       size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
                       owner = excluded.owner, media = excluded.media, encoding = excluded.encoding,
                       digest = excluded.digest, text = excluded.text, reason = excluded.reason,
                       detail = excluded.detail, seen = excluded.seen, gone = NULL""",
                (
                    (
                        self.scope,
                        reading.entry.path,
                        reading.entry.size,
                        reading.entry.mtime_ns,
                        reading.entry.inode,
                        _owner(reading.entry.owner),
                        reading.media,
                        reading.encoding,
                        reading.digest,
                        texts.get(reading.text_digest),
                        reading.reason,
                        reading.detail,
                        self.run,
                    )
                    for reading in readings
                ),
            )

    def _known(self, table: str, column: str, value: int, digests: Iterable[bytes]) -> dict[bytes, int]:
        wanted = list(set(digests))
        found: dict[bytes, int] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            found.update(
                self.connection.execute(
                    f"SELECT digest, id FROM {table} WHERE digest IN ({marks}) AND {column} = ?", (*part, value)
                )
            )
        return found

    def _add_contents(self, readings: list[Reading]) -> dict[bytes, int]:
        ids = self._known("content", "canon", self.canon, (reading.content_digest for reading in readings))
        old = set(ids.values())
        new: list[tuple[int, bytes, int, int]] = []
        signatures: dict[int, tuple[int, int, int, bytes, bytes | None]] = {}
        for reading in readings:
            number = ids.get(reading.content_digest)
            if number is None:
                number = ids[reading.content_digest] = self._next_content
                self._next_content += 1
                new.append((number, reading.content_digest, self.canon, reading.length))
            signatures[number] = (self.scheme, number, reading.modulus, reading.features, reading.weights)
        self.connection.executemany("INSERT INTO content (id, digest, canon, length) VALUES (?, ?, ?, ?)", new)
        if old:
            signed = self.connection.execute(
                f"SELECT content FROM signature WHERE scheme = ? AND content IN ({','.join('?' * len(old))})",
                (self.scheme, *old),
            )
            for (number,) in signed.fetchall():
                signatures.pop(number, None)
        self.connection.executemany(
            "INSERT INTO signature (scheme, content, modulus, features, weights) VALUES (?, ?, ?, ?, ?)",
            signatures.values(),
        )
        return ids

    def _add_texts(self, readings: list[Reading], contents: dict[bytes, int]) -> dict[bytes, int]:
        digests = [reading.text_digest for reading in readings]
        marks = ",".join("?" * len(set(digests)))
        ids: dict[bytes, int] = {}
        bare: set[int] = set()
        current = set(contents.values())
        for digest, number, content, empty in self.connection.execute(
            f"SELECT digest, id, content, zstd IS NULL FROM text WHERE digest IN ({marks})", tuple(set(digests))
        ):
            if content in current:
                ids[digest] = number
                if empty:
                    bare.add(number)
        new: list[tuple[int, bytes, int, int]] = []
        kept: list[tuple[int, bytes]] = []
        for reading in readings:
            number = ids.get(reading.text_digest)
            if number is None:
                number = ids[reading.text_digest] = self._next_text
                self._next_text += 1
                new.append((number, reading.text_digest, contents[reading.content_digest], reading.characters))
                bare.add(number)
            if number in bare and self.keep_text:
                bare.discard(number)
                kept.append((number, reading.text))
        blobs = self._compress([text for _, text in kept])
        packed = dict(zip((number for number, _ in kept), blobs, strict=True))
        self.connection.executemany(
            "INSERT INTO text (id, digest, content, characters, zstd) VALUES (?, ?, ?, ?, ?)",
            ((*row, packed.pop(row[0], None)) for row in new),
        )
        self.connection.executemany(
            "UPDATE text SET zstd = ? WHERE id = ?", ((blob, number) for number, blob in packed.items())
        )
        return ids

    @staticmethod
    def _compress(texts: list[bytes]) -> list[bytes]:
        return [COMPRESSOR.compress(text) for text in texts]

    def finish(self, below: tuple[bytes, ...]) -> None:
        """Documents of the scanned trees that this run did not meet are gone."""
        for prefix in below:
            self.connection.execute(
                """UPDATE document SET gone = ?1 WHERE scope = ?2 AND seen <> ?1 AND gone IS NULL
                   AND (?3 = x'' OR path = ?3 OR substr(path, 1, length(?3) + 1) = ?3 || x'2f')""",
                (self.run, self.scope, prefix),
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
        found.append(
            IdenticalGroup(tier, largest, sum(sizes) - largest, tuple(location for location, _ in documents))
        )
    return sorted(found, key=lambda group: (-len(group.documents), -group.overhead, group.documents[0].path))
