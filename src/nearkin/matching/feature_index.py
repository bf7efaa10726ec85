"""The feature index of a scheme: its segments, mapped, and its delta, in memory.

It follows the store: before each search it asks SQLite whether anything was committed, which takes microseconds, and
reads only what is new. Segment files that are lost or damaged are made anew, or, where this process may not write, held
in memory.
"""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import StoreError
from nearkin.matching.candidates import Levels
from nearkin.matching.segment_builder import NONE, build_segments, open_segment
from nearkin.scheme import Scheme
from nearkin.store.segments import (
    SegmentFile,
    delta_of,
    digest_of,
    folder_of,
    segment_files,
    signed_contents,
    signed_rows,
)

Result = TypeVar("Result")

MANY = 20_000  # contents of a delta that are better written than read again by everyone
NO_BAR = 2.0
NO_WEIGHTS = np.zeros(0, np.uint32)


@dataclass(frozen=True)
class Hits:
    """Contents that may reach a threshold, one a row; counted at the larger modulus of query and content."""

    contents: NDArray[np.int64]
    shared: NDArray[np.uint64]  # features that both have
    own: NDArray[np.uint64]  # features of the query
    sizes: NDArray[np.uint64]  # features of the content
    moduli: NDArray[np.uint64]


@dataclass
class FeatureIndex:
    """Finds the contents of a store that have some features."""

    connection: sqlite3.Connection
    store: Path
    scheme: Scheme
    scheme_id: int
    ignored: NDArray[np.uint64] = field(default_factory=lambda: NONE)  # features left out, ascending
    stays: bool = False  # for many searches: pages are mapped ahead of them

    def __post_init__(self) -> None:
        self._levels = Levels.of(self.scheme)
        self._templates = digest_of(self.ignored)
        self._stamp: tuple[int, int] | None = None
        self._mapped: dict[SegmentFile, _native.Segment] = {}
        self._memory: list[_native.Segment] = []  # of the delta, the larger ones first
        self._waiting: set[int] = set()
        self._damaged: set[SegmentFile] = set()
        self._thresholds: dict[tuple[float, ...], _native.Thresholds] = {}

    def thresholds(
        self, *, resemblance: float, containment: float, confidence: float, floor: float = NO_BAR
    ) -> _native.Thresholds:
        """What a content must share to be found; a threshold over 1 finds nothing. Kept: tables take 0.1 ms to make."""
        key = (resemblance, containment, confidence, floor)
        if key not in self._thresholds:
            self._thresholds[key] = _native.Thresholds(
                estimator=self.scheme.estimator.value,
                # Without a theory of how far they stray, bsw's are allowed the luck of a sample, as in a scan.
                sampled=self.scheme.sampled or self._levels.base > 1,
                limit=self.scheme.limit,
                contains=self.scheme.contains,
                resemblance=resemblance,
                containment=containment,
                floor=floor,
                confidence=confidence,
            )
        return self._thresholds[key]

    def search(
        self,
        features: NDArray[np.uint64],
        thresholds: _native.Thresholds,
        *,
        weights: NDArray[np.uint32] = NO_WEIGHTS,
        modulus: int | None = None,
    ) -> Hits:
        """Contents that may be like a text with these features: ascending, each once, with the weights of weighted
        schemes. Without modulus they are the scheme's own; 1 says that they are all there are (`mod` only). Contents
        may be gone by now."""
        if len(self.ignored):
            kept = ~np.isin(features, self.ignored)
            features, weights = features[kept], weights[kept] if len(weights) else weights
        at = self._levels.base if modulus is None else modulus
        hits = self._of_each(lambda segment: segment.search(features, weights, modulus=at, thresholds=thresholds))
        none = (np.zeros(0, np.int64), *[np.zeros(0, np.uint64)] * 4)
        return Hits(*(np.concatenate(column) for column in zip(none, *hits, strict=True)))

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Offsets, and for each feature the contents that have it."""
        lists = self._of_each(lambda segment: segment.lists(features))
        counts = [np.diff(offsets) for offsets, _ in lists]
        rows = [np.repeat(np.arange(len(features)), count.astype(np.int64)) for count in counts]
        order = np.argsort(np.concatenate([np.zeros(0, np.int64), *rows]), kind="stable")
        total = np.sum([np.zeros(len(features), np.uint64), *counts], axis=0, dtype=np.uint64)
        contents = np.concatenate([np.zeros(0, np.int64), *(ids for _, ids in lists)])
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(total, dtype=np.uint64)]), contents[order]

    def _of_each(self, ask: Callable[[_native.Segment], Result]) -> list[Result]:
        """Ask every segment; where one is damaged, ask again without it."""
        try:
            return [ask(segment) for segment in self._segments()]
        except RuntimeError:  # one is damaged inside, which only reading it shows
            self._leave_damaged()
            return [ask(segment) for segment in self._segments()]

    def _segments(self) -> list[_native.Segment]:
        """The segments as the store is now."""
        self.refresh()
        return [*self._mapped.values(), *self._memory]

    def _leave_damaged(self) -> None:
        """Remove the files of damaged segments."""
        for file, segment in self._mapped.items():
            if not segment.intact():
                with suppress(OSError):
                    (folder_of(self.store) / file.name).unlink(missing_ok=True)
                self._damaged.add(file)
        self._stamp = None

    def refresh(self) -> None:
        """Follow the store, where anything was committed since the last time."""
        stamp = self._now()
        if stamp == self._stamp:
            return
        if not self._follow():
            # Made anew where this process may write; it waits for no one else and disturbs no open transaction.
            if not self.connection.in_transaction:
                with suppress(StoreError, OSError, sqlite3.OperationalError):
                    self._build()
            stamp = self._now()
            self._follow(alone=True)
        self._stamp = stamp

    def _now(self) -> tuple[int, int]:
        """A stamp that changes when others commit, and when this connection writes."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        return version, self.connection.total_changes

    def _build(self) -> None:
        ignored = self.ignored
        build_segments(
            self.connection, self.store, self.scheme, self.scheme_id, ignored=ignored, wait=False, least=MANY
        )

    def _follow(self, *, alone: bool = False) -> bool:
        """Take up what is new. False: files are missing, or too much waits; `alone`: it must do with what there is."""
        begun = not self.connection.in_transaction
        if begun:
            self.connection.execute("BEGIN")  # segments and delta as of one moment
        try:
            files = segment_files(self.connection, self.scheme_id)
            mapped: dict[SegmentFile, _native.Segment] = {}
            lost = False
            for file in files:
                try:
                    if file.templates != self._templates or file in self._damaged:
                        raise RuntimeError("the segment leaves out other features, or lost some")
                    mapped[file] = self._mapped.get(file) or open_segment(self.store, file)
                except (RuntimeError, OSError):
                    lost = True
            waiting = set(delta_of(self.connection, self.scheme_id))
            if not alone and (lost or len(waiting) > MANY):
                return False
            if self.stays:
                for file in mapped.keys() - self._mapped.keys():
                    Thread(target=mapped[file].populate).start()  # no daemon: native code must not outlive Python
            self._mapped = mapped
            if lost:
                held = {content for segment in mapped.values() for content in segment.contents.tolist()}
                waiting = set(signed_contents(self.connection, self.scheme_id)) - held
            self._load_delta(waiting)
            return True
        finally:
            if begun:
                self.connection.execute("COMMIT")

    def _load_delta(self, waiting: set[int]) -> None:
        """Bring the delta into memory; new contents are added to the smallest parts, as files are merged."""
        if not self._waiting <= waiting:
            self._memory, self._waiting = [], set()
        new = waiting - self._waiting
        while self._memory and new and len(self._memory[-1]) <= 4 * len(new):
            new |= set(self._memory.pop().contents.tolist())
        for signed in signed_rows(self.connection, self.scheme_id, sorted(new), 1 << 62):
            self._memory.append(self._levels.segment(signed, ignored=self.ignored))
        self._waiting = waiting
