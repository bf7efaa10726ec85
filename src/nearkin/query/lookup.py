r"""A document by its name, and its text as people read it.

A name is that of a file on disk, or the path of a document of the store as listings show it.

Places are code points of extracted texts, but bytes of raw ones, of which many may be one character. Raw texts are
read as UTF-8 where they are; any other byte stands for itself, as in names of files, and is shown as \xNN. What is
shown never begins or ends within a character.
"""

import os
import sqlite3
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin.engine.single_document import extracted
from nearkin.errors import InputError, UsageError
from nearkin.matching.passages import Passage
from nearkin.query.alignment import AlignedBlock, Alignment
from nearkin.query.store_view import opened
from nearkin.read.walk import explain
from nearkin.store.compression import unpack
from nearkin.store.documents import rows_named
from nearkin.text.canon import Canon
from nearkin.text.kind import extract, named_html

# Scopes come first: there are few, and within each a path is found by an index.
STORED = """
SELECT scope.name, scope.root, d.path, d.size, d.digest, t.zstd, canon.spec = 'raw', d.text IS NULL
FROM scope CROSS JOIN present d ON d.scope = scope.id
LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
LEFT JOIN canon ON canon.id = c.canon
WHERE d.reason IS NULL AND d.scope = ? AND d.path = ?
"""


@dataclass(frozen=True)
class NamedDocument:
    """A document that a person named, with its text."""

    name: str
    size: int
    digest: bytes  # of its bytes
    text: bytes | None  # extracted, or the bytes themselves where they are taken raw; None: no text in it
    file: Path | None = None  # where it lies; None: its bytes are at hand, or it is only in the store
    data: bytes | None = None  # its bytes, where it lies nowhere
    problem: str | None = None  # why there is no text
    holds: bool = False  # other documents, that are not in its text


def find_document(name: str, store: Path, *, raw: bool) -> NamedDocument:
    """Find a document: a file on disk wins; what is not there is looked up in the store."""
    if os.path.exists(name):  # noqa: PTH110  Path.exists fails on names no file can have
        return _on_disk(name, Path(name), raw=raw)
    if not store.exists():
        raise InputError(f'No file "{name}", and no store {store} to look it up in.')
    with opened(store) as connection:
        return _stored(connection, name, store, raw=raw)


def _on_disk(name: str, path: Path, *, raw: bool) -> NamedDocument:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {name}: {explain(error)}.") from error
    return replace(from_bytes(name, data, raw=raw), file=path, data=None)


def from_bytes(name: str, data: bytes, *, raw: bool) -> NamedDocument:
    read = extracted(data, os.fsencode(name), raw=raw)
    return NamedDocument(
        name, len(data), sha256(data).digest(), read.text, data=data, problem=read.problem, holds=read.holds
    )


def _stored(connection: sqlite3.Connection, name: str, store: Path, *, raw: bool) -> NamedDocument:
    name = name.removeprefix("./")
    rows = rows_named(connection, STORED, name)
    if not rows:
        raise InputError(f'No file "{name}", and no document with that path in {store}.')
    if len(rows) > 1:
        choices = " or ".join(f"{row[0]}:{name}" for row in rows)
        raise UsageError(f"{name} is in several scopes; name one: {choices}.")
    _, root, relative, size, digest, blob, stored_raw, textless = rows[0]
    if blob is None or (raw and not stored_raw):
        # Its text was not kept, or is not its bytes: all there is may still be where it was scanned.
        original = Path(os.fsdecode(root) or "/") / os.fsdecode(relative)
        if original.is_file():
            return _on_disk(name, original, raw=raw)
        if textless and not raw:  # as what lies in a container and is no text
            return NamedDocument(name, size, digest, None)
        if blob is None:
            raise InputError(f"{store} keeps no text of {name}, and the file is gone.")
        raise InputError(f"{store} keeps the text of {name} but not its bytes, and the file is gone.")
    text = unpack(blob)
    if stored_raw and not raw:
        text = extract(text, named_html=named_html(relative)).text or b""
    return NamedDocument(name, size, digest, text)


LONGEST = 4  # bytes of a character


@dataclass(frozen=True)
class Readable:
    """A text as people read it, and which character is at which place."""

    text: str
    starts: NDArray[np.int64] | None = None  # byte of each character and of the end; None: places are characters

    @classmethod
    def of(cls, extracted: bytes, canon: Canon) -> "Readable":
        if not canon.raw:
            return cls(extracted.decode("utf-8", "replace"))
        text = extracted.decode("utf-8", "surrogateescape")
        if len(text) == len(extracted):
            return cls(text)
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        single = (points < 0x80) | ((points >= 0xDC80) & (points <= 0xDCFF))
        sizes = np.where(single, 1, 2 + (points >= 0x800) + (points >= 0x10000))
        return cls(text, np.concatenate([[0], np.cumsum(sizes)]))

    def between(self, place: int) -> bool:
        """Whether no character lies across this place."""
        return self.starts is None or int(self.starts[self.after(place)]) == place

    def at(self, place: int) -> int:
        """The number of the character that has this place."""
        return place if self.starts is None else int(np.searchsorted(self.starts, place, "right")) - 1

    def after(self, place: int) -> int:
        """How many characters begin before it."""
        return place if self.starts is None else int(np.searchsorted(self.starts, place, "left"))

    def place(self, character: int) -> int:
        return character if self.starts is None else int(self.starts[character])

    def inside(self, start: int, end: int) -> str:
        """The whole characters between two places."""
        return self.text[self.after(start) : self.at(end)]


def in_characters(alignment: Alignment, a: Readable, b: Readable) -> Alignment:
    """Turn an alignment of bytes into one of characters: é and è, which begin with the same byte, differ as a whole."""
    if a.starts is None and b.starts is None:
        return alignment
    blocks: list[AlignedBlock] = []
    at_a = at_b = 0
    for block in alignment.blocks:
        first, last = _cut(a, b, block.a_start, block.b_start, 1), _cut(a, b, block.a_end, block.b_end, -1)
        if not block.same or block.a_start + first >= block.a_end - last:
            continue
        a_start, b_start = a.at(block.a_start + first), b.at(block.b_start + first)
        if a_start > at_a or b_start > at_b:
            blocks.append(AlignedBlock(False, at_a, a_start, at_b, b_start))
        at_a, at_b = a.at(block.a_end - last), b.at(block.b_end - last)
        blocks.append(AlignedBlock(True, a_start, at_a, b_start, at_b, block.passage))
    if len(a.text) > at_a or len(b.text) > at_b:
        blocks.append(AlignedBlock(False, at_a, len(a.text), at_b, len(b.text)))
    elsewhere = {
        number: Passage(a.after(moved.a_start), a.at(moved.a_end), b.after(moved.b_start), b.at(moved.b_end))
        for number, moved in alignment.elsewhere.items()
    }
    return Alignment(blocks, elsewhere, alignment.repeated)


def _cut(a: Readable, b: Readable, a_place: int, b_place: int, step: int) -> int:
    """How many bytes of a common stretch belong to a character that lies across its end, in either text."""
    for bytes_off in range(LONGEST):
        if a.between(a_place + step * bytes_off) and b.between(b_place + step * bytes_off):
            return bytes_off
    return LONGEST
