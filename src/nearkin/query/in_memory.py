"""Matches and families of texts in memory, without a store.

Texts are matched as a store's contents are: identical ones are set aside, the rest joined and verified. Families are
made of a table of pairs, where only the numbers of a match are known.

All is done in columns: records of half a million pairs took longer than join and verification, and two million as
Python's objects took 1.2 GB and six times as long as to find them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkin.engine.texts import SignedTexts, Some, sign_texts
from nearkin.errors import UsageError
from nearkin.group.families import Evidence, families_in
from nearkin.group.grouping import family_row
from nearkin.group.views import grouped, linked, unlisted_in
from nearkin.matching.candidates import Hot
from nearkin.matching.match_columns import MatchColumns, alike, measured
from nearkin.matching.score import Scored, find_matches
from nearkin.matching.verify import Corpus, room_for_texts
from nearkin.model import Location, View
from nearkin.query.families import named_families
from nearkin.query.records import Record, family_record
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store.contents import Contents, Copies
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = NDArray[np.int64]


def families_of_pairs(
    pairs: "pa.Table",
    limits: MatchSettings,
    scheme: Scheme,
    view: View = View.CHAIN,
    unlisted: frozenset[Any] = frozenset(),
) -> list[Record]:
    """Group texts by their pairs, as the contents of a store are; texts of resemblance 1 are one content.

    `unlisted`: names of texts not all of whose pairs are here. The length of a text follows from what it shares and
    from what share of it that is.
    """
    names, a, b = _names(pairs)
    matches = _columns(pairs, a, b, scheme)
    content_of, count = _contents(matches, len(names))
    # A path that sorts like its name, and leads back to it.
    copies: Copies = {content: [] for content in range(count)}
    for at, content in enumerate(content_of.tolist()):
        copies[content].append((Location("", b"%016d" % at), 0))
    contents = Contents(np.arange(count), [b"%08d" % row for row in range(count)], np.zeros(count, np.int64))
    matches = _one_each(matches, content_of)
    counts = np.array([len(copies[row]) for row in range(count)], np.int64)
    # Of chains the most linked is the pivot; where several are, the first by name.
    lengths = contents.lengths if view is View.CHAIN else _lengths(matches, count)
    doubtful = np.unique([content_of[at] for at, name in enumerate(names) if name in unlisted]).astype(np.uint32)
    partition = grouped(view, Evidence.of(matches, limits), lengths, unlisted=doubtful)
    families = families_in(partition, partition.labels(counts))
    named = named_families((family_row(family, contents, limits, view) for family in families), copies)
    records = [family_record(family, scoped=False) for family in named]
    return [_named(record, names) for record in records]


def _names(pairs: "pa.Table") -> tuple[list[Any], NDArray[np.uint32], NDArray[np.uint32]]:
    """All names in order, and for each pair the places of its two names there."""
    import pyarrow as pa

    kind = pairs["a"].type
    named = pa.chunked_array([*pairs["a"].chunks, *pairs["b"].cast(kind).chunks], kind)
    if named.null_count:
        raise UsageError("families takes the table that match gives; in this one a pair has no name.")
    encoded = named.dictionary_encode().combine_chunks()
    distinct = encoded.dictionary.to_pylist()
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    rank = np.empty(len(distinct), np.uint32)
    rank[order] = np.arange(len(distinct))
    places = rank[encoded.indices.to_numpy(zero_copy_only=False)]
    return [distinct[at] for at in order], places[: len(pairs)], places[len(pairs) :]


def _columns(pairs: "pa.Table", a: NDArray[np.uint32], b: NDArray[np.uint32], scheme: Scheme) -> MatchColumns:
    """The pairs as matches of names."""

    def floats(key: str) -> NDArray[np.float64]:
        return np.asarray(pairs[key].to_numpy(), np.float64)

    shared = np.nan_to_num(pairs["shared_bytes"].to_numpy()).astype(np.int64)
    # Sizes are not among the fields. Containment is shared / size; n shingles of bytes in a row cover n + window - 1
    # bytes. Where units have lengths of their own, or chunks are counted, bytes are the nearest thing to a size.
    by_bytes = scheme.shingler is not None and scheme.shingler.unit == "byte"
    common = np.maximum(shared - scheme.window + 1, 0) if by_bytes else shared
    size_a, size_b = (common / np.maximum(np.nan_to_num(floats(k)), 1e-9) for k in ("a_in_b", "b_in_a"))
    return MatchColumns(
        a=a,
        b=b,
        resemblance=floats("resemblance"),
        a_in_b=floats("a_in_b"),
        b_in_a=floats("b_in_a"),
        payload=floats("payload"),
        shared_bytes=shared,
        size_a=size_a.round().astype(np.int64),
        size_b=size_b.round().astype(np.int64),
        exact=pairs["exact"].to_numpy().astype(np.bool_),
        low=floats("low"),
        high=floats("high"),
    )


def _contents(matches: MatchColumns, count: int) -> tuple[Numbers, int]:
    """The content of each name, counted in the order of names, and how many there are."""
    # A cosine of 1 is no copy; copies contain each other.
    label = linked(count, matches[(matches.resemblance == 1.0) & (matches.a_in_b == 1.0) & matches.exact])
    _, first, place = np.unique(label, return_index=True, return_inverse=True)
    number = np.argsort(np.argsort(first))
    return number[place], len(first)


def _one_each(matches: MatchColumns, content_of: Numbers) -> MatchColumns:
    """Turn pairs of names into pairs of contents: of several between the same two, the first."""
    a, b = (content_of[side].astype(np.uint32) for side in (matches.a, matches.b))
    keys = np.minimum(a, b).astype(np.uint64) << np.uint64(32) | np.maximum(a, b)
    _, first = np.unique(keys, return_index=True)
    first = first[a[first] != b[first]]
    return matches.replace(a=a, b=b)[first].in_order()


def _lengths(matches: MatchColumns, count: int) -> NDArray[np.int64]:
    lengths = np.zeros(count, np.int64)
    np.maximum.at(lengths, matches.a, matches.size_a)
    np.maximum.at(lengths, matches.b, matches.size_b)
    return lengths


def _named(record: Record, names: list[Any]) -> Record:
    def name(path: str) -> Any:
        return names[int(path)]

    weakest = record["weakest"]
    documents = [{**document, "path": name(document["path"])} for document in record["documents"]]
    pivot = next(document["path"] for document in documents if document["pivot"])
    if weakest:
        weakest = {**weakest, "a": name(weakest["a"]), "b": name(weakest["b"])}
    return {**record, "id": pivot, "documents": documents, "weakest": weakest}


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
