"""Matches of texts in memory, without a store.

Texts are matched as a store's contents are: identical ones are set aside, the rest joined and verified. All is done in
columns: records of half a million pairs took longer than join and verification.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin.engine.texts import SignedTexts, Some, sign_texts
from nearkin.group.views import linked, unlisted_in
from nearkin.matching.candidates import Hot
from nearkin.matching.match_columns import MatchColumns, alike, measured
from nearkin.matching.score import Scored, find_matches
from nearkin.matching.verify import Corpus, room_for_texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    pass

Numbers = NDArray[np.int64]


UNKNOWN = -1  # bytes in common, where the measure does not give them


@dataclass(frozen=True)
class Collection:
    """Texts in memory, signed, to be matched."""

    texts: SignedTexts

    @classmethod
    def of(cls, texts: Iterable[Some], scheme: Scheme, canon: Canon, *, jobs: int) -> "Collection":
        return cls(sign_texts(texts, scheme, canon, jobs=jobs))

    @cached_property
    def lengths(self) -> Numbers:
        return self.texts.contents.lengths

    def pairs(
        self, scheme: Scheme, limits: MatchSettings, run: RunSettings, *, all_copies: bool
    ) -> tuple[MatchColumns, Numbers]:
        """The matching pairs, the strongest first; their rows count texts, and the one given first is `a`.

        Also which texts are of a family whose pairs were not all listed, as very many are alike.
        """
        scored = self._scored(scheme, limits, run)
        unlisted = self._unlisted(scored.matches, scored.hot, limits)
        similar = self._of_copies(scored.matches, all_copies=all_copies)
        if scheme.measure == "cosine":
            similar = similar.replace(shared_bytes=alike(UNKNOWN, len(similar)))
        equal = self._equal(limits.min_shared_bytes, all_copies=all_copies)
        return MatchColumns.strongest_first(_unsized(equal), _unsized(similar), threads=run.jobs), unlisted

    def _unlisted(self, matches: MatchColumns, hot: Hot, limits: MatchSettings) -> Numbers:
        if not len(hot.contents):
            return np.zeros(0, np.int64)
        home = linked(len(self.lengths), matches[matches.resemblance >= limits.threshold]).astype(np.int64)
        rows = np.flatnonzero(unlisted_in(home, len(home), matches, hot)[home] > 0)
        starts = self.texts.starts
        return np.sort(
            np.concatenate([self.texts.holders[starts[row] : starts[row + 1]] for row in rows.tolist()] or [rows])
        )

    def _equal(self, least: int, *, all_copies: bool) -> MatchColumns:
        """Pairs of texts that hold the same content."""
        counts = np.diff(self.texts.starts)
        several = np.flatnonzero((counts > 1) & (self.lengths >= least))
        count = counts[several]
        # A text is the first of a pair with each that comes after it, or only where it is the first of all.
        copy = _each(self.texts.starts[several], count)
        before = _each(np.zeros(len(several), np.int64), count)
        after = np.repeat(count, count) - 1 - before
        times = after if all_copies else np.where(before == 0, after, 0)
        first = np.repeat(copy, times)
        second = _each(copy + 1, times)
        whole = np.ones(len(first), np.uint64)
        return measured(
            self.texts.holders[first].astype(np.uint32),
            self.texts.holders[second].astype(np.uint32),
            shared=whole,
            size_a=whole,
            size_b=whole,
            shared_bytes=np.repeat(np.repeat(self.lengths[several], count), times).astype(np.uint64),
            exact=alike(True, len(first)),
        )

    def _of_copies(self, matches: MatchColumns, *, all_copies: bool) -> MatchColumns:
        """Turn matches of contents into matches of texts: of all that hold the two, or of the first of each."""
        counts = np.diff(self.texts.starts)
        if not all_copies or counts.max(initial=1) == 1:
            first = self.texts.holders[self.texts.starts[:-1]].astype(np.uint32)
            return matches.replace(a=first[matches.a], b=first[matches.b])
        of_b = counts[matches.b]
        times = counts[matches.a] * of_b
        match = np.repeat(np.arange(len(matches)), times)
        turn = _each(np.zeros(len(matches), np.int64), times)
        a = self.texts.holders[self.texts.starts[matches.a[match]] + turn // of_b[match]]
        b = self.texts.holders[self.texts.starts[matches.b[match]] + turn % of_b[match]]
        return matches[match].replace(a=a.astype(np.uint32), b=b.astype(np.uint32))

    def _scored(self, scheme: Scheme, limits: MatchSettings, run: RunSettings) -> Scored:
        contents = self.texts.contents
        corpus = Corpus(self.lengths, contents.texts, room_for_texts(run.memory, scheme.shingler), run.jobs)
        return find_matches(contents, corpus, scheme, limits)


def _unsized(matches: MatchColumns) -> MatchColumns:
    """Leave the sizes out: no table of pairs has them, so they need not be put in order."""
    nothing = alike(0, len(matches))
    return matches.replace(size_a=nothing, size_b=nothing)


def _each(first: Numbers, times: Numbers) -> Numbers:
    """Count from each first number, so many times: first[0], first[0] + 1, …, then from first[1] on."""
    begin = np.cumsum(times) - times
    counted: Numbers = np.arange(int(times.sum())) + np.repeat(first - begin, times)
    return counted
