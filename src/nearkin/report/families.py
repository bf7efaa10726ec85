"""Families with their documents named, largest first; as the scan grouped them, or anew from what it stored."""

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.group.family import ContentFamily, chain, kind_of
from nearkin.group.greedy import Representative, Signed, estimate_to_pivot, greedy, measure_links
from nearkin.group.naming import family_row
from nearkin.group.pivot import complete_to_pivot
from nearkin.matching.columns import MatchColumns
from nearkin.matching.template import left_out, payload
from nearkin.matching.texts import StoredTexts
from nearkin.model import Family, Kind, Link, Member, Role, View, family_id
from nearkin.scheme import cannot_contain, parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, Copies, copies_of, held_by, locations, present_contents, signatures
from nearkin.store.decided import Decided
from nearkin.store.results import FamilyRow, family_rows, match_rows
from nearkin.text.canon import Canon


def list_families(
    connection: sqlite3.Connection,
    *,
    view: View = View.CHAIN,
    threshold: float | None = None,
    containment: float | None = None,
    representative: Representative = Representative.FIRST,
) -> list[Family]:
    """In the chain view from stored matches; in the greedy one from stored signatures, so that any threshold will do.

    Only the greedy one has representatives.
    """
    run = runs.last(connection)
    limits = run.settings["match"]
    if containment is not None and not parse_scheme(run.spec).contains:
        raise UsageError(cannot_contain(run.spec))
    if view is View.GREEDY:
        share = limits["threshold"] if threshold is None else threshold
        settings = MatchSettings(threshold=share, floor=min(share, limits["floor"]))
        rows = _grouped_greedily(connection, run, settings, representative)
        return _as_decided(connection, run, rows)
    if threshold is not None and 0.0 < threshold < limits["floor"]:
        raise UsageError(f"Below {limits['floor']:g} the scan kept no matches; scan again with --floor {threshold:g}.")
    if threshold in (None, limits["threshold"]) and containment in (None, limits["containment"]):
        rows = family_rows(connection, run.scheme)
    else:
        settings = MatchSettings(
            threshold=limits["threshold"] if threshold is None else threshold,
            containment=limits["containment"] if containment is None else containment,
            floor=min(limits["floor"], threshold or 1.0),
        )
        rows = _group_again(connection, run, settings)
    return _as_decided(connection, run, rows)


def _as_decided(connection: sqlite3.Connection, run: runs.Run, rows: list[FamilyRow]) -> list[Family]:
    return named_families(rows, locations(connection), Decided(connection), template=run.template)


def _group_again(connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    counts = copies_of(connection, contents)
    matches = stored_matches(connection, run, contents, settings)
    matches = matches[~Decided(connection).apart(matches.a, matches.b, contents.ids)]
    families = chain(matches, contents.lengths, counts, settings)
    _measure_on_texts(connection, run, contents, families)
    return [family_row(family, contents, settings) for family in families]


def _grouped_greedily(
    connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings, representative: Representative
) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, RunSettings().jobs)
    without = left_out(connection, run.scheme, scheme, canon)
    postings = payload(signatures(connection, run.scheme, contents), scheme, texts, without)
    counts = copies_of(connection, contents)
    families = greedy(
        postings, contents.lengths, counts, scheme, threshold=settings.threshold, representative=representative
    )
    families = list(_parted(families, Decided(connection), contents.ids, counts))
    _measure_on_texts(connection, run, contents, families)
    estimate_to_pivot(families, Signed(postings, scheme))
    measure_links(families)
    return [family_row(family, contents, settings, View.GREEDY) for family in families]


def _parted(
    families: list[ContentFamily], decided: Decided, ids: NDArray[np.int64], copies: NDArray[np.int64]
) -> Iterator[ContentFamily]:
    """Without the members that a person parted from what their family is built around."""
    for family in families:
        members = np.array(family.members, np.uint32)
        parted = decided.apart(members, np.full(len(members), family.pivot, np.uint32), ids)
        for row in members[parted].tolist():
            family.members.remove(row)
            family.to_pivot.pop(row, None)
            if copies[row] > 1:
                yield ContentFamily([row], pivot=row, to_pivot={row: 1.0}, kind=Kind.IDENTICAL)
        family.kind = kind_of(family) if parted.any() else family.kind
        if len(family.members) > 1 or copies[family.pivot] > 1:
            yield family


