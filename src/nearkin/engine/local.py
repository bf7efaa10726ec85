"""The local engine: files to signatures on the threads of this machine.

The whole way from file to signature is one native call a batch, without the GIL, so threads suffice. Only texts in
other encodings come back to Python to be decoded. Batches are given out in order, few at a time: memory is bounded
by the batches in flight, and what comes out does not depend on the number of jobs.
"""

import errno
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from nearkin import _native
from nearkin.model import Entry, Reading, Reason
from nearkin.read.decode import decode
from nearkin.scheme import Scheme
from nearkin.text.canon import Canon
from nearkin.text.kind import MEDIA, TextKind, named_html, sniff

BATCH_FILES = 256
BATCH_BYTES = 32 << 20
NO_DIGEST = bytes(32)


def recipe(scheme: Scheme, canon: Canon, *, max_size: int) -> _native.Recipe:
    return _native.Recipe(scheme=scheme.native(), raw=canon.raw, ignore=canon.mask, max_size=max_size)


def ingest(
    root: bytes, entries: Iterable[Entry], how: _native.Recipe, *, jobs: int
) -> Iterator[list[Reading]]:
    """Read and sign files, batch by batch, in the order of the entries."""
    batches = _batches(entries)
    pending: deque[Future[list[Reading]]] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="nearkin")
    try:
        for batch in islice(batches, jobs + 2):
            pending.append(pool.submit(_ingest_batch, root, batch, how))
        while pending:
            done = pending.popleft().result()
            for batch in islice(batches, 1):
                pending.append(pool.submit(_ingest_batch, root, batch, how))
            yield done
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += entry.size
        if len(batch) >= BATCH_FILES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _ingest_batch(root: bytes, entries: list[Entry], how: _native.Recipe) -> list[Reading]:
    hints = [named_html(entry.path) for entry in entries]
    batch = _native.ingest_files([root + b"/" + entry.path for entry in entries], hints, how)
    rows = _rows(batch, entries)
    others = [i for i, kind in enumerate(batch.kinds.tolist()) if kind == TextKind.OTHER and not rows[i].text_digest]
    if others:
        _decode_others(rows, others, hints, how)
    return rows


def _rows(batch: _native.Batch, entries: list[Entry]) -> list[Reading]:
    errors, kinds, sizes = batch.errors.tolist(), batch.kinds.tolist(), batch.sizes.tolist()
    characters, lengths, moduli = batch.characters.tolist(), batch.lengths.tolist(), batch.moduli.tolist()
    digests, text_digests, content_digests = batch.digests, batch.text_digests, batch.content_digests
    texts, features, weights = batch.texts, batch.features, batch.weights
    rows: list[Reading] = []
    text_from = feature_from = 0
    for i, (entry, text_to, feature_to) in enumerate(
        zip(entries, batch.text_ends.tolist(), batch.feature_ends.tolist(), strict=True)
    ):
        if errors[i]:
            rows.append(_failed(entry, errors[i]))
        else:
            at = slice(32 * i, 32 * i + 32)
            kind = TextKind(kinds[i])
            signed = content_digests[at] != NO_DIGEST
            rows.append(
                Reading(
                    entry=entry if entry.size == sizes[i] else _resized(entry, sizes[i]),
                    media=MEDIA[kind],
                    encoding="utf-8" if kind in (TextKind.TEXT, TextKind.HTML) else None,
                    digest=digests[at],
                    text_digest=text_digests[at] if signed else b"",
                    content_digest=content_digests[at] if signed else b"",
                    text=texts[text_from:text_to],
                    characters=characters[i],
                    length=lengths[i],
                    modulus=moduli[i],
                    features=features[8 * feature_from : 8 * feature_to],
                    weights=weights[4 * feature_from : 4 * feature_to] if weights else None,
                )
            )
        text_from, feature_from = text_to, feature_to
    return rows


def _decode_others(rows: list[Reading], others: list[int], hints: list[bool], how: _native.Recipe) -> None:
    decoded = [decode(rows[i].text, html=hints[i] or rows[i].text[:64].lstrip().startswith(b"<")) for i in others]
    texts = [one.text.encode("utf-8") for one in decoded]
    html = [sniff(text, named_html=hints[i]) is TextKind.HTML for i, text in zip(others, texts, strict=True)]
    signed = _rows(_native.ingest_texts(texts, html, how), [rows[i].entry for i in others])
    for i, row, one, is_html in zip(others, signed, decoded, html, strict=True):
        rows[i] = Reading(
            entry=rows[i].entry,
            media=MEDIA[TextKind.HTML if is_html else TextKind.TEXT],
            encoding=one.encoding,
            digest=rows[i].digest,
            text_digest=row.text_digest,
            content_digest=row.content_digest,
            text=row.text,
            characters=row.characters,
            length=row.length,
            modulus=row.modulus,
            features=row.features,
            weights=row.weights,
        )


def _failed(entry: Entry, number: int) -> Reading:
    reason = Reason.TOO_LARGE if number == errno.EFBIG else Reason.UNREADABLE
    return Reading(entry=entry, reason=reason, detail=os.strerror(number).lower())


def _resized(entry: Entry, size: int) -> Entry:
    return Entry(entry.path, size, entry.mtime_ns, entry.inode, entry.owner)
