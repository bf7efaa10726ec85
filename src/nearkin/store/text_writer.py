"""Texts, contents and signatures, each stored once.

A store that was empty when a scan began holds what that scan has added: asking it for 53,596 pages took a tenth of the
writer's time. So these are remembered, up to a bound, until someone else adds something.
"""

import sqlite3
from collections.abc import Iterable
from typing import Any

from nearkin.model import Blob, Readings
from nearkin.store.codes import add_codes
from nearkin.store.overlong import refuse_overlong
from nearkin.store.packing import pack_all
from nearkin.store.rows import insert_rows, last_id

LOOK_UP = 500  # keys a query
REMEMBERED = 250_000  # texts: about 100 MB with their contents
SIGNATURE = "signature (scheme, content, modulus, features, weights)"
DELTA = "delta (scheme, content)"

SignatureRow = tuple[int, int, Blob, Blob | None]  # content, modulus, features, weights
Contents = dict[bytes | None, int]  # ids by digest
Texts = dict[tuple[bytes | None, str, int], int]  # ids by digest, extractor and content


class TextWriter:
    """In transactions that others begin and end."""

    def __init__(self, connection: sqlite3.Connection, canon: int, scheme: int, *, keep: bool, coded: bool) -> None:
        self.connection, self.canon, self.scheme, self.keep, self.coded = connection, canon, scheme, keep, coded
        self._refused: set[bytes | None] = set()  # bytes whose text is too long to be stored
        self._next = (1, 1)  # ids of the next content and text
        self._met: tuple[Contents, Texts] | None = ({}, {})  # all there are; None: the store must be asked
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

    def add(self, readings: Readings) -> list[int | None]:
        """Of each the id of its text, stored with its content and signature where it was not."""
        refuse_overlong(self.connection, readings, self._refused, keep=self.keep)
        found = self._add_texts(readings, self._add_contents(readings))
        if self._met is not None and len(self._met[1]) > REMEMBERED:
            self.forget()
        return found

    def sign(self, rows: list[SignatureRow]) -> None:
        """Contents that are stored already."""
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for content, _, features, _ in rows))
        signed = ((self.scheme, *row) for row in rows)
        insert_rows(self.connection, SIGNATURE, signed, known="IGNORE")
        insert_rows(self.connection, DELTA, ((self.scheme, row[0]) for row in rows), known="IGNORE")

    def _add_contents(self, readings: Readings) -> list[int | None]:
        """The id of each row's content; those not met before are stored with their signatures."""
        unsigned: set[int] = set()
        if self._met is not None:
            ids = self._met[0]
        else:
            ids = self._look_up(
                "SELECT digest, id FROM content WHERE canon = ? AND digest IN", self.canon, readings.contents
            )
            unsigned = set(ids.values()) - self._signed(ids.values())
        new: list[tuple[int, bytes, int, int]] = []
        signatures: list[tuple[int, int, int, Blob, Blob | None]] = []
        following, text = self._next
        for i, digest in enumerate(readings.contents):
            if digest is None:
                continue
            number = ids.get(digest)
            if number is None:
                number = ids[digest] = following
                following += 1
                new.append((number, digest, self.canon, readings.lengths[i]))
            elif number in unsigned:
                unsigned.discard(number)
            else:
                continue
            signatures.append((self.scheme, number, readings.moduli[i], readings.features[i], readings.weights[i]))
        self._next = (following, text)
        insert_rows(self.connection, "content (id, digest, canon, length)", new)
        insert_rows(self.connection, SIGNATURE, signatures)
        insert_rows(self.connection, DELTA, (row[:2] for row in signatures), known="IGNORE")
        if self.coded:
            add_codes(self.connection, self.scheme, ((content, features) for _, content, _, features, _ in signatures))
        return [None if digest is None else ids[digest] for digest in readings.contents]

    def _add_texts(self, readings: Readings, contents: list[int | None]) -> list[int | None]:
        """The id of each row's text; those not met before are stored, and those kept without their text completed."""
        ids, bare = (self._met[1], set[int]()) if self._met is not None else self._stored_texts(readings, contents)
        new: list[tuple[int, bytes | None, str, int, int, Blob | None]] = []
        completed: list[tuple[Blob | None, int]] = []
        found: list[int | None] = []
        content_id, following = self._next
        for i, content in enumerate(contents):
            if content is None:
                found.append(None)
                continue
            key = (readings.digests[i], readings.extractors[i], content)
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

    def _stored_texts(self, readings: Readings, contents: list[int | None]) -> tuple[Texts, set[int]]:
        """Of the same bytes; and which of them were kept without their text."""
        wanted = [readings.digests[i] for i, content in enumerate(contents) if content is not None]
        ids: Texts = {}
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

    def _packed(self, readings: Readings, i: int) -> Blob | None:
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
