"""Matching all contents of a store: a `MatchInput` in, a `MatchResult` out.

Matching only what changed since a run whose matches are stored is the topic of nearkin.matching.increment.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.bounded_join import BoundedJoin, can_be_bounded, fits
from nearkin.matching.candidates import NOT_HOT, Candidates, Hot, Lists, Postings
from nearkin.matching.match_columns import MatchColumns, PayloadScores
from nearkin.matching.scan_cache import CachedContents
from nearkin.matching.score import kept, score_candidates, scored
from nearkin.matching.template import LeftOut, without_templates
from nearkin.matching.verify import Corpus, TextList, Texts, room_for_texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents
from nearkin.store.matches import columns_named, replace_matches, store_columns, update_matches
from nearkin.store.signatures import Signatures, count_postings, moduli_of, signature_batches, signatures

JOIN_SHARE = 2  # a join may take one part in so many of the memory


@dataclass(frozen=True)
class Resources:
    """What matching may use."""

    memory: int  # bytes, for a whole scan
    threads: int
    folder: Path  # of temporary files: on the file system of the store
    progress: Callable[[int, int], None]  # called in long work: how much is done, of how much

    @property
    def for_join(self) -> int:
        """Bytes for a join: texts, rows of results and what Python itself takes have the other half."""
        return self.memory // JOIN_SHARE


@dataclass(frozen=True)
class MatchInput:
    """The contents to be matched and grouped, under one scheme and its settings, and the resources for it."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    contents: Contents
    texts: Texts
    settings: MatchSettings
    left_out: LeftOut
    resources: Resources
    cached: CachedContents | None = None  # of the same contents

    @property
    def corpus(self) -> Corpus:
        room = room_for_texts(self.resources.memory, self.scheme.shingler)
        return Corpus(self.contents.lengths, self.texts, room, self.resources.threads, self.left_out.shingles)

    def without_templates(self, signed: Signatures, texts: Texts) -> Postings:
        """These signatures without what templates leave out."""
        return without_templates(signed, self.scheme, texts, self.left_out)


@dataclass(frozen=True)
class MatchResult:
    """All matches of the contents, and how they differ from those that are stored."""

    matches: MatchColumns
    fresh: NDArray[np.bool_] | None = None  # which are not stored as they are; None: all
    # Content ids of stored pairs that are no matches any more.
    dropped: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((0, 2), np.uint32))
    hot: Hot = NOT_HOT

    @property
    def carried(self) -> bool:
        """Whether it goes on from the stored matches, which were then measured in the same way."""
        return self.fresh is not None

    def with_payload(self, payload: PayloadScores) -> "MatchResult":
        """Take over payload scores, which change with the families: where they did, matches are stored again."""
        before = self.matches
        fresh = self.fresh
        if fresh is not None:
            fresh = fresh | _differ(payload.scores, before.payload) | _differ(payload.samples, before.payload_sample)
        matches = before.replace(payload=payload.scores, payload_sample=payload.samples)
        return replace(self, matches=matches, fresh=fresh)

    def store(self, connection: sqlite3.Connection, scheme: int, contents: Contents) -> None:
        """Store all matches, or what is fresh and what was dropped."""
        by_id = self.matches.by_id(contents.ids)
        if self.fresh is None:
            replace_matches(connection, scheme, vars(by_id))
        else:
            fresh = self.matches[self.fresh].by_id(contents.ids)
            update_matches(connection, scheme, fresh.rows(), map(tuple, self.dropped.tolist()))
        store_columns(connection, scheme, vars(by_id))


def _differ(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say of each score whether it changed; NaN equals NaN."""
    differ: NDArray[np.bool_] = (a != b) & ~(np.isnan(a) & np.isnan(b))
    return differ


def stored_matches(given: MatchInput) -> MatchResult:
    """The matches that are stored, as they are."""
    rows = MatchColumns.stored(columns_named(given.connection, given.scheme_id))
    ids = given.contents.ids
    matches = rows[np.isin(rows.a, ids) & np.isin(rows.b, ids)].by_row(ids)
    return MatchResult(matches, np.zeros(len(matches), np.bool_))


def match_everything(given: MatchInput) -> MatchResult:
    """Match all contents: by a join in memory, or by one in bounded memory where there are too many signatures."""
    if (postings := _in_memory(given)) is not None:
        matches = scored(postings, given.corpus, given.scheme, given.settings)
    else:
        moduli = moduli_of(given.connection, given.scheme_id, given.contents)
        candidates = _bounded_candidates(given, moduli)
        matches = score_candidates(candidates, moduli, given.corpus, given.scheme, given.settings)
    return MatchResult(kept(matches.matches, given.settings), hot=matches.hot)


def _in_memory(given: MatchInput) -> Lists | None:
    """The signatures for a join in memory; None: there are too many."""
    cached = None if given.left_out.templates or given.cached is None else given.cached.signatures
    postings = count_postings(given.connection, given.scheme_id) if cached is None else int(cached.offsets[-1])
    if can_be_bounded(given.scheme) and not fits(postings, given.resources.for_join):
        return None
    if cached is not None:
        return cached
    return given.without_templates(signatures(given.connection, given.scheme_id, given.contents), given.texts)


def _bounded_candidates(given: MatchInput, moduli: NDArray[np.uint64]) -> Candidates:
    """Join in bounded memory: signatures are read as they come."""

    def texts_of(rows: NDArray[np.int64], wanted: Sequence[int]) -> TextList:
        return given.texts(rows[list(wanted)].tolist())

    def batches() -> Iterator[tuple[NDArray[np.uint32], Postings]]:
        for rows, signed in signature_batches(given.connection, given.scheme_id, given.contents):
            yield rows.astype(np.uint32), given.without_templates(signed, partial(texts_of, rows))

    resources = given.resources
    join = BoundedJoin(
        given.scheme,
        given.settings,
        resources.folder,
        resources.for_join,
        resources.threads,
        resources.progress,
    )
    return join.candidates(batches(), moduli)
