"""A document by its name: a file on disk, or a document of the store by its path as listings show it."""

import os
import sqlite3
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from nearkin.engine.single_document import extracted
from nearkin.errors import InputError, UsageError
from nearkin.query.store_view import opened
from nearkin.read.walk import explain
from nearkin.store.compression import unpack
from nearkin.store.documents import rows_named
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
class Found:
    name: str
    size: int
    digest: bytes  # of its bytes
    text: bytes | None  # extracted, or the bytes themselves where they are taken raw; None: no text in it
    file: Path | None = None  # where it lies; None: its bytes are at hand, or it is only in the store
    data: bytes | None = None  # its bytes, where it lies nowhere
    problem: str | None = None  # why there is no text
    holds: bool = False  # other documents, that are not in its text


def find_document(name: str, store: Path, *, raw: bool) -> Found:
    """A file on disk wins; what is not there is looked up in the store."""
    if os.path.exists(name):  # noqa: PTH110  Path.exists fails on names no file can have
        return _on_disk(name, Path(name), raw=raw)
    if not store.exists():
        raise InputError(f'No file "{name}", and no store {store} to look it up in.')
    with opened(store) as connection:
        return _stored(connection, name, store, raw=raw)


def _on_disk(name: str, path: Path, *, raw: bool) -> Found:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {name}: {explain(error)}.") from error
    return replace(from_bytes(name, data, raw=raw), file=path, data=None)


def from_bytes(name: str, data: bytes, *, raw: bool) -> Found:
    told = extracted(data, os.fsencode(name), raw=raw)
    return Found(name, len(data), sha256(data).digest(), told.text, data=data, problem=told.problem, holds=told.holds)


def _stored(connection: sqlite3.Connection, name: str, store: Path, *, raw: bool) -> Found:
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
            return Found(name, size, digest, None)
        if blob is None:
            raise InputError(f"{store} keeps no text of {name}, and the file is gone.")
        raise InputError(f"{store} keeps the text of {name} but not its bytes, and the file is gone.")
    text = unpack(blob)
    if stored_raw and not raw:
        text = extract(text, named_html=named_html(relative)).text or b""
    return Found(name, size, digest, text)
