"""Matches with their contents named by documents, strongest first."""

import heapq
import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from nearkin.errors import UsageError
from nearkin.model import Location, Match
from nearkin.scheme import cannot_contain, cannot_share_bytes, parse_scheme
from nearkin.store import runs
from nearkin.store.contents import locations
from nearkin.store.decided import Decided
from nearkin.store.holders import documents_of
from nearkin.store.results import MatchRow, match_rows


def list_matches(
    connection: sqlite3.Connection,
    *,
    min_resemblance: float | None = None,
    min_containment: float | None = None,
    min_shared_bytes: int = 0,
    all_copies: bool = False,
    limit: int | None = None,
    parted: bool = False,
) -> list[Match]:
    """At the scan's thresholds, unless others are given; one not given does not apply when the other is.

    Pairs that a person called not similar, or of one form only, are left out unless asked for as `parted`.
    """
    run = runs.last(connection)
    scheme = parse_scheme(run.spec)
    if min_containment is not None and not scheme.contains:
        raise UsageError(cannot_contain(run.spec))
    if min_shared_bytes and scheme.measure == "cosine":
        raise UsageError(cannot_share_bytes(run.spec))
    if min_resemblance is None and min_containment is None:
        limits = run.settings["match"]
        min_resemblance, min_containment = limits["threshold"], limits["containment"]
    rows = match_rows(
        connection,
        run.scheme,
        min_resemblance=2.0 if min_resemblance is None else min_resemblance,
        min_containment=2.0 if min_containment is None else min_containment,
    )
    decided = Decided(connection)
    chosen = []
    for row in rows:
        if row[6] >= min_shared_bytes:
            said = decided.of_pair(row[0], row[1])
            if parted or said is None or not said.parts:
                chosen.append((row, None if said is None else said.value))
    chosen = _strongest(chosen, limit)
    if limit is None:
        copies = {content: [place for place, _ in places] for content, places in locations(connection).items()}
    else:
        copies = documents_of(connection, list({content for row, _ in chosen for content in row[:2]}))
    found = [
        replace(match, verdict=said, template=run.template)
        for row, said in chosen
        if row[0] in copies and row[1] in copies
        for match in _named(row, copies, all_copies=all_copies, in_bytes=scheme.measure != "cosine")
    ]
    return sorted(found, key=lambda match: (-match.resemblance, -_contained(match), match.a, match.b))[:limit]


Said = tuple[MatchRow, str | None]  # a match, and what a person said of it


def _strongest(found: list[Said], limit: int | None) -> list[Said]:
    """As many, and those that are no weaker than the last: which comes first, their names decide."""
    if limit is None or len(found) <= limit:
        return found
    last = heapq.nlargest(limit, (_strength(row) for row, _ in found))[-1]
    return [one for one in found if _strength(one[0]) >= last]


def _strength(row: MatchRow) -> tuple[float, float]:
    return row[2], max(row[3] or 0.0, row[4] or 0.0)


def _contained(match: Match) -> float:
    return max(match.a_in_b or 0.0, match.b_in_a or 0.0)


def _named(row: MatchRow, copies: dict[int, list[Location]], *, all_copies: bool, in_bytes: bool) -> Iterator[Match]:
    first, second, resemblance, a_in_b, b_in_a, payload, bytes_, _, _, exact, low, high = row
    shared = bytes_ if in_bytes else None
    many = slice(None) if all_copies else slice(1)
    for x in copies[first][many]:
        for y in copies[second][many]:
            a, b, share_a, share_b = (x, y, a_in_b, b_in_a) if x < y else (y, x, b_in_a, a_in_b)
            yield Match(a, b, resemblance, share_a, share_b, payload, shared, bool(exact), low, high)
