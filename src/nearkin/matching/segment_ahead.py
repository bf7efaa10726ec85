"""The first segment of a store, made while the scan's results are grouped and stored.

These fill one processor; of 53,596 pages the segment takes the other for as long. It is written on a thread with a
connection of its own, from signatures that are remembered or stored by then, and named when the scan has ended.
"""

import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.scan_cache import Remembered
from nearkin.matching.segment_builder import Builder
from nearkin.scheme import Scheme
from nearkin.store.database import connect
from nearkin.store.segments import SegmentFile, one_builder, remove_unnamed


class SegmentAhead:
    """Where anything is in the way, nothing was made: whoever brings segments up to date afterwards makes it then."""

    def __init__(
        self,
        store: Path,
        scheme: Scheme,
        scheme_id: int,
        *,
        ignored: NDArray[np.uint64],
        memory: int,
        remembered: Remembered,
    ) -> None:
        self.store = store
        self._remembered = remembered
        self._about = (store, scheme, scheme_id, ignored, memory)
        self._made: tuple[SegmentFile, list[int]] | None = None
        self._stop = Event()
        self._turn = ExitStack()
        self._thread: Thread | None = None
        if not scheme.estimator.coded and self._turn.enter_context(one_builder(store, wait=False)):
            self._thread = Thread(target=self._make, name="nearkin segment")
            self._thread.start()

    def _make(self) -> None:
        try:
            with closing(connect(self.store)) as connection:
                self._made = Builder(connection, *self._about).first(self._remembered, self._stop.is_set)
        except Exception:  # a full disk or no memory, say: whoever needs it makes it, or is told then
            self._made = None

    def name(self, connection: sqlite3.Connection) -> None:
        """When the scan has ended."""
        try:
            if self._thread is not None:
                self._thread.join()
            if self._made is not None:
                new, written = self._made
                Builder(connection, *self._about).name(new, [], written)
        except BaseException:
            self._stop.set()
            raise
        finally:
            self._leave()

    def give_up(self, connection: sqlite3.Connection) -> None:
        """Nothing of it stays."""
        self._stop.set()
        self._leave()
        with suppress(OSError, sqlite3.Error), one_builder(self.store, wait=False) as mine:
            if mine:
                remove_unnamed(connection, self.store)

    def _leave(self) -> None:
        """The turn is others' only when the thread writes no more."""
        with self._turn:
            if self._thread is not None:
                self._thread.join()
