"""What a run has just read, remembered until it is matched: it need not be read back from the store.

Held natively, as reading has left it. In Python an object for each text and each signature, kept and looked up one by
one, held everyone's lock for 0.3 s of a scan of 53,596 pages.

Canonical texts of contents: remembered from the run that read them, or made again from the kept extracted texts.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.verify import Found
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import Contents, texts_of
from nearkin.store.segments import Signed
from nearkin.store.signatures import Signatures
from nearkin.text.canon import Canon

NOBODY: NDArray[np.int64] = np.zeros(0, np.int64)
NO_WEIGHTS = np.zeros(0, np.uint32)


class Remembered:
    """Canonical texts while there is room for them, and signatures: of all that was read, or none."""

    def __init__(self, *, texts: int, signatures: int) -> None:
        self._read = _native.TextContents(for_texts=texts, for_features=signatures)
        self._any = self._ordered = self._signed = False
        self._ids = NOBODY

    def remember(self, read: DocumentBatch) -> None:
        for batch in read.batches:
            self._read.add(batch)
            self._any = True
        read.batches.clear()

    def put_in_order(self, contents: Contents) -> None:
        """Once, when all is read: from now on by their rows."""
        if self._any:
            self._signed = self._read.put_in_order_of([*contents.digests])
            self._ordered, self._ids = True, contents.ids

    def let_go(self) -> None:
        self._read = _native.TextContents()
        self._ordered = self._signed = False
        self._ids = NOBODY

    def texts(self, rows: Sequence[int]) -> _native.HeldTexts | None:
        """Canonical ones, in this order; one that is not known is empty. None: nothing is known."""
        return self._read.texts(rows) if self._ordered else None

    def signatures(self) -> _native.TextContents | None:
        """None: some are not known."""
        return self._read if self._signed else None

    def signatures_of(self, rows: NDArray[np.int64]) -> Signatures | None:
        """As they are stored, in this order; None: some are not known."""
        if not self._signed:
            return None
        ends = np.cumsum(np.diff(self._read.offsets)[rows], dtype=np.uint64)
        offsets = np.concatenate([np.zeros(1, np.uint64), ends])
        return Signatures(self._read.moduli[rows], offsets, self._read.features_of(rows).joined(), NO_WEIGHTS)

    def knows(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whose signatures are remembered."""
        return np.isin(ids, self._ids) if self._signed else np.zeros(len(ids), np.bool_)

    def signed_rows(self, ids: NDArray[np.int64], most: int) -> Iterator[Signed]:
        """The signatures of these contents, about `most` features at a time; those it does not know have none."""
        order = np.argsort(self._ids)
        rows = order[np.minimum(np.searchsorted(self._ids, ids, sorter=order), len(order) - 1)]
        known = self._ids[rows] == ids
        held = np.where(known, rows, -1)
        sizes = np.where(known, np.diff(self._read.offsets.astype(np.int64))[rows], 0)
        moduli = np.where(known, self._read.moduli[rows], np.uint64(1))
        ends = np.flatnonzero(np.diff(np.cumsum(sizes) // max(most, 1))) + 1
        for part in np.split(np.arange(len(ids)), ends):
            offsets = np.concatenate([[0], np.cumsum(sizes[part])]).astype(np.uint64)
            yield Signed(ids[part], moduli[part], offsets, self._read.features_of(held[part]), NO_WEIGHTS)


AT_ONCE = 16 << 20  # bytes of extracted texts


@dataclass(frozen=True)
class StoredTexts:
    """Of contents by their rows."""

    connection: sqlite3.Connection
    contents: Contents
    canon: Canon
    threads: int
    remembered: Remembered | None = None  # in the order of these contents

    def __call__(self, rows: Sequence[int]) -> Found:
        held = None if self.remembered is None else self.remembered.texts(rows)
        if held is not None and held.complete:
            return held
        found: list[bytes | None] = [None] * len(rows) if held is None else [text or None for text in held]
        missing = {at: int(self.contents.ids[rows[at]]) for at, text in enumerate(found) if text is None}
        made = dict(self._made([*missing.values()]))
        for at, content in missing.items():
            found[at] = made.get(content)
        return found

    def _made(self, contents: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Some at a time: what a text was made of is not held any longer than that."""
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
