"""Writing the segments of a scheme: the delta goes into one file, merged with the smaller files there are.

A segment is merged when it is at most four times as large as what it is merged with (O'Neil et al. 1996, the
log-structured merge tree): of n contents there are then at most log4 n files, and each content is written about as
often. Files first, then one transaction that names them: killed at any moment, the store is as it was or as it will be.

The first segment of a store is made ahead, while the scan's results are grouped and stored. That fills one processor;
of 53,596 pages the segment takes the other for as long. It is written on a thread with a connection of its own, from
signatures that are cached or stored by then, and named when the scan has ended.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Levels
from nearkin.matching.scan_cache import CachedContents
from nearkin.scheme import Scheme
from nearkin.store.database import connect, transaction, trusted, turn
from nearkin.store.segments import (
    SegmentFile,
    Signed,
    back_to_delta,
    delta_of,
    digest_of,
    folder_of,
    one_builder,
    remove_unnamed,
    replace_segments,
    segment_files,
    signed_contents,
    signed_rows,
)

RUN = 8 << 20  # postings sorted at a time: 0.5 GB …
POSTING_BYTES = 64  # … where there is as much memory
TIER = 4
WAIT = 2_000  # contents that may wait in the delta where there are segments: read into memory in 30 ms
FEW = 500  # contents that are read one by one
NONE = np.zeros(0, np.uint64)


def build_segments(
    connection: sqlite3.Connection,
    store: Path,
    scheme: Scheme,
    scheme_id: int,
    *,
    ignored: NDArray[np.uint64] = NONE,
    wait: bool = True,
    least: int = WAIT,
    memory: int | None = None,
) -> None:
    """Bring the segments of a scheme up to date; without `wait`, only where no other process does so.

    Features that are ignored (ascending) are left out; segments that left out others, and such as are lost or damaged,
    are made anew. What is written does not depend on the memory.
    """
    if scheme.estimator.coded:  # looked up in a table of their own
        with turn(store), transaction(connection):
            connection.execute("DELETE FROM delta WHERE scheme = ?", (scheme_id,))
        return
    with one_builder(store, wait=wait) as mine:
        if mine:
            Builder(connection, store, scheme, scheme_id, ignored, memory).build(least)


def open_segment(store: Path, file: SegmentFile) -> _native.Segment:
    """Open a segment; RuntimeError or OSError: it is not the file that it should be."""
    segment = _native.Segment.open(os.fspath(folder_of(store) / file.name), file.token)
    if len(segment) != file.contents:
        raise RuntimeError("the segment has other contents than the store says")
    return segment


def damaged_segments(connection: sqlite3.Connection, store: Path) -> Iterator[str]:
    """Names of files that are there and are not what was written."""
    for (scheme,) in connection.execute("SELECT DISTINCT scheme FROM segment").fetchall():
        for file in segment_files(connection, scheme):
            if (folder_of(store) / file.name).is_file():
                try:
                    whole = open_segment(store, file).intact()
                except (RuntimeError, OSError):
                    whole = False
                if not whole:
                    yield file.name


class Builder:
    """Writes segments, for the one process that has the turn to do so."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        store: Path,
        scheme: Scheme,
        scheme_id: int,
        ignored: NDArray[np.uint64],
        memory: int | None,
    ) -> None:
        self.connection, self.store, self.scheme_id = connection, store, scheme_id
        self.run = RUN if memory is None else min(RUN, max(memory // POSTING_BYTES, 1))
        self.levels, self.ignored, self.templates = Levels.of(scheme), ignored, digest_of(ignored)

    def build(self, least: int) -> None:
        """Write what waits, where there is no segment or at least so many contents wait."""
        remove_unnamed(self.connection, self.store)
        there = self._sound()
        waiting = delta_of(self.connection, self.scheme_id)
        if not waiting or (there and len(waiting) < least):
            return None
        with self._leaving_nothing():
            return self._build(there, waiting, least)

    def _build(self, there: list[SegmentFile], waiting: list[int], least: int) -> None:
        parts = self._runs(self._stored_rows(waiting))
        old: list[SegmentFile] = []
        size = sum(part.postings for part in parts)
        for file in sorted(there, key=lambda file: file.postings):
            if file.postings > TIER * size:
                break
            segment = open_segment(self.store, file)
            if not segment.intact():
                (folder_of(self.store) / file.name).unlink()
                return self.build(least)
            old.append(file)
            parts.append(segment)
            size += file.postings
        return self.name(self._merged(parts), old, waiting)

    def first(self, cached: CachedContents | None, stopped: Callable[[], bool]) -> tuple[SegmentFile, list[int]] | None:
        """Write all that waits into one file, which nothing names yet, where the store has no other segment.

        None: it has one, nothing waits, or the builder was stopped."""
        waiting = delta_of(self.connection, self.scheme_id)
        if not waiting or segment_files(self.connection, self.scheme_id):
            return None
        with self._leaving_nothing():
            parts = self._runs(self._signed_rows(waiting, cached), stopped)
            return None if stopped() else (self._merged(parts), waiting)

    @contextmanager
    def _leaving_nothing(self) -> Iterator[None]:
        """Remove what is written where the work fails: a full disk needs the room."""
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                remove_unnamed(self.connection, self.store)
            raise

    def name(self, new: SegmentFile, old: list[SegmentFile], written: list[int]) -> None:
        """Name the new segment in the store in place of the old ones; the contents written wait no longer."""
        # The keys of 40,000 rows that go would be looked at one by one, for 20 ms.
        with trusted(self.connection), turn(self.store), transaction(self.connection):
            replace_segments(self.connection, self.scheme_id, new=[new], old=old, written=written)
        remove_unnamed(self.connection, self.store)

    def _sound(self) -> list[SegmentFile]:
        """Segments that can be read and leave out the right features; contents of all others wait again."""
        sound: dict[SegmentFile, _native.Segment] = {}
        stale: list[SegmentFile] = []
        for file in segment_files(self.connection, self.scheme_id):
            try:
                if file.templates != self.templates:
                    raise RuntimeError("the segment leaves out other features")
                sound[file] = open_segment(self.store, file)
            except (RuntimeError, OSError):
                stale.append(file)
        if stale:
            held = {content for segment in sound.values() for content in segment.contents.tolist()}
            with turn(self.store), transaction(self.connection):
                signed = signed_contents(self.connection, self.scheme_id)
                lost = [content for content in signed if content not in held]
                back_to_delta(self.connection, self.scheme_id, stale, lost)
        return [*sound]

    def _stored_rows(self, waiting: list[int]) -> Iterator[Signed]:
        return signed_rows(self.connection, self.scheme_id, waiting, self.run)

    def _signed_rows(self, waiting: list[int], cached: CachedContents | None) -> Iterator[Signed]:
        """Signatures from the cache. Empty texts, which have no features, are not in it; where others are not, all are
        read from the store."""
        if cached is None:
            return self._stored_rows(waiting)
        ids = np.array(waiting, np.int64)
        known = cached.has_signatures_of(ids)
        unknown = ids[~known].tolist()
        if not known.any() or len(unknown) > FEW or any(rows.offsets[-1] for rows in self._stored_rows(unknown)):
            return self._stored_rows(waiting)
        return cached.signed_rows(ids, self.run)

    def _runs(self, rows: Iterator[Signed], stopped: Callable[[], bool] = lambda: False) -> list[_native.Segment]:
        """Sorted runs: the last one in memory, those before in files that are removed when they are merged."""
        runs: list[_native.Segment] = []
        for signed in rows:
            if stopped():
                break
            if runs:
                runs[-1] = self._saved(runs[-1])
            runs.append(self.levels.segment(signed, ignored=self.ignored))
        return runs

    def _saved(self, run: _native.Segment) -> _native.Segment:
        path = os.fspath(folder_of(self.store) / f"{os.urandom(8).hex()}.run")
        run.save(path)
        return _native.Segment.open(path, bytes(16))

    def _merged(self, parts: list[_native.Segment]) -> SegmentFile:
        token = os.urandom(16)
        name = f"{token.hex()}.segment"
        path = os.fspath(folder_of(self.store) / name)
        _native.Segment.merge(parts, path, token=token)
        made = _native.Segment.open(path, token)
        return SegmentFile(name, token, self.templates, len(made), made.postings, made.size)


@contextmanager
def first_segment_ahead(
    connection: sqlite3.Connection,
    store: Path,
    scheme: Scheme,
    scheme_id: int,
    *,
    ignored: NDArray[np.uint64],
    memory: int,
    cached: CachedContents | None,
) -> Iterator[None]:
    """Make the first segment while the block runs; name it when the block has ended well, else leave nothing of it."""
    ahead: SegmentAhead | None = None
    with suppress(OSError):
        ahead = SegmentAhead(store, scheme, scheme_id, ignored=ignored, memory=memory, cached=cached)
    try:
        yield
    except BaseException:
        if ahead is not None:
            ahead.give_up(connection)
        raise
    if ahead is not None:
        with suppress(OSError, sqlite3.OperationalError):
            ahead.name(connection)


class SegmentAhead:
    """A segment that a thread makes. Where anything is in the way none is made: `build_segments` makes it then."""

    def __init__(
        self,
        store: Path,
        scheme: Scheme,
        scheme_id: int,
        *,
        ignored: NDArray[np.uint64],
        memory: int,
        cached: CachedContents | None,
    ) -> None:
        self.store = store
        self._cached = cached
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
                self._made = Builder(connection, *self._about).first(self._cached, self._stop.is_set)
        except Exception:  # a full disk or no memory, say: `build_segments` makes it, or says so
            self._made = None

    def name(self, connection: sqlite3.Connection) -> None:
        """Name the segment in the store, when the scan has ended."""
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
        """Stop, and remove what was written."""
        self._stop.set()
        self._leave()
        with suppress(OSError, sqlite3.Error), one_builder(self.store, wait=False) as mine:
            if mine:
                remove_unnamed(connection, self.store)

    def _leave(self) -> None:
        """Pass the turn on, once the thread writes no more."""
        with self._turn:
            if self._thread is not None:
                self._thread.join()
