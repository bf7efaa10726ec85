"""Incremental matching: the matches of a collection that changed a little, from those it had before.

The result is, row by row, that of matching everything. A pair's scores depend on the pair alone. Whether it is kept
also depends on the others, and contents for which that changed are joined again beside the new ones:

- Weak pairs, and stubs inside others, need a feature in common that few contents have. A feature may become common, or
  rare again: every content that has it is touched.
- Contents with a hot feature are linked as stars, which are made as a whole: where these may change, everything is
  matched.
- Of weak pairs each content keeps its strongest. What a new pair pushes out is known; what moves up where one went is
  not: contents whose list was full and lost a pair are touched.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nearkin._native import Thresholds
from nearkin.matching.candidates import Part, Postings, distinct
from nearkin.matching.feature_index import FeatureIndex
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.matcher import MatchInput, MatchResult, match_everything
from nearkin.matching.score import kept, scored
from nearkin.matching.verify import Corpus
from nearkin.scheme import Estimator, Scheme
from nearkin.scheme.mod import Exact
from nearkin.settings import MatchSettings
from nearkin.store.contents import contents_at
from nearkin.store.matches import columns_named
from nearkin.store.signatures import signatures_of

Ids = NDArray[np.int64]  # content ids, ascending

# With more new, changed and gone contents than this share of all, matching everything is no slower.
FEW = 0.1


def can_be_incremental(scheme: Scheme, settings: MatchSettings) -> bool:
    """Chunks occur several times, `bsw` judges all signatures together, `fuzzy` and `si` are not joined by features."""
    simple = scheme.estimator in (Estimator.OVERLAP, Estimator.SMALLEST, Estimator.SLOTS) and scheme.measure != "bytes"
    return simple and (scheme.sampled or isinstance(scheme, Exact)) and settings.min_shared_bytes == 0


def match_changes(given: MatchInput, *, since: int, store: Path) -> MatchResult:
    """Bring the matches that this run left in the store up to date; where that cannot be, match everything."""
    sampled_again = given.left_out.templates and given.scheme.limit  # templates are not just left out of these
    if sampled_again or not can_be_incremental(given.scheme, given.settings):
        return match_everything(given)

    def signed(ids: Ids) -> Postings | None:
        signatures = signatures_of(given.connection, given.scheme_id, ids)
        return None if signatures is None else given.payload(signatures, given.texts)

    stored = MatchColumns.stored(columns_named(given.connection, given.scheme_id))
    # Contents that were added while that run went on, and are gone by now, are in its matches only.
    ids = np.concatenate([stored.a, stored.b]).astype(np.int64)
    before = PreviousMatches(np.union1d(contents_at(given.connection, since), ids), stored)
    index = Neighbours.of(given, store)
    increment = Increment(given.contents.ids, given.corpus, signed, index, given.scheme, given.settings)
    return increment.rematch(before) or match_everything(given)


class Holders(Protocol):
    """The contents that have a feature; also such as are gone by now."""

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Ids]:
        """The holders of each, end to end: those of feature i from offsets[i] to offsets[i + 1]."""

    def like(self, signed: Postings, row: int) -> Ids:
        """All contents that may be candidates with this one, and perhaps others."""


@dataclass(frozen=True)
class Neighbours:
    """The store's feature index, asked for the holders of features and for contents like another."""

    index: FeatureIndex
    thresholds: Thresholds

    @classmethod
    def of(cls, given: MatchInput, store: Path) -> "Neighbours":
        limits = given.settings
        index = FeatureIndex(given.connection, store, given.scheme, given.scheme_id, given.left_out.indexed)
        thresholds = index.thresholds(
            resemblance=limits.threshold,
            containment=limits.containment,
            confidence=limits.confidence,
            floor=limits.floor,
        )
        return cls(index, thresholds)

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Ids]:
        return self.index.lists(features)

    def like(self, signed: Postings, row: int) -> Ids:
        features = signed.features[int(signed.offsets[row]) : int(signed.offsets[row + 1])]
        return self.index.search(features, self.thresholds, modulus=int(signed.moduli[row])).contents


@dataclass(frozen=True)
class PreviousMatches:
    """The contents that were there when they were last matched, and their matches."""

    contents: Ids
    matches: MatchColumns  # a and b are content ids


