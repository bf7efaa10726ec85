"""The feature index of a scheme: its segments, mapped, and its delta, in memory. What the store has, this finds.

It follows the store: before each search it asks SQLite whether anything was committed, which takes microseconds, and
reads only what came. Segment files that are lost or damaged are made anew, or, where this process may not write, held
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

Answer = TypeVar("Answer")

MANY = 20_000  # contents of a delta that are better written than read again by everyone
NO_BAR = 2.0
NO_WEIGHTS = np.zeros(0, np.uint32)


@dataclass(frozen=True)
class Hits:
    """Contents that may reach a bar; shared and sizes as counted at the larger modulus of query and content."""

    contents: NDArray[np.int64]
    shared: NDArray[np.uint64]
    mine: NDArray[np.uint64]
    sizes: NDArray[np.uint64]
    moduli: NDArray[np.uint64]


@dataclass
class FeatureIndex:
    """Where features of a store are found."""

    connection: sqlite3.Connection
    store: Path
    scheme: Scheme
    scheme_id: int
    ignored: NDArray[np.uint64] = field(default_factory=lambda: NONE)  # features left out, ascending
    stays: bool = False  # many questions will be asked: pages are mapped ahead of them

    def __post_init__(self) -> None:
        self._levels = Levels.of(self.scheme)
        self._templates = digest_of(self.ignored)
        self._stamp: tuple[int, int] | None = None
        self._mapped: dict[SegmentFile, _native.Segment] = {}
        self._memory: list[_native.Segment] = []  # of the delta, the larger ones first
        self._waiting: set[int] = set()
        self._damaged: set[SegmentFile] = set()
        self._bars: dict[tuple[float, ...], _native.Bars] = {}

    def bars(self, *, resemblance: float, containment: float, confidence: float, floor: float = NO_BAR) -> _native.Bars:
        """What a content must share to be found; over 1: that bar finds nothing. Kept: tables take 0.1 ms to make."""
        asked = (resemblance, containment, confidence, floor)
        if asked not in self._bars:
            self._bars[asked] = _native.Bars(
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
        return self._bars[asked]

    def search(
        self,
        features: NDArray[np.uint64],
        bars: _native.Bars,
        *,
        weights: NDArray[np.uint32] = NO_WEIGHTS,
        modulus: int | None = None,
    ) -> Hits:
        """Features ascending, each once, with the weights of weighted schemes. Without modulus they are the scheme's
        own; 1 says that they are all there are (`mod` only). Contents may be gone by now."""
        if len(self.ignored):
            kept = ~np.isin(features, self.ignored)
            features, weights = features[kept], weights[kept] if len(weights) else weights
        at = self._levels.base if modulus is None else modulus
        found = self._of_each(lambda segment: segment.search(features, weights, modulus=at, bars=bars))
        none = (np.zeros(0, np.int64), *[np.zeros(0, np.uint64)] * 4)
        return Hits(*(np.concatenate(column) for column in zip(none, *found, strict=True)))

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Offsets, and for each feature the contents that have it."""
        found = self._of_each(lambda segment: segment.lists(features))
        counts = [np.diff(offsets) for offsets, _ in found]
        rows = [np.repeat(np.arange(len(features)), count.astype(np.int64)) for count in counts]
        order = np.argsort(np.concatenate([np.zeros(0, np.int64), *rows]), kind="stable")
        total = np.sum([np.zeros(len(features), np.uint64), *counts], axis=0, dtype=np.uint64)
        contents = np.concatenate([np.zeros(0, np.int64), *(ids for _, ids in found)])
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(total, dtype=np.uint64)]), contents[order]

    def _of_each(self, ask: Callable[[_native.Segment], Answer]) -> list[Answer]:
        try:
            return [ask(segment) for segment in self._segments()]
        except RuntimeError:  # one is damaged inside: only those who read it notice
            self._leave_damaged()
            return [ask(segment) for segment in self._segments()]

    def _segments(self) -> list[_native.Segment]:
        """As the store is now."""
        self.refresh()
        return [*self._mapped.values(), *self._memory]

    def _leave_damaged(self) -> None:
        for one, segment in self._mapped.items():
            if not segment.intact():
                with suppress(OSError):
                    (folder_of(self.store) / one.name).unlink(missing_ok=True)
                self._damaged.add(one)
        self._stamp = None

    def refresh(self) -> None:
        stamp = self._now()
        if stamp == self._stamp:
            return
        if not self._follow():
            # Made anew by whoever may write; no one else is waited for, and no transaction of the caller's disturbed.
            if not self.connection.in_transaction:
                with suppress(StoreError, OSError, sqlite3.OperationalError):
                    self._build()
            stamp = self._now()
            self._follow(alone=True)
        self._stamp = stamp

    def _now(self) -> tuple[int, int]:
        """Changes when others commit, and when this connection writes."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        return version, self.connection.total_changes

    def _build(self) -> None:
        ignored = self.ignored
        build_segments(
            self.connection, self.store, self.scheme, self.scheme_id, ignored=ignored, wait=False, least=MANY
        )

    def _follow(self, *, alone: bool = False) -> bool:
        """Take up what is new. False: files are missing, or too much waits, unless it is to do with what there is."""
        begun = not self.connection.in_transaction
        if begun:
            self.connection.execute("BEGIN")  # segments and delta as of one moment
        try:
            files = segment_files(self.connection, self.scheme_id)
            mapped: dict[SegmentFile, _native.Segment] = {}
            lost = False
            for one in files:
                try:
                    if one.templates != self._templates or one in self._damaged:
                        raise RuntimeError("the segment leaves out other features, or lost some")
                    mapped[one] = self._mapped.get(one) or open_segment(self.store, one)
                except (RuntimeError, OSError):
                    lost = True
            waiting = set(delta_of(self.connection, self.scheme_id))
            if not alone and (lost or len(waiting) > MANY):
                return False
            if self.stays:
                for one in mapped.keys() - self._mapped.keys():
                    Thread(target=mapped[one].populate).start()  # no daemon: native code must not outlive Python
            self._mapped = mapped
            if lost:
                held = {content for segment in mapped.values() for content in segment.contents.tolist()}
                waiting = set(signed_contents(self.connection, self.scheme_id)) - held
            self._remember(waiting)
            return True
        finally:
            if begun:
                self.connection.execute("COMMIT")

    def _remember(self, waiting: set[int]) -> None:
        """The delta in memory; a document more is added to the smallest parts, as files are merged."""
        if not self._waiting <= waiting:
            self._memory, self._waiting = [], set()
        new = waiting - self._waiting
        while self._memory and new and len(self._memory[-1]) <= 4 * len(new):
            new |= set(self._memory.pop().contents.tolist())
        for signed in signed_rows(self.connection, self.scheme_id, sorted(new), 1 << 62):
            self._memory.append(self._levels.segment(signed, ignored=self.ignored))
        self._waiting = waiting
