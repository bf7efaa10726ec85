"""Searching the store for contents like one text: candidates by the index, then measured.

Set schemes find candidates by shared features in the feature index, as a scan does: those whose interval's upper bound
reaches a threshold. `mod` compares at the stored document's own modulus, with that sample of all the query's shingles:
a note of 500 bytes pasted into a query of 500 KB is then as easily found as it would be the other way round. `si` and
`fuzzy` ask the store's column of codes, by range (Roth 2011 §6.2) or by value (Stein 2005 §3). Documents so short that
their signature has all shingles are measured by it; the others on the kept texts; where there are none, the signatures'
estimates stand.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Levels, expected_in_common
from nearkin.matching.feature_index import NO_WEIGHTS, FeatureIndex, Hits
from nearkin.matching.score import rank
from nearkin.matching.template import LeftOut, among
from nearkin.matching.verify import Corpus, verify
from nearkin.scheme import Estimator, Scheme, Signature, sign, signed
from nearkin.scheme.mod import Exact, Mod
from nearkin.scheme.shingler import ALL_BITS
from nearkin.scheme.signature import CONFIDENCE
from nearkin.scheme.similarity_index import range_of
from nearkin.settings import MatchSettings
from nearkin.store.contents import lengths_of, texts_of
from nearkin.store.signatures import contents_with, contents_within, signature_of
from nearkin.text.canon import Canon


@dataclass(frozen=True)
class SimilarContent:
    """A stored content that is like the query, and how much."""

    content: int
    resemblance: float
    query_in_doc: float | None
    doc_in_query: float | None
    exact: bool
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class CandidateContents:
    """Contents that may reach a threshold, and those among them that the index has measured exactly."""

    ids: list[int]
    measured: dict[int, SimilarContent] = field(default_factory=dict)  # by content


@dataclass(frozen=True)
class Query:
    """A canonical text, and what to compare it with."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    canon: Canon
    text: bytes
    min_resemblance: float
    min_containment: float
    index: FeatureIndex | None  # None: the scheme has codes, which lie in a column of their own
    left_out: LeftOut  # boilerplate, which no score counts

    @property
    def numbers(self) -> list[int]:
        """The signature as the store's column of codes has it."""
        features: list[int] = sign(self.text, self.scheme).features.astype(np.int64).tolist()
        return features

    def candidates(self) -> CandidateContents:
        """Contents that may reach a threshold."""
        if self.scheme.estimator is Estimator.RANGE:
            return CandidateContents(
                [
                    content
                    for number in self.numbers
                    for content in contents_within(self.connection, self.scheme_id, *range_of(number))
                ]
            )
        if self.scheme.estimator is Estimator.COLLISION:
            return CandidateContents(contents_with(self.connection, self.scheme_id, self.numbers))
        assert self.index is not None
        features, weights = self._features
        complete = 1 if isinstance(self.scheme, Mod) else None
        hits = self.index.search(features, self._thresholds(self.index), weights=weights, modulus=complete)
        whole = isinstance(self.scheme, Mod | Exact) and self.scheme.shingler.bits == ALL_BITS
        measured = _measured_by(hits) if whole and not len(self.index.ignored) else {}
        return CandidateContents(hits.contents.tolist(), measured)

    def similar(
        self, contents: Sequence[int], measured: dict[int, SimilarContent], *, memory: int, threads: int
    ) -> list[SimilarContent]:
        """Of these contents those that reach a threshold, the most like first; some are measured already."""
        rest = [content for content in contents if content not in measured]
        similar, unread = self._measured(rest, memory=memory, threads=threads)
        similar += [measured[content] for content in contents if content in measured]
        similar += [estimate for content in unread if (estimate := self._estimated(content))]
        reached = [candidate for candidate in similar if self._reaches(candidate)]
        return sorted(reached, key=lambda hit: (-hit.resemblance, -_contained(hit), hit.content))

    @cached_property
    def _signature(self) -> Signature:
        """The signature of the query: with all shingles, where a sample at any modulus can be taken from them."""
        return sign(self.text, self.scheme.unsampled if isinstance(self.scheme, Mod) else self.scheme)

    @property
    def _features(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """The features of the query, each once; a chunk that comes twice weighs twice as much."""
        signature = self._signature
        if self.scheme.measure != "bytes":
            return signature.features, NO_WEIGHTS
        features, at = np.unique(signature.features, return_inverse=True)
        return features, np.bincount(at, signature.weights, len(features)).astype(np.uint32)

    def _thresholds(self, index: FeatureIndex) -> _native.Thresholds:
        """Thresholds as low as a scan has them: 0.5 and 0.82 in place of 0.7 and 0.9 under bsw."""
        resemblance, containment = self.min_resemblance, self.min_containment
        if not self.scheme.sampled and Levels.of(self.scheme).base > 1:
            resemblance, containment = expected_in_common(resemblance, containment, floor=MatchSettings().floor)
        return index.thresholds(resemblance=resemblance, containment=containment, confidence=CONFIDENCE)

    def _measured(
        self, contents: Sequence[int], *, memory: int, threads: int
    ) -> tuple[list[SimilarContent], list[int]]:
        """Measure contents on their texts; also say which contents have none."""
        if self.scheme.measure == "bytes" or not contents:
            return [], list(contents)

        # The query is row 0, the contents follow.
        def texts(wanted: Sequence[int]) -> list[bytes | None]:
            kept = dict(texts_of(self.connection, [contents[row - 1] for row in wanted if row]))
            made = dict(zip(kept, self.canon.apply_all(list(kept.values()), threads=threads), strict=True))
            return [made.get(contents[row - 1]) if row else self.text for row in wanted]

        rows = np.arange(1, len(contents) + 1, dtype=np.uint32)
        lengths = np.array([len(self.text), *lengths_of(self.connection, contents)], np.int64)
        corpus = Corpus(lengths, texts, memory, threads, self.left_out.shingles)
        if self.scheme.shingler is None:
            ranked = rank(rows, corpus)
            return [SimilarContent(contents[row - 1], cosine, None, None, exact=True) for row, cosine in ranked], []
        verified, possible = verify(
            np.zeros(len(rows), np.uint32),
            rows,
            corpus,
            shingler=self.scheme.shingler,
            resemblance=self.min_resemblance,
            containment=self.min_containment,
        )
        columns = (verified.b, verified.resemblance, verified.a_in_b, verified.b_in_a)
        similar = [
            SimilarContent(contents[row - 1], resemblance, query_in_doc, doc_in_query, exact=True)
            for row, resemblance, query_in_doc, doc_in_query in zip(*(c.tolist() for c in columns), strict=True)
        ]
        return similar, [contents[int(row) - 1] for row in rows[~possible]]

    def _estimated(self, content: int) -> SimilarContent | None:
        """Estimate a content by its signature alone; None where that says nothing."""
        if self.scheme.estimator.coded:
            return None  # a number in range is no measure of the texts
        signature = signature_of(self.connection, self.scheme_id, content)
        if signature is None:
            return None
        modulus, features, weights = signature
        mine = self._signature
        if isinstance(self.scheme, Mod):
            kept = mine.features[mine.features % np.uint64(modulus) == 0]
            mine = self._payload(modulus, kept, NO_WEIGHTS)
        else:
            mine = self._payload(mine.modulus, mine.features, mine.weights)
        stored = self._payload(modulus, features, weights)
        resemblance = mine.resemblance(stored)
        if resemblance is None:
            return None
        inside, outside = (mine.containment(stored), stored.containment(mine)) if self.scheme.contains else (None, None)
        return SimilarContent(
            content,
            resemblance.value,
            None if inside is None else inside.value,
            None if outside is None else outside.value,
            resemblance.exact,
            resemblance.low,
            resemblance.high,
        )

    def _payload(self, modulus: int, features: NDArray[np.uint64], weights: NDArray[np.uint32]) -> Signature:
        """A signature without boilerplate."""
        kept = ~among(features, self.left_out.indexed)
        return signed(self.scheme, modulus, features[kept], weights[kept] if len(weights) else weights)

    def _reaches(self, candidate: SimilarContent) -> bool:
        return candidate.resemblance >= self.min_resemblance or _contained(candidate) >= self.min_containment


def _measured_by(hits: Hits) -> dict[int, SimilarContent]:
    """What the index says exactly: where both lists have all the shingles, whole, they share what the texts share."""
    measured: dict[int, SimilarContent] = {}
    for row in np.flatnonzero(hits.moduli == 1).tolist():
        content, shared = int(hits.contents[row]), int(hits.shared[row])
        own, size = int(hits.own[row]), int(hits.sizes[row])
        measured[content] = SimilarContent(
            content, shared / (own + size - shared), shared / own, shared / size, exact=True
        )
    return measured


def _contained(candidate: SimilarContent) -> float:
    """The larger containment of the two."""
    return max(candidate.query_in_doc or 0.0, candidate.doc_in_query or 0.0)