@dataclass(frozen=True)
class Increment:
    """Matches contents of which some are new."""

    ids: Ids  # of all contents there are now, by row
    corpus: Corpus
    signed: Callable[[Ids], Postings | None]  # None: not all of them have a signature
    holders: Holders
    scheme: Scheme
    settings: MatchSettings

    def rematch(self, before: PreviousMatches) -> MatchResult | None:
        """Join what changed with the rest; None: too much has changed, everything must be matched."""
        now = np.sort(self.ids)
        added, removed = np.setdiff1d(now, before.contents), np.setdiff1d(before.contents, now)
        touched = self._touched(before, now, added, removed)
        if touched is None:
            return None
        fresh = self._joined(touched, now)
        return self._merged(before.matches, fresh, touched, now)

    def _touched(self, before: PreviousMatches, now: Ids, added: Ids, removed: Ids) -> Ids | None:
        """Contents whose pairs must be made again; None: too many, or perhaps hot."""
        few = FEW * len(now)
        if len(added) + len(removed) > few:
            return None
        changed = self.signed(np.union1d(added, removed))
        if changed is None:
            return None
        features = distinct(changed.features)
        crossed = self._crossed(features, before.contents, now)
        left = self._short_of_one(before.matches, np.union1d(removed, crossed))
        touched = np.intersect1d(now, np.concatenate([added, crossed, left]))
        if len(touched) > few or self._may_be_hot(changed, before.contents, now):
            return None
        return touched

    def _may_be_hot(self, changed: Postings, old: Ids, now: Ids) -> bool:
        """Whether a content that came or went may have a hot feature in its prefix: stars are made as a whole.

        A prefix is never more than three quarters of a list, rarest features first.
        """
        hot = self.settings.hot_among(len(now))
        features, at = np.unique(changed.features, return_inverse=True)
        offsets, holders = self.holders.lists(features)
        often = np.maximum(self._counts(offsets, holders, old), self._counts(offsets, holders, now))[at]
        if not (often > hot).any():
            return False
        ends = changed.offsets.astype(np.int64)
        lists = (np.sort(often[ends[row] : ends[row + 1]]) for row in range(len(changed.moduli)))
        return any(len(counts) and counts[min(len(counts) - 1, 3 * len(counts) // 4 + 1)] > hot for counts in lists)

    def _crossed(self, features: NDArray[np.uint64], old: Ids, now: Ids) -> Ids:
        """Contents with a feature that was rare and is not, or is and was not."""
        offsets, holders = self.holders.lists(features)
        was_rare, is_rare = (self._is_rare(offsets, holders, there) for there in (old, now))
        sizes = (offsets[1:] - offsets[:-1]).astype(np.int64)
        return distinct(holders[np.repeat(was_rare != is_rare, sizes)])

    def _is_rare(self, offsets: NDArray[np.uint64], holders: Ids, there: Ids) -> NDArray[np.bool_]:
        """Say of each feature whether few of its holders are there."""
        rare: NDArray[np.bool_] = self._counts(offsets, holders, there) <= self.settings.weak_reach
        return rare

    @staticmethod
    def _counts(offsets: NDArray[np.uint64], holders: Ids, there: Ids) -> NDArray[np.int64]:
        """How many holders of each feature are there."""
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.isin(holders, there))])
        counts: NDArray[np.int64] = running[offsets[1:]] - running[offsets[:-1]]
        return counts

    def _short_of_one(self, matches: MatchColumns, lost: Ids) -> Ids:
        """Contents whose list of weak matches was full, and may have lost one."""
        weak = matches[~matches.strong(self.settings.threshold, self.settings.containment)]
        contents, counts = np.unique(np.concatenate([weak.a, weak.b]), return_counts=True)
        full = contents[counts >= self.settings.weak_matches]
        ends = [weak.a[np.isin(weak.b, lost)], weak.b[np.isin(weak.a, lost)]]
        return np.intersect1d(full, np.concatenate(ends)).astype(np.int64)

    def _joined(self, touched: Ids, now: Ids) -> MatchColumns:
        """All pairs with a touched content, scored. Rows are those of the whole."""
        signed = self.signed(touched)
        if signed is None or not len(touched):
            return MatchColumns.none()
        features = distinct(signed.features)
        common = features[~self._is_rare(*self.holders.lists(features), now)]
        near = [self.holders.like(signed, row) for row in range(len(touched))]
        chosen = np.intersect1d(now, np.concatenate([touched, *near]))
        order = np.argsort(self.ids, kind="stable")
        rows = np.sort(order[np.searchsorted(self.ids[order], chosen)])  # by digest, as in the whole
        part = self.signed(self.ids[rows])
        assert part is not None, "what is there is signed"
        corpus = replace(
            self.corpus,
            lengths=self.corpus.lengths[rows],
            texts=lambda wanted: self.corpus.texts(rows[list(wanted)].tolist()),
        )
        new = Part(np.isin(self.ids[rows], touched).astype(np.uint8), common)
        matches = scored(part, corpus, self.scheme, self.settings, part=new).matches
        return matches.replace(a=rows[matches.a].astype(np.uint32), b=rows[matches.b].astype(np.uint32))

    def _merged(self, stored: MatchColumns, fresh: MatchColumns, touched: Ids, now: Ids) -> MatchResult:
        """The stored matches without those of touched and gone contents, and the fresh ones."""
        stays = np.isin(stored.a, now) & np.isin(stored.b, now)
        stays &= ~np.isin(stored.a, touched) & ~np.isin(stored.b, touched)
        matches = kept(MatchColumns.join(stored[stays].by_row(self.ids), fresh), self.settings)
        is_touched = np.isin(self.ids, touched)
        keys = _pairs(self.ids[matches.a], self.ids[matches.b])
        gone = ~np.isin(_pairs(stored.a, stored.b), keys)
        dropped = np.stack([stored.a[gone], stored.b[gone]], axis=1)
        return MatchResult(matches, is_touched[matches.a] | is_touched[matches.b], dropped)


def _pairs(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.uint64]:
    """One number for each pair of content ids, in whichever order the two come."""
    pairs: NDArray[np.uint64] = np.minimum(a, b).astype(np.uint64) << np.uint64(32) | np.maximum(a, b).astype(np.uint64)
    return pairs
