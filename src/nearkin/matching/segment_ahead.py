"""The first segment of a store, made while the scan's results are grouped and stored.

These fill one processor; of 53,596 pages the segment takes the other for as long. It is written on a thread with a
connection of its own, from signatures that are stored by then, and named when the scan has ended.
"""

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import StoreError
from nearkin.matching.build_segments import Builder
from nearkin.scheme import Scheme
from nearkin.store.database import connect
from nearkin.store.segments import SegmentFile, folder_of, one_builder


class SegmentAhead:
    """Where anything is in the way, nothing was made: whoever brings segments up to date afterwards makes it then."""

    def __init__(
        self, store: Path, scheme: Scheme, scheme_id: int, *, ignored: NDArray[np.uint64], memory: int
    ) -> None:
        self.store = store
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
                self._made = Builder(connection, *self._about).first(self._stop.is_set)
        except (OSError, RuntimeError, StoreError, sqlite3.Error):  # a full disk, say
            self._made = None

    def name(self, connection: sqlite3.Connection) -> None:
        with self._turn:
            if self._thread is not None:
                self._thread.join()
                if self._made is not None:
                    new, written = self._made
                    Builder(connection, *self._about).name(new, [], written)

    def give_up(self) -> None:
        with self._turn:
            self._stop.set()
            if self._thread is not None:
                self._thread.join()
                if self._made is not None:
                    (folder_of(self.store) / self._made[0].name).unlink(missing_ok=True)
