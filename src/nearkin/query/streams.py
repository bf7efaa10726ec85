"""Matches, families and identical documents one by one, in the order in which the commands list them.

Reports are written from these: nothing is held in memory but a batch.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from nearkin.model import Family, IdenticalGroup, Kind, Location, Match, family_id
from nearkin.query.families import named_families, with_distances, with_spread
from nearkin.query.matches import match_of
from nearkin.query.store_view import PLACE, Snapshot, location_of
from nearkin.settings import SPREAD
from nearkin.store.contents import Copies, locations
from nearkin.store.documents import SAME_BYTES, SAME_WORDS
from nearkin.store.families import FamilyRow, family_rows
from nearkin.store.matches import DTYPES

BATCH = 500  # families named at a time

CONTAINED = "max(coalesce(m.a_in_b, 0.0), coalesce(m.b_in_a, 0.0))"
MATCHES = f"""
SELECT {", ".join(f"m.{name}" for name in DTYPES)}, x.first, y.first
FROM match m JOIN held x ON x.content = m.a JOIN held y ON y.content = m.b
WHERE m.scheme = ? AND (m.resemblance >= ? OR max(m.a_in_b, m.b_in_a) >= ?) {{}}
"""
STRONGEST = f"ORDER BY m.resemblance DESC, {CONTAINED} DESC, min(x.first, y.first), max(x.first, y.first)"
IN_ORDER = "ORDER BY m.a, m.b"  # of the table, so that nothing is sorted


def matches(snapshot: Snapshot, order: str = STRONGEST) -> Iterator[Match]:
    """The matches that reach the scan's thresholds and that no person has parted."""
    limits, in_bytes = snapshot.limits, snapshot.scheme.measure != "cosine"
    asked = (snapshot.run.scheme, limits["threshold"], limits["containment"])
    for *row, first, second in snapshot.connection.execute(MATCHES.format(order), asked):
        decision = snapshot.decided.of_pair(row[0], row[1])
        if decision is not None and decision.parts:
            continue
        yield match_of(
            tuple(row),
            location_of(first),
            location_of(second),
            turned=second < first,
            in_bytes=in_bytes,
            verdict=None if decision is None else decision.value,
            template=snapshot.run.template,
        )


def of_the_smaller(a_in_b: float | None, b_in_a: float | None) -> float | None:
    """The share of the smaller of two that lies in the larger: "% similar" in Forman 2005, Figure 5."""
    return None if a_in_b is None or b_in_a is None else max(a_in_b, b_in_a)


FAMILIES = """
SELECT f.id FROM family f CROSS JOIN family_content c ON c.family = f.id JOIN held h ON h.content = c.content
WHERE f.scheme = ? GROUP BY f.id HAVING sum(h.documents) > 1
ORDER BY sum(h.documents) DESC, sum(h.bytes) DESC, min(h.first)
"""


def families(snapshot: Snapshot) -> Iterator[Family]:
    for batch, _, _ in _batches(snapshot, spread=SPREAD):
        yield from batch


@dataclass(frozen=True)
class FamilyInFull:
    """A family with what its stored matches say. Lists are in the order of its documents."""

    family: Family
    share: float | None  # mean share of the smaller, over the matches between its documents; None: unknown
    exact: bool | None  # whether all these were measured on the texts; None: there are none
    links: list[int]  # matches of each document's content with others of the family
    shares: list[float | None]  # of the smaller, each with the pivot; None where no match of the two is stored
    sizes: list[int]


def families_in_full(snapshot: Snapshot) -> Iterator[FamilyInFull]:
    for batch, rows, copies in _batches(snapshot):
        bonds = _bonds(snapshot, rows)
        content_at = {place: content for content, places in copies.items() for place, _ in places}
        size_at = {place: size for places in copies.values() for place, size in places}
        for family in batch:
            places = [member.location for member in family.documents]
            contents = [content_at[place] for place in places]
            pivot = next(content_at[member.location] for member in family.documents if member.pivot)
            links, shares, total, measured = bonds[family.id]
            mean = sum(total) / len(total) if total else None
            same = family.kind is Kind.IDENTICAL
            yield FamilyInFull(
                family,
                1.0 if same else mean,
                True if same else family.mean_exact if mean is None else measured and family.mean_exact is not False,
                [links[content] for content in contents],
                [
                    1.0 if content == pivot else shares.get((min(content, pivot), max(content, pivot)))
                    for content in contents
                ],
                [size_at[place] for place in places],
            )


