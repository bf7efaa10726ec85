"""Texts, contents and signatures, each stored once.

A store that was empty when a scan began holds what that scan has added: asking it for 53,596 pages took a tenth of the
writer's time. So ids of what was added are cached, up to a bound, until another process adds something. As long as they
are, plain files are stored as the kernels left them: in Python their rows took a twelfth of a scan's processor time.

SQLite takes a thousand million bytes in a row: documents that need more fail as too large.
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
    connection: sqlite3.Connection, batch: DocumentBatch, refused: set[bytes | None], *, keep: bool
) -> None:
    """Let overlong documents fail as too large, and copies of `refused` bytes, which come without their text; the rest
    of the batch is stored. Quick if no text is long."""
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - BESIDE
    longest = max(max(map(len, batch.texts), default=0), max(batch.lengths, default=0))  # texts may be released
    largest = max((len(packed) for packed in batch.packed if packed), default=0)
    if not refused and is_short(connection, longest) and largest < most:
        return
    for i, content in enumerate(batch.contents):
        if content is None:
            continue
        if keep and batch.packed[i] is None and len(batch.texts[i]) > most:
            batch.packed[i] = pack_all([batch.texts[i]])[0]
        packed = batch.packed[i] or b""
        size = max(len(packed), len(batch.features[i]) + len(batch.weights[i] or b""))
        if size > most or batch.digests[i] in refused:
            refused.add(batch.digests[i])
            batch.contents[i] = None
            batch.reasons[i] = Reason.TOO_LARGE
            batch.details[i] = f"its text or its signature is over the {most:,} bytes that the store can hold of one"


LOOK_UP = 500  # keys a query
CACHED = 160  # bytes for the ids of a text and its content
SIGNATURE = "signature (scheme, content, modulus, features, weights)"
DELTA = "delta (scheme, content)"

SignatureRow = tuple[int, int, Blob, Blob | None]  # content, modulus, features, weights
TextKey = tuple[bytes, str, int]  # digest, extractor, content


class ContentIdMap(Protocol):
    """Ids of contents by digest."""

    def get(self, digest: bytes, /) -> int | None: ...
    def __setitem__(self, digest: bytes, number: int, /) -> None: ...


class TextIdMap(Protocol):
    """Ids of texts by digest, extractor and content."""

    def get(self, key: TextKey, /) -> int | None: ...
    def __setitem__(self, key: TextKey, number: int, /) -> None: ...


class TextWriter:
    """Stores texts, in transactions that its caller begins and ends."""

    def __init__(
        self, connection: sqlite3.Connection, canon: int, scheme: int, *, keep: bool, coded: bool, room: int
    ) -> None:
        """`room`: bytes for cached ids."""
        self.connection, self.canon, self.scheme, self.keep, self.coded = connection, canon, scheme, keep, coded
        self._most = room // CACHED
        self._refused: set[bytes | None] = set()  # bytes whose text is too long to be stored
        self._next = (1, 1)  # ids of the next content and text
        # Ids of all that is stored; None: the store must be asked.
        self._ids: tuple[_native.ContentIds, _native.TextIds] | None = (_native.ContentIds(), _native.TextIds())
        self._bulk = has_bulk_insert(connection)
        self.number()

    def number(self) -> None:
        """Find the next ids, at the beginning of every transaction: in between a document may have been checked in."""
        following = (last_id(self.connection, "content") + 1, last_id(self.connection, "text") + 1)
        if following != self._next:
            self.forget()
        self._next = following

    def forget(self) -> None:
        """Drop the cached ids: rows may be gone, or others may have been added."""
        self._ids = None

    def add(self, batch: DocumentBatch) -> list[int | None]:
        """Store what is new of texts, contents and signatures; the id of each row's text."""
        refuse_overlong(self.connection, batch, self._refused, keep=self.keep)
        texts = self._add_texts(batch, self._add_contents(batch))
        self._forget_many()
        return texts

    @property
    def takes_native(self) -> bool:
        """Whether native columns can be stored as they are."""
        return self._bulk and self.keep and self._ids is not None and not self.coded and not self._refused

    def takes(self, batch: DocumentBatch) -> bool:
        """The same of this batch. Asked within its transaction: only then is known what others have added."""
        return batch.native is not None and self.takes_native and is_short(self.connection, batch.held)

    def add_native(self, native: NativeColumns) -> _native.Filed:
        """Store what is new of texts, contents and signatures, by columns; the result says where everything is."""
        assert self._ids is not None
        extractors = ["raw"] * len(EXTRACTORS) if native.raw else [EXTRACTORS[kind] for kind in sorted(EXTRACTORS)]
        filed = _native.file_away(native.batch, native.raw, extractors, *self._ids, *self._next)
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
        if self._ids is not None and len(self._ids[1]) > self._most:
            self.forget()

    def sign(self, rows: list[SignatureRow]) -> None:
        """Store signatures of contents that are stored already."""
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for content, _, features, _ in rows))
        signed = ((self.scheme, *row) for row in rows)
        insert_rows(self.connection, SIGNATURE, signed, known="IGNORE")
        insert_rows(self.connection, DELTA, ((self.scheme, row[0]) for row in rows), known="IGNORE")

    def _add_contents(self, batch: DocumentBatch) -> list[int | None]:
        """The id of each row's content; new ones are stored with their signatures."""
        unsigned: set[int] = set()
        ids: ContentIdMap
        if self._ids is not None:
            ids = self._ids[0]
        else:
            query = "SELECT digest, id FROM content WHERE canon = ? AND digest IN"
            ids = stored = self._look_up(query, self.canon, batch.contents)
            unsigned = set(stored.values()) - self._signed(stored.values())
        new: list[tuple[int, bytes, int, int]] = []
        signatures: list[tuple[int, int, int, Blob, Blob | None]] = []
        numbers: list[int | None] = []
        following, text = self._next
        for i, digest in enumerate(batch.contents):
            if digest is None:
                numbers.append(None)
                continue
            number = ids.get(digest)
            if number is None:
                number = ids[digest] = following
                following += 1
                new.append((number, digest, self.canon, batch.lengths[i]))
                unsigned.add(number)
            numbers.append(number)
            if number in unsigned:
                unsigned.discard(number)
                signatures.append((self.scheme, number, batch.moduli[i], batch.features[i], batch.weights[i]))
        self._next = (following, text)
        insert_rows(self.connection, "content (id, digest, canon, length)", new)
        insert_rows(self.connection, SIGNATURE, signatures)
        insert_rows(self.connection, DELTA, (row[:2] for row in signatures), known="IGNORE")
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for _, content, _, features, _ in signatures))
        return numbers

    def _add_texts(self, batch: DocumentBatch, contents: list[int | None]) -> list[int | None]:
        """The id of each row's text; new ones are stored, and those kept without their text are completed."""
        ids: TextIdMap
        ids, bare = (self._ids[1], set[int]()) if self._ids is not None else self._stored_texts(batch, contents)
        new: list[tuple[int, bytes, str, int, int, Blob | None]] = []
        completed: list[tuple[Blob | None, int]] = []
        numbers: list[int | None] = []
        content_id, following = self._next
        for i, content in enumerate(contents):
            digest = batch.digests[i]
            if content is None or digest is None:
                numbers.append(None)
                continue
            key = (digest, batch.extractors[i], content)
            number = ids.get(key)
            if number is None:
                has_text = batch.texts[i] or batch.packed[i] or not batch.characters[i]
                assert has_text, "a copy is stored after what it is a copy of"
                number = ids[key] = following
                following += 1
                new.append((number, *key, batch.characters[i], self._packed(batch, i)))
            elif number in bare and self.keep:
                bare.discard(number)
                completed.append((self._packed(batch, i), number))
            numbers.append(number)
        self._next = (content_id, following)
        insert_rows(self.connection, "text (id, digest, extractor, content, characters, zstd)", new)
        self.connection.executemany("UPDATE text SET zstd = ? WHERE id = ?", completed)
        return numbers

    def _stored_texts(self, batch: DocumentBatch, contents: list[int | None]) -> tuple[TextIdMap, set[int]]:
        """Ids of stored texts of the same bytes, and which of these were kept without their text."""
        wanted = [batch.digests[i] for i, content in enumerate(contents) if content is not None]
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

    def _packed(self, batch: DocumentBatch, i: int) -> Blob | None:
        if not self.keep:
            return None
        packed = batch.packed[i]
        return pack_all([batch.texts[i]])[0] if packed is None else packed

    def _signed(self, contents: Iterable[int]) -> set[int]:
        query = "SELECT content, content FROM signature WHERE scheme = ? AND content IN"
        return set(self._look_up(query, self.scheme, contents).values())

    def _look_up(self, query: str, first: int, keys: Iterable[Any]) -> dict[Any, int]:
        wanted = [key for key in dict.fromkeys(keys) if key is not None]
        values: dict[Any, int] = {}
        for start in range(0, len(wanted), LOOK_UP):
            part = wanted[start : start + LOOK_UP]
            values.update(self.connection.execute(f"{query} ({','.join('?' * len(part))})", (first, *part)))
        return values
