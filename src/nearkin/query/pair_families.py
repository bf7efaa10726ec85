"""Families of a table of pairs, without a store: only the numbers of a match are known.

All is done in columns: two million pairs as Python's objects took 1.2 GB and six times as long as to find them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.group.families import Evidence, families_in
from nearkin.group.grouping import family_row
from nearkin.group.views import grouped, linked
from nearkin.matching.match_columns import MatchColumns
from nearkin.model import Location, View
from nearkin.query.families import named_families
from nearkin.query.records import Record, family_record
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents, Copies

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