Bonds = tuple[dict[int, int], dict[tuple[int, int], float], list[float], bool]
BONDS = """
SELECT m.a, m.b, m.a_in_b, m.b_in_a, m.exact FROM match m
WHERE m.scheme = ?1 AND m.a = ?2 AND (m.resemblance >= ?3 OR max(m.a_in_b, m.b_in_a) >= ?4) ORDER BY m.b
"""


def _bonds(snapshot: Snapshot, rows: list[FamilyRow]) -> dict[str, Bonds]:
    """For each family the matches of each content within it, the shares with the pivot, all shares, and whether all of
    these were measured."""
    bonds: dict[str, Bonds] = {}
    limits = snapshot.limits
    for row in rows:
        inside = {content for content, *_ in row.contents}
        pivot = next((content for content, _, is_pivot, _ in row.contents if is_pivot), None)
        links: dict[int, int] = defaultdict(int)
        shares: dict[tuple[int, int], float] = {}
        every: list[float] = []
        measured = True
        for content in sorted(inside) if len(inside) > 1 else ():
            asked = (snapshot.run.scheme, content, limits["threshold"], limits["containment"])
            for a, b, a_in_b, b_in_a, exact in snapshot.connection.execute(BONDS, asked):
                decision = snapshot.decided.of_pair(a, b)
                if b not in inside or (decision is not None and decision.parts):
                    continue
                links[a] += 1
                links[b] += 1
                measured = measured and bool(exact)
                share = of_the_smaller(a_in_b, b_in_a)
                if share is not None:
                    every.append(share)
                    if pivot in (a, b):
                        shares[a, b] = share
        bonds[family_id(row.founder)] = (links, shares, every, measured)
    return bonds


def _batches(snapshot: Snapshot, spread: float = 0.0) -> Iterator[tuple[list[Family], list[FamilyRow], Copies]]:
    connection, run = snapshot.connection, snapshot.run
    order = array("q", (number for (number,) in connection.execute(FAMILIES, (run.scheme,))))
    for start in range(0, len(order), BATCH):
        rows = family_rows(connection, run.scheme, order[start : start + BATCH])
        if spread:
            rows = with_spread(connection, run, rows, spread)
        rows = with_distances(connection, run, rows)
        copies = locations(connection, [content for row in rows for content, *_ in row.contents])
        yield named_families(rows, copies, snapshot.decided, template=run.template), rows, copies


GROUPS = """
CREATE TEMP TABLE IF NOT EXISTS alike (
    tier TEXT, digest BLOB, documents INTEGER, size INTEGER, overhead INTEGER, first BLOB,
    PRIMARY KEY (tier, digest)
) WITHOUT ROWID
"""
COPIES = f"""
SELECT g.tier, g.digest, g.size, g.overhead, {PLACE}, d.size, d.mtime_ns, g.documents AS documents, g.first AS first
FROM present d JOIN scope ON scope.id = d.scope CROSS JOIN alike g ON g.tier = 'bytes' AND g.digest = d.digest
UNION ALL
SELECT g.tier, g.digest, g.size, g.overhead, {PLACE}, d.size, d.mtime_ns, g.documents, g.first
FROM present d JOIN scope ON scope.id = d.scope CROSS JOIN text t ON t.id = d.text
CROSS JOIN content c ON c.id = t.content CROSS JOIN alike g ON g.tier = 'words' AND g.digest = c.digest
WHERE d.digest IS NOT NULL
ORDER BY documents DESC, 4 DESC, first, 1, 2, 5
"""


@dataclass(frozen=True)
class IdenticalInFull:
    """A group of identical documents with their sizes and times. Lists are in the order of its documents."""

    group: IdenticalGroup
    sizes: list[int]
    modified: list[int]  # nanoseconds


def identical_in_full(snapshot: Snapshot) -> Iterator[IdenticalInFull]:
    connection = snapshot.connection
    connection.execute(GROUPS)
    for query in (SAME_BYTES, SAME_WORDS):
        connection.execute(f"INSERT OR IGNORE INTO alike {query}")
    for (tier, _, size, overhead), rows in groupby(connection.execute(COPIES), key=lambda row: row[:4]):
        copies = list(rows)
        places: tuple[Location, ...] = tuple(location_of(row[4]) for row in copies)
        group = IdenticalGroup(tier, size, overhead, places)
        yield IdenticalInFull(group, [row[5] for row in copies], [row[6] for row in copies])


def identical(snapshot: Snapshot) -> Iterator[IdenticalGroup]:
    return (group.group for group in identical_in_full(snapshot))
