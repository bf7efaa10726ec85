"""Matching a store's contents: carried on from the last results where these are of use, else from the beginning.

What there is to be matched and grouped, and what it is done with.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin._native import Bars
from nearkin.matching.bounded_join import BoundedJoin, can_be_bounded, fits
from nearkin.matching.candidates import NOT_HOT, Candidates, Hot, Lists, Postings
from nearkin.matching.match_columns import MatchColumns, PayloadScores
from nearkin.matching.scan_cache import Remembered
from nearkin.matching.score import kept, measured_candidates, scored
from nearkin.matching.template import LeftOut, payload
from nearkin.matching.verify import Corpus, Found, Texts, room_for_texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents, contents_at
from nearkin.store.matches import columns_named, replace_matches, store_columns, update_matches
from nearkin.store.signatures import (
    Signatures,
    count_postings,
    moduli_of,
    signature_batches,
    signatures,
    signatures_of,
)

if TYPE_CHECKING:
    from nearkin.matching.feature_index import FeatureIndex

JOIN_SHARE = 2  # a join may take one part in so many of the memory


@dataclass(frozen=True)
class Means:
    memory: int  # bytes, for a whole scan
    threads: int
    folder: Path  # of temporary files: on the file system of the store
    progress: Callable[[int, int], None]  # told of long work: how much is done, of how much

    @property
    def for_join(self) -> int:
        """Texts, rows of results and what Python itself takes have the other half."""
        return self.memory // JOIN_SHARE


@dataclass(frozen=True)
class Collected:
    """What is matched, and by which means."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    contents: Contents
    texts: Texts
    settings: MatchSettings
    left_out: LeftOut
    means: Means
    remembered: Remembered | None = None  # of the same contents

    @property
    def corpus(self) -> Corpus:
        room = room_for_texts(self.means.memory, self.scheme.shingler)
        return Corpus(self.contents.lengths, self.texts, room, self.means.threads, self.left_out.shingles)


def _differ(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (one != other) & ~(np.isnan(one) & np.isnan(other))
    return found


@dataclass(frozen=True)
class Outcome:
    """What matching has found, beside what is stored."""

    matches: MatchColumns
    fresh: NDArray[np.bool_] | None = None  # which are not stored as they are; None: all
    # Content ids of stored pairs that are no matches any more.
    dropped: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((0, 2), np.uint32))
    hot: Hot = NOT_HOT

    @property
    def carried(self) -> bool:
        """Whether it goes on from what is stored, which was then measured in the same way."""
        return self.fresh is not None

    def with_payload(self, payload: PayloadScores) -> "Outcome":
        """Scores of payloads change with the families: where they did, matches are stored again."""
        before = self.matches
        fresh = self.fresh
        if fresh is not None:
            fresh = fresh | _differ(payload.scores, before.payload) | _differ(payload.samples, before.payload_sample)
        matches = before.replace(payload=payload.scores, payload_sample=payload.samples)
        return replace(self, matches=matches, fresh=fresh)

    def store(self, connection: sqlite3.Connection, scheme: int, contents: Contents) -> None:
        named = self.matches.by_id(contents.ids)
        if self.fresh is None:
            replace_matches(connection, scheme, vars(named))
        else:
            fresh = self.matches[self.fresh].by_id(contents.ids)
            update_matches(connection, scheme, fresh.rows(), map(tuple, self.dropped.tolist()))
        store_columns(connection, scheme, vars(named))