def _measure_on_texts(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, families: list[ContentFamily]
) -> None:
    """How far members are from their pivots, where both texts were kept."""
    local = RunSettings()
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    texts = StoredTexts(connection, contents, canon, local.jobs)
    ignored = left_out(connection, run.scheme, scheme, canon).shingles
    if scheme.measure != "bytes":
        complete_to_pivot(
            families,
            contents.lengths,
            texts,
            shingler=scheme.shingler,
            memory=local.memory // 10,
            threads=local.jobs,
            ignored=ignored,
        )


def stored_matches(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings | None = None
) -> MatchColumns:
    """Those that reach the thresholds, of the run unless others are given."""
    limits = run.settings["match"]
    resemblance, containment = (
        (limits["threshold"], limits["containment"]) if settings is None else (settings.threshold, settings.containment)
    )
    rows = match_rows(connection, run.scheme, min_resemblance=resemblance, min_containment=containment)
    found = MatchColumns.stored(list(rows))
    return found[np.isin(found.a, contents.ids) & np.isin(found.b, contents.ids)].by_row(contents.ids)


@dataclass(frozen=True)
class Overview:
    """The largest families, and how many there are in all."""

    largest: list[Family]
    families: int
    documents: int
    of_copies: int  # families of identical documents only


def overview(connection: sqlite3.Connection, limit: int) -> Overview:
    """Of the families as the scan grouped them; only the largest are named."""
    run = runs.last(connection)
    held = held_by(connection)
    sized = []
    for row in family_rows(connection, run.scheme):
        there = [held[content] for content, *_ in row.contents if content in held]
        count = sum(one.documents for one in there)
        if count > 1:
            sized.append((-count, -sum(one.size for one in there), min(one.first for one in there), row))
    sized.sort(key=lambda one: one[:3])
    chosen = [row for *_, row in sized[:limit]]
    places = locations(connection, [content for row in chosen for content, *_ in row.contents])
    copies = sum(row.kind == Kind.IDENTICAL for *_, row in sized)
    return Overview(named_families(chosen, places), len(sized), -sum(one[0] for one in sized), copies)


def named_families(
    rows: Iterable[FamilyRow], copies: Copies, decided: Decided | None = None, *, template: str = "with"
) -> list[Family]:
    families = [_named(row, copies, decided, template) for row in rows]
    return sorted(
        (family for family in families if len(family.documents) > 1),
        # Not by their ids: these tell of the past.
        key=lambda family: (-len(family.documents), -family.bytes, min(member.location for member in family.documents)),
    )


def _named(row: FamilyRow, copies: Copies, decided: Decided | None, template: str) -> Family:
    pivot = next((content for content, _, is_pivot, _ in row.contents if is_pivot), None)
    members = []
    size = 0
    for content, role, _, to_pivot in row.contents:
        exact = to_pivot is not None and content not in row.estimated
        for i, (location, bytes_) in enumerate(copies.get(content, [])):
            size += bytes_
            members.append(Member(location, content == pivot and i == 0, to_pivot, Role(role), exact))
    members.sort(key=lambda member: (not member.pivot, member.role, -(member.to_pivot or 0.0), member.location))
    weakest = None
    if row.weakest and row.weakest[0] in copies and row.weakest[1] in copies:
        a, b = sorted((copies[row.weakest[0]][0][0], copies[row.weakest[1]][0][0]))
        weakest = Link(a, b, row.weakest[2])
    mean = 1.0 if row.kind == Kind.IDENTICAL else row.mean_resemblance
    name = family_id(row.founder)
    verdict, keep = (None, None) if decided is None else decided.of_family(content for content, *_ in row.contents)
    said = None if verdict is None else verdict.value
    kind, documents = Kind(row.kind), tuple(members)
    return Family(name, kind, row.view, documents, row.links, weakest, mean, size, said, keep, template)
