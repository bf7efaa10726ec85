"""What a run has just read, remembered until it is matched: it need not be read back from the store.

Held natively, as reading has left it. In Python an object for each text and each signature, kept and looked up one by
one, held everyone's lock for 0.3 s of a scan of 53,596 pages.
"""

from collections.abc import Sequence

from nearkin import _native
from nearkin.model import Readings
from nearkin.store.contents import Contents


class Remembered:
    """Canonical texts while there is room for them, and signatures: of all that was read, or none."""

    def __init__(self, *, texts: int, signatures: int) -> None:
        self._read = _native.TextContents(for_texts=texts, for_features=signatures)
        self._any = self._ordered = self._signed = False

    def remember(self, readings: Readings) -> None:
        for batch in readings.batches:
            self._read.add(batch)
            self._any = True
        readings.batches.clear()

    def put_in_order(self, contents: Contents) -> None:
        """Once, when all is read: from now on by their rows."""
        if self._any:
            self._signed = self._read.put_in_order_of([*contents.digests])
            self._ordered = True

    def let_go(self) -> None:
        self._read = _native.TextContents()
        self._ordered = self._signed = False

    def texts(self, rows: Sequence[int]) -> _native.HeldTexts | None:
        """Canonical ones, in this order; one that is not known is empty. None: nothing is known."""
        return self._read.texts(rows) if self._ordered else None

    def signatures(self) -> _native.TextContents | None:
        """None: some are not known."""
        return self._read if self._signed else None
