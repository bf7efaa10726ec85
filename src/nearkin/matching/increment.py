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
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.candidates import Part, Postings, distinct
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.score import kept, scored
from nearkin.matching.verify import Corpus
from nearkin.scheme import Estimator, Scheme
from nearkin.scheme.mod import Exact
from nearkin.settings import MatchSettings

Ids = NDArray[np.int64]  # content ids, ascending

# With more new, changed and gone contents than this share of all, matching everything is no slower.
FEW = 0.1


class Holders(Protocol):
    """Which contents have a feature; also such as are gone by now."""

    def lists(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Ids]:
        """The holders of each, end to end: those of feature i from offsets[i] to offsets[i + 1]."""

    def like(self, signed: Postings, row: int) -> Ids:
        """All contents that may be candidates with this one, and perhaps others."""


@dataclass(frozen=True)
class Before:
    """What was there when it was last matched, and what came out."""

    contents: Ids
    matches: MatchColumns  # a and b are content ids


@dataclass(frozen=True)
class Rematched:
    matches: MatchColumns  # rows
    fresh: NDArray[np.bool_]  # which of them were made now
    dropped: NDArray[np.uint32]  # content ids of pairs that were matches


def can_be_incremental(scheme: Scheme, settings: MatchSettings) -> bool:
    """Chunks occur several times, `bsw` judges all signatures together, `fuzzy` and `si` are not joined by features."""
    simple = scheme.estimator in (Estimator.OVERLAP, Estimator.SMALLEST, Estimator.SLOTS) and scheme.measure != "bytes"
    return simple and (scheme.sampled or isinstance(scheme, Exact)) and settings.min_shared_bytes == 0


@dataclass(frozen=True)
class Increment:
    """Contents of which some are new."""

    ids: Ids  # of all contents there are now, by row
    corpus: Corpus
    signed: Callable[[Ids], Postings | None]  # None: not all of them have a signature
    holders: Holders
    scheme: Scheme
    settings: MatchSettings

    def rematch(self, before: Before) -> Rematched | None:
        """None: too much has changed, match everything."""
        now = np.sort(self.ids)
        added, removed = np.setdiff1d(now, before.contents), np.setdiff1d(before.contents, now)
        touched = self._touched(before, now, added, removed)
        if touched is None:
            return None
        fresh = self._joined(touched, now)
        return self._merged(before.matches, fresh, touched, now)

    def _touched(self, before: Before, now: Ids, added: Ids, removed: Ids) -> Ids | None:
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
        return any(len(one) and one[min(len(one) - 1, 3 * len(one) // 4 + 1)] > hot for one in lists)

    def _crossed(self, features: NDArray[np.uint64], old: Ids, now: Ids) -> Ids:
        """Contents with a feature that was rare and is not, or is and was not."""
        offsets, holders = self.holders.lists(features)
        was_rare, is_rare = (self._is_rare(offsets, holders, there) for there in (old, now))
        sizes = (offsets[1:] - offsets[:-1]).astype(np.int64)
        return distinct(holders[np.repeat(was_rare != is_rare, sizes)])

    def _is_rare(self, offsets: NDArray[np.uint64], holders: Ids, there: Ids) -> NDArray[np.bool_]:
        """Of each feature's holders, whether few are there."""
        rare: NDArray[np.bool_] = self._counts(offsets, holders, there) <= self.settings.weak_reach
        return rare

    @staticmethod
    def _counts(offsets: NDArray[np.uint64], holders: Ids, there: Ids) -> NDArray[np.int64]:
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.isin(holders, there))])
        counts: NDArray[np.int64] = running[offsets[1:]] - running[offsets[:-1]]
        return counts

    def _short_of_one(self, matches: MatchColumns, lost: Ids) -> Ids:
        """Contents whose list of weak matches was full, and may have lost one."""
        weak = matches[~matches.strong(self.settings.threshold, self.settings.containment)]
        found, counts = np.unique(np.concatenate([weak.a, weak.b]), return_counts=True)
        full = found[counts >= self.settings.weak_matches]
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
        found = scored(part, corpus, self.scheme, self.settings, part=new).matches
        return found.replace(a=rows[found.a].astype(np.uint32), b=rows[found.b].astype(np.uint32))

    def _merged(self, stored: MatchColumns, fresh: MatchColumns, touched: Ids, now: Ids) -> Rematched:
        stays = np.isin(stored.a, now) & np.isin(stored.b, now)
        stays &= ~np.isin(stored.a, touched) & ~np.isin(stored.b, touched)
        matches = kept(MatchColumns.join(stored[stays].by_row(self.ids), fresh), self.settings)
        is_touched = np.isin(self.ids, touched)
        keys = _pairs(self.ids[matches.a], self.ids[matches.b])
        gone = ~np.isin(_pairs(stored.a, stored.b), keys)
        dropped = np.stack([stored.a[gone], stored.b[gone]], axis=1)
        return Rematched(matches, is_touched[matches.a] | is_touched[matches.b], dropped)


def _pairs(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.uint64]:
    """One number a pair of content ids, whichever comes first."""
    pairs: NDArray[np.uint64] = np.minimum(a, b).astype(np.uint64) << np.uint64(32) | np.maximum(a, b).astype(np.uint64)
    return pairs
