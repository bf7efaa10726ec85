"""Texts and signatures that a run has just read, kept until it matches them: they need not be read back from the store.

`ScanCache` collects them while the run reads; `CachedContents` is the frozen view by rows of contents that matching and
the segment builder use. Both hold them natively, as reading has left them: in Python an object for each text and each
signature, kept and looked up one by one, held everyone's lock for 0.3 s of a scan of 53,596 pages.

`StoredTexts` gives canonical texts of contents: from the cache, or made again from the kept extracted texts.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.verify import TextList
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import Contents, texts_of
from nearkin.store.segments import Signed
from nearkin.store.signatures import Signatures
from nearkin.text.canon import Canon

NO_WEIGHTS = np.zeros(0, np.uint32)
AT_ONCE = 16 << 20  # bytes of extracted texts that are made canonical at a time


class ScanCache:
    """Collects canonical texts while there is room for them, and signatures: of all that was read, or of none."""

    def __init__(self, *, texts: int, signatures: int) -> None:
        """Take at most so many bytes of texts and of signatures."""
        self._read = _native.TextContents(for_texts=texts, for_features=signatures)
        self._empty = True

    def add(self, read: DocumentBatch) -> None:
        """Take over the native batches of what was read."""
        for batch in read.batches:
            self._read.add(batch)
            self._empty = False
        read.batches.clear()

    def in_order_of(self, contents: Contents) -> "CachedContents | None":
        """Hand over what was collected, by the rows of these contents; None: nothing was. The cache is empty then."""
        if self._empty:
            return None
        read, self._read, self._empty = self._read, _native.TextContents(), True
        complete = read.put_in_order_of([*contents.digests])
        return CachedContents(read, contents.ids, complete)


@dataclass(frozen=True)
class CachedContents:
    """What a run has read, by the rows of its contents. Its memory is free when nobody refers to it any more."""

    read: _native.TextContents
    ids: NDArray[np.int64]  # of the contents, by row
    has_signatures: bool  # of all contents that have a feature

    def texts(self, rows: Sequence[int]) -> _native.HeldTexts:
        """Canonical texts in the order of these rows; one that is not cached is empty."""
        return self.read.texts(rows)

    @property
    def signatures(self) -> _native.TextContents | None:
        """The signatures of all contents; None: some are not cached."""
        return self.read if self.has_signatures else None

    def signatures_of(self, rows: NDArray[np.int64]) -> Signatures | None:
        """Signatures as they are stored, in the order of these rows; None: some are not cached."""
        if not self.has_signatures:
            return None
        ends = np.cumsum(np.diff(self.read.offsets)[rows], dtype=np.uint64)
        offsets = np.concatenate([np.zeros(1, np.uint64), ends])
        return Signatures(self.read.moduli[rows], offsets, self.read.features_of(rows).joined(), NO_WEIGHTS)

    def has_signatures_of(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say of each content whether its signature is cached."""
        return np.isin(ids, self.ids) if self.has_signatures else np.zeros(len(ids), np.bool_)

    def signed_rows(self, ids: NDArray[np.int64], most: int) -> Iterator[Signed]:
        """The signatures of these contents, about `most` features at a time; those that are not cached have none."""
        order = np.argsort(self.ids)
        rows = order[np.minimum(np.searchsorted(self.ids, ids, sorter=order), len(order) - 1)]
        cached = self.ids[rows] == ids
        places = np.where(cached, rows, -1)
        sizes = np.where(cached, np.diff(self.read.offsets.astype(np.int64))[rows], 0)
        moduli = np.where(cached, self.read.moduli[rows], np.uint64(1))
        ends = np.flatnonzero(np.diff(np.cumsum(sizes) // max(most, 1))) + 1
        for part in np.split(np.arange(len(ids)), ends):
            offsets = np.concatenate([[0], np.cumsum(sizes[part])]).astype(np.uint64)
            yield Signed(ids[part], moduli[part], offsets, self.read.features_of(places[part]), NO_WEIGHTS)


@dataclass(frozen=True)
class StoredTexts:
    """Canonical texts of contents, by their rows."""

    connection: sqlite3.Connection
    contents: Contents
    canon: Canon
    threads: int
    cached: CachedContents | None = None  # in the order of the same contents

    def __call__(self, rows: Sequence[int]) -> TextList:
        held = None if self.cached is None else self.cached.texts(rows)
        if held is not None and held.complete:
            return held
        texts: list[bytes | None] = [None] * len(rows) if held is None else [text or None for text in held]
        missing = {at: int(self.contents.ids[rows[at]]) for at, text in enumerate(texts) if text is None}
        made = dict(self._made([*missing.values()]))
        for at, content in missing.items():
            texts[at] = made.get(content)
        return texts

    def _made(self, contents: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Make texts canonical, some at a time: an extracted text is not held any longer than that."""
        waiting: dict[int, bytes] = {}
        size = 0
        for content, text in texts_of(self.connection, contents):
            waiting[content] = text
            size += len(text)
            if size > AT_ONCE:
                yield from self._canonical(waiting)
                waiting, size = {}, 0
        yield from self._canonical(waiting)

    def _canonical(self, extracted: dict[int, bytes]) -> Iterator[tuple[int, bytes]]:
        return zip(extracted, self.canon.apply_all(list(extracted.values()), threads=self.threads), strict=True)
