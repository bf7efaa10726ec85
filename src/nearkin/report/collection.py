"""Texts in memory, matched as a store's contents are: identical ones set aside, the rest joined and verified.

All in columns: of half a million pairs records took longer than join and verification.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkin.engine.texts import SignedTexts, Some, sign_texts
from nearkin.group.chain import linked
from nearkin.group.star import unlisted_in
from nearkin.matching.candidates import Hot, Postings
from nearkin.matching.columns import MatchColumns, measured
from nearkin.matching.score import Scored, find_matches
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.text.canon import Canon

Numbers = NDArray[np.int64]
UNKNOWN = -1  # bytes in common, where the measure does not tell them


@dataclass(frozen=True)
class Collection:
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
        """The strongest first. Their rows count texts, and the one given first is `a`. Also which texts are of a family
        whose pairs were not all listed, as very many are alike."""
        found = self._found(scheme, limits, run)
        unlisted = self._unlisted(found.matches, found.hot, limits)
        similar = self._of_copies(found.matches, all_copies=all_copies)
        if scheme.measure == "cosine":
            similar = replace(similar, shared_bytes=np.full(len(similar), UNKNOWN))
        equal = self._equal(limits.min_shared_bytes, all_copies=all_copies)
        return MatchColumns.strongest_first(equal, similar), unlisted

    def _unlisted(self, matches: MatchColumns, hot: Hot, limits: MatchSettings) -> Numbers:
        if not len(hot.contents):
            return np.zeros(0, np.int64)
        alike = matches[matches.resemblance >= limits.threshold]
        home = linked(len(self.lengths), alike).astype(np.int64)
        rows = np.flatnonzero(unlisted_in(home, len(home), matches, hot)[home] > 0)
        starts = self.texts.starts
        return np.sort(
            np.concatenate([self.texts.holders[starts[row] : starts[row + 1]] for row in rows.tolist()] or [rows])
        )

    def _equal(self, least: int, *, all_copies: bool) -> MatchColumns:
        """Pairs of texts that hold the same content."""
        a: list[Numbers] = []
        b: list[Numbers] = []
        counts = np.diff(self.texts.starts)
        several = np.flatnonzero((counts > 1) & (self.lengths >= least)).tolist()
        for row in several:
            copies = self.texts.holders[self.texts.starts[row] : self.texts.starts[row + 1]]
            others = np.arange(len(copies) - 1, 0, -1)[: len(copies) if all_copies else 1]  # that come after each
            first = np.repeat(np.arange(len(others)), others)
            a.append(copies[first])
            b.append(copies[np.arange(len(first)) - np.repeat(np.cumsum(others) - others, others) + first + 1])
        lengths = np.repeat(self.lengths[several], [len(one) for one in a]).astype(np.uint64)
        nothing = np.zeros(0, np.int64)
        return measured(
            np.concatenate([nothing, *a]).astype(np.uint32),
            np.concatenate([nothing, *b]).astype(np.uint32),
            shared=np.ones(len(lengths), np.uint64),
            size_a=np.ones(len(lengths), np.uint64),
            size_b=np.ones(len(lengths), np.uint64),
            shared_bytes=lengths,
            exact=np.ones(len(lengths), np.bool_),
        )

    def _of_copies(self, matches: MatchColumns, *, all_copies: bool) -> MatchColumns:
        """The same for texts: for all that hold the two contents, or for the first of each."""
        counts = np.diff(self.texts.starts)
        if not all_copies or counts.max(initial=1) == 1:
            first = self.texts.holders[self.texts.starts[:-1]].astype(np.uint32)
            return replace(matches, a=first[matches.a], b=first[matches.b])
        of_b = counts[matches.b]
        times = counts[matches.a] * of_b
        match = np.repeat(np.arange(len(matches)), times)
        turn = np.arange(len(match)) - np.repeat(np.cumsum(times) - times, times)  # of each match 0, 1, …
        a = self.texts.holders[self.texts.starts[matches.a[match]] + turn // of_b[match]]
        b = self.texts.holders[self.texts.starts[matches.b[match]] + turn % of_b[match]]
        return replace(matches[match], a=a.astype(np.uint32), b=b.astype(np.uint32))

    def _found(self, scheme: Scheme, limits: MatchSettings, run: RunSettings) -> Scored:
        contents = self.texts.contents
        return find_matches(
            Postings(contents.offsets, contents.features, contents.weights, contents.moduli),
            self.lengths,
            contents.texts,
            scheme,
            limits,
            memory=run.memory // 10,
            threads=run.jobs,
        )
