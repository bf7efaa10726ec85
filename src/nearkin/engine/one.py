"""One document as a scan would read it: a file, or a text that someone has at hand."""

import os
import time
from hashlib import sha256

from nearkin import _native
from nearkin.engine.local import columns, ingest, recipe
from nearkin.errors import InputError
from nearkin.model import Readings
from nearkin.read.extract import Extracted
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon
from nearkin.text.kind import EXTRACTORS, MEDIA, TextKind

NO_LIMIT = 1 << 50  # bytes: who names a document wants it


def read_file(root: bytes, path: bytes, scheme: Scheme, canon: Canon, *, keep: bool) -> Readings:
    """A file, its path relative to root."""
    (readings,) = ingest(root, [path], recipe(scheme, canon, max_size=NO_LIMIT), jobs=1, keep=keep)
    if readings.reasons[0] is not None:
        raise InputError(f"Cannot read {os.fsdecode(root + b'/' + path)}: {readings.details[0]}.")
    return readings


def read_text(path: bytes, data: bytes, extracted: Extracted, scheme: Scheme, canon: Canon) -> Readings:
    """Bytes that are in no file, with the text taken from them."""
    how = recipe(scheme, canon, max_size=NO_LIMIT)
    readings = columns(_native.ingest_texts([extracted.text or b""], [False], how), [path], raw=canon.raw)
    readings.sizes[:] = [len(data)]
    readings.mtimes[:] = [time.time_ns()]
    readings.owners[:] = [os.getuid()]
    readings.media[:] = [extracted.media]
    readings.encodings[:] = [extracted.encoding]
    readings.digests[:] = [sha256(data).digest()]
    if not canon.raw:
        html = extracted.media == MEDIA[TextKind.HTML]
        readings.extractors[:] = [EXTRACTORS[TextKind.HTML if html else TextKind.TEXT]]
    if extracted.text is None:
        readings.contents[:] = [None]
    return readings
