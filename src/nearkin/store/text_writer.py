"""Texts, contents and signatures, each stored once.

A store that was empty when a scan began holds what that scan has added: asking it for 53,596 pages took a tenth of the
writer's time. So these are remembered, up to a bound, until someone else adds something. As long as they are, plain
files are stored as the kernels left them: in Python their rows took a twelfth of a scan's processor time.

Documents that no row of the store can hold: SQLite takes a thousand million bytes in one.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any, Protocol

from nearkin import _native
from nearkin.model import Blob, Reason
from nearkin.store.batch import DocumentBatch, NativeColumns
from nearkin.store.bulk import has_bulk_insert, insert_columns, insert_rows, last_id
from nearkin.store.compression import pack_all
from nearkin.store.signatures import add_codes
from nearkin.text.kind import EXTRACTORS

BESIDE = 1000  # bytes of the other columns
GROWTH = 16  # a signature has at most 12 bytes for each one of the text


def is_short(connection: sqlite3.Connection, size: int) -> bool:
    """Whether a row can hold all that comes of so many bytes of text."""
    return GROWTH * size < connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - BESIDE


def refuse_overlong(
    connection: sqlite3.Connection, readings: DocumentBatch, refused: set[bytes | None], *, keep: bool
) -> None:
    """They fail as too large, and so do copies of `refused` bytes, which come without their text; the others of their
    batch are stored. Quick where no text is long."""
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - BESIDE
    longest = max(max(map(len, readings.texts), default=0), max(readings.lengths, default=0))  # texts may be let go of
    largest = max((len(one) for one in readings.packed if one), default=0)
    if not refused and is_short(connection, longest) and largest < most:
        return
    for i, content in enumerate(readings.contents):
        if content is None:
            continue
        if keep and readings.packed[i] is None and len(readings.texts[i]) > most:
            readings.packed[i] = pack_all([readings.texts[i]])[0]
        packed = readings.packed[i] or b""
        size = max(len(packed), len(readings.features[i]) + len(readings.weights[i] or b""))
        if size > most or readings.digests[i] in refused:
            refused.add(readings.digests[i])
            readings.contents[i] = None
            readings.reasons[i] = Reason.TOO_LARGE
            readings.details[i] = f"its text or its signature is over the {most:,} bytes that the store can hold of one"


LOOK_UP = 500  # keys a query
REMEMBERED = 160  # bytes for a text and its content
SIGNATURE = "signature (scheme, content, modulus, features, weights)"
DELTA = "delta (scheme, content)"

SignatureRow = tuple[int, int, Blob, Blob | None]  # content, modulus, features, weights
TextKey = tuple[bytes, str, int]  # digest, extractor, content


class ContentIds(Protocol):
    """Ids by digest."""

    def get(self, digest: bytes, /) -> int | None: ...
    def __setitem__(self, digest: bytes, number: int, /) -> None: ...


class TextIds(Protocol):
    """Ids by digest, extractor and content."""

    def get(self, key: TextKey, /) -> int | None: ...
    def __setitem__(self, key: TextKey, number: int, /) -> None: ...


class TextWriter:
    """In transactions that others begin and end."""

    def __init__(
        self, connection: sqlite3.Connection, canon: int, scheme: int, *, keep: bool, coded: bool, room: int
    ) -> None:
        """`room`: bytes for what is remembered."""
        self.connection, self.canon, self.scheme, self.keep, self.coded = connection, canon, scheme, keep, coded
        self._most = room // REMEMBERED
        self._refused: set[bytes | None] = set()  # bytes whose text is too long to be stored
        self._next = (1, 1)  # ids of the next content and text
        # All there are; None: the store must be asked.
        self._met: tuple[_native.ContentIds, _native.TextIds] | None = (_native.ContentIds(), _native.TextIds())
        self._bulk = has_bulk_insert(connection)
        self.number()

    def number(self) -> None:
        """At the beginning of every transaction: between two, a document may have been checked in."""
        following = (last_id(self.connection, "content") + 1, last_id(self.connection, "text") + 1)
        if following != self._next:
            self.forget()
        self._next = following

    def forget(self) -> None:
        """What was added may not be there any more, or something else may."""
        self._met = None

    def add(self, readings: DocumentBatch) -> list[int | None]:
        """Of each the id of its text, stored with its content and signature where it was not."""
        refuse_overlong(self.connection, readings, self._refused, keep=self.keep)
        found = self._add_texts(readings, self._add_contents(readings))
        self._forget_many()
        return found

    @property
    def takes_native(self) -> bool:
        """Whether native columns can be stored as they are."""
        return self._bulk and self.keep and self._met is not None and not self.coded and not self._refused

    def takes(self, batch: DocumentBatch) -> bool:
        """The same of this batch. Asked within its transaction: only then is known what others have added."""
        return batch.native is not None and self.takes_native and is_short(self.connection, batch.held)

    def add_native(self, native: NativeColumns) -> _native.Filed:
        """Store what is new of texts, contents and signatures, by columns; the result says where everything is."""
        assert self._met is not None
        extractors = ["raw"] * len(EXTRACTORS) if native.raw else [EXTRACTORS[kind] for kind in sorted(EXTRACTORS)]
        filed = _native.file_away(native.batch, native.raw, extractors, *self._met, *self._next)
        self._next = (self._next[0] + filed.contents, self._next[1] + filed.texts)
        if filed.contents:
            content = {"id": filed.content_ids, "digest": filed.content_digests, "canon": self.canon}
            insert_columns(self.connection, "content", {**content, "length": filed.content_lengths})
            key = {"scheme": self.scheme, "content": filed.content_ids}
            signature = {"modulus": filed.moduli, "features": filed.features, "weights": filed.weights}
            insert_columns(self.connection, "signature", {**key, **signature})
            insert_columns(self.connection, "delta", key)
        if filed.texts:
            text = {"id": filed.text_ids, "digest": filed.text_digests, "extractor": filed.extractors(extractors)}
            stored = {"characters": filed.characters, "zstd": filed.packed(native.packed)}
            insert_columns(self.connection, "text", {**text, "content": filed.text_contents, **stored})
        self._forget_many()
        return filed

    def _forget_many(self) -> None:
        if self._met is not None and len(self._met[1]) > self._most:
            self.forget()

    def sign(self, rows: list[SignatureRow]) -> None:
        """Contents that are stored already."""
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for content, _, features, _ in rows))
        signed = ((self.scheme, *row) for row in rows)
        insert_rows(self.connection, SIGNATURE, signed, known="IGNORE")
        insert_rows(self.connection, DELTA, ((self.scheme, row[0]) for row in rows), known="IGNORE")

    def _add_contents(self, readings: DocumentBatch) -> list[int | None]:
        """The id of each row's content; those not met before are stored with their signatures."""
        unsigned: set[int] = set()
        ids: ContentIds
        if self._met is not None:
            ids = self._met[0]
        else:
            query = "SELECT digest, id FROM content WHERE canon = ? AND digest IN"
            ids = stored = self._look_up(query, self.canon, readings.contents)
            unsigned = set(stored.values()) - self._signed(stored.values())
        new: list[tuple[int, bytes, int, int]] = []
        signatures: list[tuple[int, int, int, Blob, Blob | None]] = []
        found: list[int | None] = []
        following, text = self._next
        for i, digest in enumerate(readings.contents):
            if digest is None:
                found.append(None)
                continue
            number = ids.get(digest)
            if number is None:
                number = ids[digest] = following
                following += 1
                new.append((number, digest, self.canon, readings.lengths[i]))
                unsigned.add(number)
            found.append(number)
            if number in unsigned:
                unsigned.discard(number)
                signatures.append((self.scheme, number, readings.moduli[i], readings.features[i], readings.weights[i]))
        self._next = (following, text)
        insert_rows(self.connection, "content (id, digest, canon, length)", new)
        insert_rows(self.connection, SIGNATURE, signatures)
        insert_rows(self.connection, DELTA, (row[:2] for row in signatures), known="IGNORE")
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for _, content, _, features, _ in signatures))
        return found

    def _add_texts(self, readings: DocumentBatch, contents: list[int | None]) -> list[int | None]:
        """The id of each row's text; those not met before are stored, and those kept without their text completed."""
        ids: TextIds
        ids, bare = (self._met[1], set[int]()) if self._met is not None else self._stored_texts(readings, contents)
        new: list[tuple[int, bytes, str, int, int, Blob | None]] = []
        completed: list[tuple[Blob | None, int]] = []
        found: list[int | None] = []
        content_id, following = self._next
        for i, content in enumerate(contents):
            digest = readings.digests[i]
            if content is None or digest is None:
                found.append(None)
                continue
            key = (digest, readings.extractors[i], content)
            number = ids.get(key)
            if number is None:
                came = readings.texts[i] or readings.packed[i] or not readings.characters[i]
                assert came, "a copy is stored after what it is a copy of"
                number = ids[key] = following
                following += 1
                new.append((number, *key, readings.characters[i], self._packed(readings, i)))
            elif number in bare and self.keep:
                bare.discard(number)
                completed.append((self._packed(readings, i), number))
            found.append(number)
        self._next = (content_id, following)
        insert_rows(self.connection, "text (id, digest, extractor, content, characters, zstd)", new)
        self.connection.executemany("UPDATE text SET zstd = ? WHERE id = ?", completed)
        return found

    def _stored_texts(self, readings: DocumentBatch, contents: list[int | None]) -> tuple[TextIds, set[int]]:
        """Of the same bytes; and which of them were kept without their text."""
        wanted = [readings.digests[i] for i, content in enumerate(contents) if content is not None]
        ids: dict[TextKey, int] = {}
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
        return ids, bare

    def _packed(self, readings: DocumentBatch, i: int) -> Blob | None:
        if not self.keep:
            return None
        packed = readings.packed[i]
        return pack_all([readings.texts[i]])[0] if packed is None else packed

    def _signed(self, contents: Iterable[int]) -> set[int]:
        query = "SELECT content, content FROM signature WHERE scheme = ? AND content IN"
        return set(self._look_up(query, self.scheme, contents).values())

    def _look_up(self, query: str, first: int, keys: Iterable[Any]) -> dict[Any, int]:
        wanted = [key for key in dict.fromkeys(keys) if key is not None]
        found: dict[Any, int] = {}
        for start in range(0, len(wanted), LOOK_UP):
            part = wanted[start : start + LOOK_UP]
            found.update(self.connection.execute(f"{query} ({','.join('?' * len(part))})", (first, *part)))
        return found
