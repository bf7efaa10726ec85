"""Families of pairs that stand alone, without a store, where only the numbers of a match are known."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.group.evidence import Evidence
from nearkin.group.family import families_in
from nearkin.group.naming import family_row
from nearkin.group.view import grouped
from nearkin.matching.columns import MatchColumns
from nearkin.model import Location, View
from nearkin.report.families import named_families
from nearkin.report.fields import Record, family_record
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents, Copies


def families_of_pairs(
    pairs: list[Record],
    limits: MatchSettings,
    scheme: Scheme,
    view: View = View.CHAIN,
    unlisted: frozenset[Any] = frozenset(),
) -> list[Record]:
    """Texts of resemblance 1 are one content; the others are grouped as contents of a store are. `unlisted`: names of
    texts not all of whose pairs are here.

    How long a text is the pairs tell by what is shared and what share of it that is.
    """
    names = sorted({pair[side] for pair in pairs for side in ("a", "b")})
    content_of, count = _contents(pairs, names)
    # A path that sorts like its name, and leads back to it.
    copies: Copies = {content: [] for content in range(count)}
    for at, name in enumerate(names):
        copies[content_of[name]].append((Location("", b"%016d" % at), 0))
    contents = Contents(np.arange(count), [b"%08d" % row for row in range(count)], np.zeros(count, np.int64))
    matches = _columns([pair for pair in pairs if content_of[pair["a"]] != content_of[pair["b"]]], content_of, scheme)
    counts = np.array([len(copies[row]) for row in range(count)], np.int64)
    # Of chains the most linked is the pivot; where several are, the first by name.
    lengths = contents.lengths if view is View.CHAIN else _lengths(matches, count)
    doubtful = np.unique([content_of[name] for name in names if name in unlisted]).astype(np.uint32)
    partition = grouped(view, Evidence.of(matches, limits), lengths, unlisted=doubtful)
    found = families_in(partition, partition.labels(counts))
    named = named_families((family_row(family, contents, limits, view) for family in found), copies)
    records = [family_record(family, scoped=False) for family in named]
    return [_named(record, names) for record in records]


def _contents(pairs: list[Record], names: list[Any]) -> tuple[dict[Any, int], int]:
    parent = {name: name for name in names}

    def root(name: Any) -> Any:
        while parent[name] != name:
            parent[name] = name = parent[parent[name]]
        return name

    for pair in pairs:
        # A cosine of 1 is no copy; copies contain each other.
        if pair["resemblance"] == pair["a_in_b"] == 1.0 and pair["exact"]:
            a, b = sorted((root(pair["a"]), root(pair["b"])))
            parent[b] = a
    number: dict[Any, int] = {}
    content_of = {name: number.setdefault(root(name), len(number)) for name in names}
    return content_of, len(number)


def _columns(pairs: list[Record], content_of: dict[Any, int], scheme: Scheme) -> MatchColumns:
    one_each: dict[tuple[int, int], tuple[int, int, Record]] = {}
    for pair in pairs:
        a, b = content_of[pair["a"]], content_of[pair["b"]]
        one_each.setdefault((min(a, b), max(a, b)), (a, b, pair))
    found = list(one_each.values())

    def floats(key: str) -> Any:
        return np.array([pair[key] for _, _, pair in found], np.float64)

    shared = np.array([pair["shared_bytes"] or 0 for _, _, pair in found], np.int64)
    # Sizes are not among the fields. Containment is shared / size; n shingles of bytes in a row cover n + window - 1
    # bytes. Where units have lengths of their own, or chunks are counted, bytes are the nearest thing to a size.
    by_bytes = scheme.shingler is not None and scheme.shingler.unit == "byte"
    common = np.maximum(shared - scheme.window + 1, 0) if by_bytes else shared
    size_a, size_b = (common / np.maximum(np.nan_to_num(floats(k)), 1e-9) for k in ("a_in_b", "b_in_a"))
    return MatchColumns(
        a=np.array([a for a, _, _ in found], np.uint32),
        b=np.array([b for _, b, _ in found], np.uint32),
        resemblance=floats("resemblance"),
        a_in_b=floats("a_in_b"),
        b_in_a=floats("b_in_a"),
        payload=floats("payload"),
        shared_bytes=shared,
        size_a=size_a.round().astype(np.int64),
        size_b=size_b.round().astype(np.int64),
        exact=np.array([pair["exact"] for _, _, pair in found], np.bool_),
        low=floats("low"),
        high=floats("high"),
    ).in_order()


def _lengths(matches: MatchColumns, count: int) -> NDArray[np.int64]:
    found = np.zeros(count, np.int64)
    np.maximum.at(found, matches.a, matches.size_a)
    np.maximum.at(found, matches.b, matches.size_b)
    return found


def _named(record: Record, names: list[Any]) -> Record:
    def name(path: str) -> Any:
        return names[int(path)]

    weakest = record["weakest"]
    documents = [{**document, "path": name(document["path"])} for document in record["documents"]]
    pivot = next(document["path"] for document in documents if document["pivot"])
    if weakest:
        weakest = {**weakest, "a": name(weakest["a"]), "b": name(weakest["b"])}
    return {**record, "id": pivot, "documents": documents, "weakest": weakest}
