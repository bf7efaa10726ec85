"""Texts in memory, matched as a store's contents are: identical ones set aside, the rest joined and verified.

All in columns: of half a million pairs records took longer than join and verification.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.engine.local import largest_document, recipe
from nearkin.engine.texts import sign_texts
from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns, measured
from nearkin.matching.score import find_matches
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.text.canon import Canon

Numbers = NDArray[np.int64]
UNKNOWN = -1  # bytes in common, where the measure does not tell them


@dataclass(frozen=True)
class Collection:
    """Texts in memory: their names, and for every distinct canonical text which of them hold it."""

    names: list[Any]
    contents: list[bytes]  # canonical texts, in the order of their digests, as in a store
    signed: Postings
    holders: Numbers  # numbers of texts, content by content
    starts: Numbers  # where those of each content begin, and where the last end

    @classmethod
    def of(cls, named: Iterable[tuple[Any, bytes]], scheme: Scheme, canon: Canon, *, jobs: int) -> "Collection":
        """Taken as they come, some at a time: of a text no more is held than its canonical form, and that once."""
        names: list[Any] = []
        content_of: list[int] = []  # by text; -1: there is nothing in it
        numbers: dict[bytes, int] = {}  # of contents, by digest
        texts: list[bytes] = []
        signed: list[tuple[int, bytes, bytes]] = []
        for some, batch in sign_texts(named, recipe(scheme, canon, max_size=largest_document()), jobs=jobs):
            names += some
            weights = batch.weights if scheme.measure == "bytes" else None  # all others weigh alike, by their modulus
            rows = zip(batch.contents, batch.take_canonical(), batch.moduli, batch.features, strict=True)
            for at, (digest, text, modulus, features) in enumerate(rows):
                if digest is None or not text:
                    content_of.append(-1)
                    continue
                if (number := numbers.setdefault(digest, len(texts))) == len(texts):
                    texts.append(text)
                    signed.append((modulus, features, weights[at] if weights else b""))
                content_of.append(number)
        order = [numbers[digest] for digest in sorted(numbers)]
        place = np.full(len(texts) + 1, -1, np.int64)  # the last one is that of nothing
        place[order] = np.arange(len(texts))
        held = place[np.array(content_of, np.int64)]
        holders = np.argsort(held, kind="stable")[np.count_nonzero(held < 0) :]
        counts = np.bincount(held[holders], minlength=len(texts))
        postings = _end_to_end([signed[number] for number in order])
        return cls(names, [texts[number] for number in order], postings, holders, np.cumsum([0, *counts]))

    def pairs(self, scheme: Scheme, limits: MatchSettings, run: RunSettings, *, all_copies: bool) -> MatchColumns:
        """The strongest first. Their rows count texts, and the one given first is `a`."""
        similar = self._of_copies(self._matches(scheme, limits, run), all_copies=all_copies)
        if scheme.measure == "cosine":
            similar = replace(similar, shared_bytes=np.full(len(similar), UNKNOWN))
        alike = MatchColumns.join(self._equal(limits.min_shared_bytes, all_copies=all_copies), similar)
        contained = np.fmax(np.fmax(alike.a_in_b, alike.b_in_a), 0.0)
        return alike[np.lexsort((alike.b, alike.a, -contained, -alike.resemblance))]

    def _equal(self, least: int, *, all_copies: bool) -> MatchColumns:
        """Pairs of texts that hold the same content."""
        a: list[Numbers] = []
        b: list[Numbers] = []
        counts = np.diff(self.starts)
        several = [row for row in np.flatnonzero(counts > 1).tolist() if len(self.contents[row]) >= least]
        for row in several:
            copies = self.holders[self.starts[row] : self.starts[row + 1]]
            others = np.arange(len(copies) - 1, 0, -1)[: len(copies) if all_copies else 1]  # that come after each
            first = np.repeat(np.arange(len(others)), others)
            a.append(copies[first])
            b.append(copies[np.arange(len(first)) - np.repeat(np.cumsum(others) - others, others) + first + 1])
        lengths = np.repeat([len(self.contents[row]) for row in several], [len(one) for one in a]).astype(np.uint64)
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
        counts = np.diff(self.starts) if all_copies else np.ones(len(self.contents), np.int64)
        of_b = counts[matches.b]
        times = counts[matches.a] * of_b
        match = np.repeat(np.arange(len(matches)), times)
        turn = np.arange(len(match)) - np.repeat(np.cumsum(times) - times, times)  # of each match 0, 1, …
        a = self.holders[self.starts[matches.a[match]] + turn // of_b[match]]
        b = self.holders[self.starts[matches.b[match]] + turn % of_b[match]]
        return replace(matches[match], a=a.astype(np.uint32), b=b.astype(np.uint32))

    def _matches(self, scheme: Scheme, limits: MatchSettings, run: RunSettings) -> MatchColumns:
        return find_matches(
            self.signed,
            np.array([len(content) for content in self.contents], np.int64),
            lambda rows: [self.contents[row] for row in rows],
            scheme,
            limits,
            memory=run.memory // 10,
            threads=run.jobs,
        )


def _end_to_end(signed: list[tuple[int, bytes, bytes]]) -> Postings:
    return Postings(
        offsets=np.cumsum([0, *(len(features) // 8 for _, features, _ in signed)]).astype(np.uint64),
        features=np.frombuffer(b"".join(features for _, features, _ in signed), "<u8"),
        weights=np.frombuffer(b"".join(weights for _, _, weights in signed), "<u4"),
        moduli=np.array([modulus for modulus, _, _ in signed], np.uint64),
    )
