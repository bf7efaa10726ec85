"""One document as a scan would read it: a file, or a text that someone has at hand."""

import atexit
import json
import os
import time
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256

from nearkin import _native
from nearkin.engine.container import Entry, Source, Taken, Taker
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

NO_LIMIT = 1 << 50  # bytes: who names a document wants it


def extracted(data: bytes, name: bytes, *, raw: bool) -> Extracted:
    """The text of any bytes: plain ones here, those of a format by a worker. What lies in a container is left there."""
    told = extract(data, named_html=named_html(name), raw=raw)
    kind = sniff(data, named_html=named_html(name))
    if raw or not is_suspect(kind, name, data[:HEAD]):
        return told
    entry = Entry(Source(name, data=data))
    holds = False
    try:
        with closing(shared_workers().ask(entry.source.asked)) as answers:
            for header, body in answers:
                if holds := header["kind"] == "member":
                    break  # all that is said of the document itself came before; each member may take its time
                entry.heed(header, body)
    except Problem as problem:
        entry.problem = problem
    if entry.plain:
        return told
    properties = json.dumps(entry.properties, sort_keys=True) if entry.properties else None
    if entry.problem is not None:
        said = f"{entry.problem.reason}: {entry.problem.detail.rstrip('.')}"
        return Extracted(None, entry.media, None, said, entry.reader, properties, holds)
    return Extracted(entry.text, entry.media, None, None, entry.reader, properties, holds)


@cache
def shared_workers() -> Workers:
    """For documents that come one by one: kept until this process ends."""
    workers, owner = Workers(), os.getpid()

    def end() -> None:
        if os.getpid() == owner:
            workers.__exit__(None, None, None)

    atexit.register(end)
    return workers


# They are this process's: one forked from it has neither them nor the thread that starts them, and would wait for ever.
os.register_at_fork(after_in_child=shared_workers.cache_clear)


@dataclass(frozen=True)
class Read:
    """A document, and what lies in it at any depth."""

    itself: DocumentBatch
    inside: DocumentBatch | None = None


def read_file(root: bytes, path: bytes, scheme: Scheme, canon: Canon, *, keep: bool) -> Read:
    """A file, its path relative to root."""
    how = recipe(scheme, canon, max_size=NO_LIMIT)
    handed_over: list[HandedOver] = []
    (readings,) = ingest(root, [path], how, jobs=1, keep=keep, hand_over=handed_over.extend)
    if handed_over:
        taken = Taker(how, shared_workers(), keep).take(Source.of_file(root + b"/", handed_over[0]))
        if not taken.entry.plain:
            return _whole(taken, os.fsdecode(root + b"/" + path))
        (readings,) = ingest(root, [path], how, jobs=1, keep=keep)
        readings.readers[:] = [UNKNOWN if readings.digests[0] == handed_over[0].digest else UNSEEN]
    if readings.reasons[0] is not None:
        raise InputError(f"Cannot read {os.fsdecode(root + b'/' + path)}: {readings.details[0]}.")
    return Read(readings)


def _whole(taken: Taken, name: str) -> Read:
    problem = taken.entry.problem
    if taken.itself is None or problem is not None:
        much = "more lies in it than is taken at once; scan it"
        raise InputError(f"Cannot read {name}: {much if problem is None else f'{problem.reason}: {problem.detail}'}.")
    return Read(taken.itself, taken.inside)


def read_bytes(path: bytes, data: bytes, scheme: Scheme, canon: Canon, *, keep: bool) -> Read:
    """Bytes that are in no file, of any format."""
    if not canon.raw and is_suspect(sniff(data, named_html=named_html(path)), path, data[:HEAD]):
        how = recipe(scheme, canon, max_size=NO_LIMIT)
        stamp = (len(data), time.time_ns(), 0, 0, os.getuid(), sha256(data).digest())
        taken = Taker(how, shared_workers(), keep).take(Source(path, None, data, *stamp))
        if not taken.entry.plain:
            return _whole(taken, os.fsdecode(path))
    told = extract(data, named_html=named_html(path), raw=canon.raw)
    return read_text(path, data, told, scheme, canon)


def read_text(path: bytes, data: bytes, extracted: Extracted, scheme: Scheme, canon: Canon) -> Read:
    """Bytes that are in no file, with the text taken from them."""
    how = recipe(scheme, canon, max_size=NO_LIMIT)
    batch = _native.ingest_texts([extracted.text or b""], [False], how)
    readings = DocumentBatch.of_rows([path], batch, raw=canon.raw)
    readings.sizes[:] = [len(data)]
    readings.mtimes[:] = [time.time_ns()]
    readings.owners[:] = [os.getuid()]
    readings.media[:] = [extracted.media]
    readings.encodings[:] = [extracted.encoding]
    readings.digests[:] = [sha256(data).digest()]
    if not canon.raw:
        html = extracted.media == MEDIA[TextKind.HTML]
        readings.extractors[:] = [extracted.extractor or EXTRACTORS[TextKind.HTML if html else TextKind.TEXT]]
    readings.readers[:] = [extracted.extractor]
    readings.properties[:] = [extracted.properties]
    if extracted.text is None:
        readings.contents[:] = [None]
    return Read(readings)
