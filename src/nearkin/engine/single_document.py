"""A single document, read as a scan would read it: a file, bytes, or a text that a caller has in memory."""

import atexit
import json
import os
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from nearkin import _native
from nearkin.engine.container import DocumentReader, DocumentReading, ParsedDocument, Source
from nearkin.engine.reader import HandedOver, ingest, is_suspect
from nearkin.engine.threads import recipe
from nearkin.engine.workers import Workers
from nearkin.errors import InputError
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import HEAD, UNKNOWN, UNSEEN
from nearkin.scheme import Scheme
from nearkin.store.batch import DocumentBatch
from nearkin.text.canon import Canon
from nearkin.text.kind import EXTRACTORS, MEDIA, Extracted, TextKind, extract, named_html, sniff

NO_LIMIT = 1 << 50  # bytes: a caller who names a document wants it, however large


def extracted(data: bytes, name: bytes, *, raw: bool) -> Extracted:
    """Extract the text of any bytes: plain ones here, those of a format in a worker. Members of a container are left
    out."""
    as_plain = extract(data, named_html=named_html(name), raw=raw)
    kind = sniff(data, named_html=named_html(name))
    if raw or not is_suspect(kind, name, data[:HEAD]):
        return as_plain
    document = ParsedDocument(Source(name, data=data))
    holds = False
    try:
        with closing(shared_workers().ask(document.source.request)) as answers:
            for header, body in answers:
                if holds := header["kind"] == "member":
                    break  # the answers about the document itself came before; each member may take its time
                document.apply(header, body)
    except Problem as problem:
        document.problem = problem
    if document.plain:
        return as_plain
    properties = json.dumps(document.properties, sort_keys=True) if document.properties else None
    if document.problem is not None:
        why = f"{document.problem.reason}: {document.problem.detail.rstrip('.')}"
        return Extracted(None, document.media, None, why, document.reader, properties, holds)
    return Extracted(document.text, document.media, None, None, document.reader, properties, holds)


@cache
def shared_workers() -> Workers:
    """Workers for documents that come one by one: kept until this process ends."""
    workers, owner = Workers(), os.getpid()

    def end() -> None:
        if os.getpid() == owner:
            workers.__exit__(None, None, None)

    atexit.register(end)
    return workers


# Workers belong to this process: a process forked from it has neither them nor the thread that starts them, and would
# wait for ever.
os.register_at_fork(after_in_child=shared_workers.cache_clear)


@dataclass(frozen=True)
class DocumentWithMembers:
    """A document, and what lies in it at any depth."""

    itself: DocumentBatch
    inside: DocumentBatch | None = None


def read_file(root: bytes, path: bytes, scheme: Scheme, canon: Canon, *, keep: bool) -> DocumentWithMembers:
    """Read a file, its path relative to root."""
    how = recipe(scheme, canon, max_size=NO_LIMIT)
    handed_over: list[HandedOver] = []
    (rows,) = ingest(root, [path], how, jobs=1, keep=keep, hand_over=handed_over.extend)
    if handed_over:
        reading = DocumentReader(how, shared_workers(), keep).read(Source.of_file(root + b"/", handed_over[0]))
        if not reading.document.plain:
            return _whole(reading, os.fsdecode(root + b"/" + path))
        (rows,) = ingest(root, [path], how, jobs=1, keep=keep)
        rows.readers[:] = [UNKNOWN if rows.digests[0] == handed_over[0].digest else UNSEEN]
    if rows.reasons[0] is not None:
        raise InputError(f"Cannot read {os.fsdecode(root + b'/' + path)}: {rows.details[0]}.")
    return DocumentWithMembers(rows)


def _whole(reading: DocumentReading, name: str) -> DocumentWithMembers:
    problem = reading.document.problem
    if reading.itself is None or problem is not None:
        much = "more lies in it than is taken at once; scan it"
        raise InputError(f"Cannot read {name}: {much if problem is None else f'{problem.reason}: {problem.detail}'}.")
    return DocumentWithMembers(reading.itself, reading.inside)


def read_bytes(path: bytes, data: bytes, scheme: Scheme, canon: Canon, *, keep: bool) -> DocumentWithMembers:
    """Read bytes that are in no file, of any format."""
    if not canon.raw and is_suspect(sniff(data, named_html=named_html(path)), path, data[:HEAD]):
        how = recipe(scheme, canon, max_size=NO_LIMIT)
        stamp = (len(data), time.time_ns(), 0, 0, os.getuid(), sha256(data).digest())
        reading = DocumentReader(how, shared_workers(), keep).read(Source(path, None, data, *stamp))
        if not reading.document.plain:
            return _whole(reading, os.fsdecode(path))
    extracted = extract(data, named_html=named_html(path), raw=canon.raw)
    return read_text(path, data, extracted, scheme, canon)


def read_text(path: bytes, data: bytes, extracted: Extracted, scheme: Scheme, canon: Canon) -> DocumentWithMembers:
    """Sign the text that was taken from bytes which are in no file."""
    how = recipe(scheme, canon, max_size=NO_LIMIT)
    batch = _native.ingest_texts([extracted.text or b""], [False], how)
    rows = DocumentBatch.of_rows([path], batch, raw=canon.raw)
    rows.sizes[:] = [len(data)]
    rows.mtimes[:] = [time.time_ns()]
    rows.owners[:] = [os.getuid()]
    rows.media[:] = [extracted.media]
    rows.encodings[:] = [extracted.encoding]
    rows.digests[:] = [sha256(data).digest()]
    if not canon.raw:
        html = extracted.media == MEDIA[TextKind.HTML]
        rows.extractors[:] = [extracted.extractor or EXTRACTORS[TextKind.HTML if html else TextKind.TEXT]]
    rows.readers[:] = [extracted.extractor]
    rows.properties[:] = [extracted.properties]
    if extracted.text is None:
        rows.contents[:] = [None]
    return DocumentWithMembers(rows)