@dataclass(frozen=True)
class Matcher:
    """Matches all contents, or those that are new."""

    given: Collected

    def stored(self) -> Outcome:
        """What is stored, as it is."""
        rows = MatchColumns.stored(columns_named(self.given.connection, self.given.scheme_id))
        ids = self.given.contents.ids
        matches = rows[np.isin(rows.a, ids) & np.isin(rows.b, ids)].by_row(ids)
        return Outcome(matches, np.zeros(len(matches), np.bool_))

    def everything(self) -> Outcome:
        given = self.given
        if (postings := self._in_memory()) is not None:
            found = scored(postings, given.corpus, given.scheme, given.settings)
        else:
            moduli = moduli_of(given.connection, given.scheme_id, given.contents)
            found = measured_candidates(self._candidates(moduli), moduli, given.corpus, given.scheme, given.settings)
        return Outcome(kept(found.matches, given.settings), hot=found.hot)

    def _in_memory(self) -> Lists | None:
        """None: there are too many for a join in memory."""
        given = self.given
        read = None if given.left_out.templates or given.remembered is None else given.remembered.signatures()
        postings = count_postings(given.connection, given.scheme_id) if read is None else int(read.offsets[-1])
        if can_be_bounded(given.scheme) and not fits(postings, given.means.for_join):
            return None
        if read is not None:
            return read
        return self._payload(signatures(given.connection, given.scheme_id, given.contents), given.texts)

    def _candidates(self, moduli: NDArray[np.uint64]) -> Candidates:
        """In bounded memory: signatures are read as they come."""
        given, means = self.given, self.given.means

        def batches() -> Iterator[tuple[NDArray[np.uint32], Postings]]:
            for rows, signed in signature_batches(given.connection, given.scheme_id, given.contents):
                yield rows.astype(np.uint32), self._payload(signed, partial(self._texts_of, rows))

        join = BoundedJoin(
            given.scheme, given.settings, means.folder, means.for_join, means.threads, means.progress
        )  # fmt: skip
        return join.candidates(batches(), moduli)

    def _texts_of(self, rows: NDArray[np.int64], wanted: Sequence[int]) -> Found:
        return self.given.texts(rows[list(wanted)].tolist())

    def _payload(self, signed: Signatures, texts: Texts) -> Postings:
        """Without what templates leave out."""
        return payload(signed, self.given.scheme, texts, self.given.left_out)

    def since(self, run: int | None, store: Path) -> Outcome:
        """What a run of the same settings found, brought up to date; None: there is none."""
        given = self.given
        sampled_again = given.left_out.templates and given.scheme.limit  # templates are not just left out of these
        if run is None or sampled_again:
            return self.everything()
        from nearkin.matching.increment import Before, Increment, can_be_incremental  # a first scan needs none of it

        if not can_be_incremental(given.scheme, given.settings):
            return self.everything()
        stored = MatchColumns.stored(columns_named(given.connection, given.scheme_id))
        # What was added while it ran, and is gone by now, is in its matches only.
        there = np.union1d(contents_at(given.connection, run), np.concatenate([stored.a, stored.b]).astype(np.int64))
        increment = Increment(
            given.contents.ids,
            given.corpus,
            self._signed,
            self._index(store),
            given.scheme,
            given.settings,
        )
        found = increment.rematch(Before(there, stored))
        return self.everything() if found is None else Outcome(found.matches, found.fresh, found.dropped)

    def _signed(self, ids: NDArray[np.int64]) -> Postings | None:
        signed = signatures_of(self.given.connection, self.given.scheme_id, ids)
        return None if signed is None else self._payload(signed, self.given.texts)

    def _index(self, store: Path) -> "Neighbours":
        from nearkin.matching.feature_index import FeatureIndex

        given, limits = self.given, self.given.settings
        index = FeatureIndex(given.connection, store, given.scheme, given.scheme_id, given.left_out.indexed)
        bars = index.bars(
            resemblance=limits.threshold,
            containment=limits.containment,
            confidence=limits.confidence,
            floor=limits.floor,
        )
        return Neighbours(index, bars)


@dataclass(frozen=True)
class Neighbours:
    """The store's index of features, asked as incremental matching asks it."""

    index: "FeatureIndex"
    bars: Bars

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        return self.index.lists(features)

    def like(self, signed: Postings, row: int) -> NDArray[np.int64]:
        features = signed.features[int(signed.offsets[row]) : int(signed.offsets[row + 1])]
        return self.index.search(features, self.bars, modulus=int(signed.moduli[row])).contents
