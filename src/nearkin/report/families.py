"""Families with their documents named, largest first; as the scan grouped them, or anew from what it stored."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nearkin.errors import UsageError
from nearkin.group.family import ContentFamily, chain
from nearkin.group.greedy import Representative, Signed, estimate_to_pivot, greedy, measure_links
from nearkin.group.pivot import complete_to_pivot
from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns
from nearkin.matching.texts import StoredTexts
from nearkin.model import Family, Kind, Link, Member, Role, View, family_id
from nearkin.scheme import cannot_contain, parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, Copies, copies_of, held_by, locations, present_contents, signatures
from nearkin.store.results import FamilyRow, family_rows, match_rows
from nearkin.text.canon import Canon


def family_row(
    family: ContentFamily,
    contents: Contents,
    settings: MatchSettings,
    view: View = View.CHAIN,
    *,
    founder: bytes | None = None,
    since: int | None = None,
) -> FamilyRow:
    """As it is stored: content ids for rows. One that has no name yet is named by its pivot."""
    ids = contents.numbers
    weakest = family.weakest and (ids[family.weakest[0]], ids[family.weakest[1]], family.weakest[2])
    # Plain strings: of an enum SQLite's module first asks how it would like to be stored.
    member, part = Role.MEMBER.value, Role.PART.value
    roles = [*((row, member) for row in family.members), *((row, part) for row in family.parts)]
    return FamilyRow(
        founder=founder or contents.digests[family.pivot],
        view=view.value,
        threshold=settings.threshold,
        containment=settings.containment,
        kind=family.kind.value,
        links=family.links,
        weakest=weakest,
        mean_resemblance=family.mean_resemblance,
        contents=[(ids[row], role, row == family.pivot, family.to_pivot.get(row)) for row, role in roles],
        estimated=frozenset(ids[row] for row in family.estimated),
        since=since,
    )


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
        return named_families(rows, locations(connection))
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
    return named_families(rows, locations(connection))


def _group_again(connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    counts = copies_of(connection, contents)
    matches = _stored_matches(connection, run, contents, settings)
    families = chain(matches, contents.lengths, counts, settings)
    _measure_on_texts(connection, run, contents, families)
    return [family_row(family, contents, settings) for family in families]


def _grouped_greedily(
    connection: sqlite3.Connection, run: runs.Run, settings: MatchSettings, representative: Representative
) -> list[FamilyRow]:
    contents = present_contents(connection, run.scheme)
    signed = signatures(connection, run.scheme, contents)
    postings = Postings(signed.offsets, signed.features, signed.weights, signed.moduli)
    scheme = parse_scheme(run.spec)
    counts = copies_of(connection, contents)
    families = greedy(
        postings, contents.lengths, counts, scheme, threshold=settings.threshold, representative=representative
    )
    _measure_on_texts(connection, run, contents, families)
    estimate_to_pivot(families, Signed(postings, scheme))
    measure_links(families)
    return [family_row(family, contents, settings, View.GREEDY) for family in families]


def _measure_on_texts(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, families: list[ContentFamily]
) -> None:
    """How far members are from their pivots, where both texts were kept."""
    local = RunSettings()
    texts = StoredTexts(connection, contents, Canon.parse(runs.canon_of(connection, run)), local.jobs)
    scheme = parse_scheme(run.spec)
    if scheme.measure != "bytes":
        complete_to_pivot(
            families, contents.lengths, texts, shingler=scheme.shingler, memory=local.memory // 10, threads=local.jobs
        )


def _stored_matches(
    connection: sqlite3.Connection, run: runs.Run, contents: Contents, settings: MatchSettings
) -> MatchColumns:
    rows = match_rows(connection, run.scheme, min_resemblance=settings.threshold, min_containment=settings.containment)
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


def named_families(rows: Iterable[FamilyRow], copies: Copies) -> list[Family]:
    families = [_named(row, copies) for row in rows]
    return sorted(
        (family for family in families if len(family.documents) > 1),
        # Not by their ids: these tell of the past.
        key=lambda family: (-len(family.documents), -family.bytes, min(member.location for member in family.documents)),
    )


def _named(row: FamilyRow, copies: Copies) -> Family:
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
    return Family(name, Kind(row.kind), row.view, tuple(members), row.links, weakest, mean, size)
