"""Families with their documents named, largest first; as the scan grouped them, or anew from what it stored.

Chains name their most distant members where these hardly resemble each other. Where no scan measured how far documents
are from their pivot, signatures say it: a scan stores what it measured on the texts, and where these were not kept,
signatures give the same as the matches that they made, and also what no match gives of members that hang together by
others only.

A family says in a sentence why it is of its kind. Where a scan did not list all matches, sentences say what may be
missing: to people as notes, to programs in the metadata of a table.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nearkin.errors import UsageError
from nearkin.group.families import measured_pairs
from nearkin.group.form import ASKED_TEXTS, MOST, NEARLY_ALL, unlike_among
from nearkin.group.views import AGREEMENT, Representative, RowSignatures, suspects
from nearkin.matching.scan_cache import StoredTexts
from nearkin.matching.template import left_out, without_templates
from nearkin.matching.verify import Corpus, room_for_texts
from nearkin.model import Family, Kind, Link, Member, Role, View, family_id
from nearkin.query.regroup import grouped_again, grouped_greedily, largest
from nearkin.scheme import cannot_contain, parse_scheme
from nearkin.settings import MatchSettings, RunSettings
from nearkin.store import runs
from nearkin.store.bulk import columns
from nearkin.store.contents import Contents, Copies, Holdings, contents_of, locations
from nearkin.store.families import FamilyRow, family_members, family_rows
from nearkin.store.matches import columns_named
from nearkin.store.signatures import signatures_of
from nearkin.store.verdicts import VerdictIndex
from nearkin.text.canon import Canon
from nearkin.wording import count

Pair = tuple[int, int]  # contents, the smaller first
Measured = dict[Pair, tuple[float, bool]]  # resemblance, and whether it was measured


def with_distances(connection: sqlite3.Connection, run: runs.FinishedRun, rows: Sequence[FamilyRow]) -> list[FamilyRow]:
    """Complete how far members are from their pivots; what neither texts nor signatures show stays unknown."""
    unknown = sorted({pair for row in rows for pair in _unknown(row).values()})
    measured = _matched(connection, run, unknown)
    measured |= measure_pairs(connection, run, [pair for pair in unknown if pair not in measured])
    return [_completed(row, measured) for row in rows] if measured else list(rows)


def _matched(connection: sqlite3.Connection, run: runs.FinishedRun, pairs: list[Pair]) -> Measured:
    """What stored matches say of pairs: signatures take 0.6 s to say the same of 3,000 pairs."""
    if not pairs:
        return {}
    stored = columns_named(connection, run.scheme, ["a", "b", "resemblance", "exact"])
    keys = stored["a"].astype(np.int64) << 32 | stored["b"]
    asked = np.array(pairs, np.int64)
    wanted = asked[:, 0] << 32 | asked[:, 1]
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    there = np.flatnonzero(keys[at] == wanted) if len(keys) else np.zeros(0, np.int64)
    scores = zip(stored["resemblance"][at[there]].tolist(), stored["exact"][at[there]].tolist(), strict=True)
    return dict(zip((pairs[place] for place in there.tolist()), scores, strict=True))


def _unknown(row: FamilyRow) -> dict[int, Pair]:
    """The pairs of members and pivot whose resemblance is not known, by the member's content."""
    pivot = next((content for content, _, is_pivot, _ in row.contents if is_pivot), None)
    if pivot is None:
        return {}
    far = (content for content, _, _, to_pivot in row.contents if to_pivot is None)
    return {content: (min(content, pivot), max(content, pivot)) for content in far}


def _completed(row: FamilyRow, measured: Measured) -> FamilyRow:
    known = {content: measured[pair] for content, pair in _unknown(row).items() if pair in measured}
    contents = [
        (content, role, is_pivot, known[content][0] if content in known else to_pivot)
        for content, role, is_pivot, to_pivot in row.contents
    ]
    guessed = frozenset(content for content, (_, exact) in known.items() if not exact)
    return replace(row, contents=contents, estimated=row.estimated | guessed)


def measure_pairs(connection: sqlite3.Connection, run: runs.FinishedRun, pairs: list[Pair]) -> Measured:
    """Measure pairs on the texts where both were kept, otherwise take what the signatures say."""
    if not pairs:
        return {}
    scheme, canon = parse_scheme(run.spec), Canon.parse(runs.canon_of(connection, run))
    local = RunSettings()
    contents = contents_of(connection, sorted({content for pair in pairs for content in pair}))
    texts = StoredTexts(connection, contents, canon, local.jobs)
    without = left_out(connection, run.scheme, scheme, canon)
    sides = contents.rows(np.array(pairs, np.int64)).astype(np.uint32)
    a, b = np.ascontiguousarray(sides[:, 0]), np.ascontiguousarray(sides[:, 1])
    measured: Measured = {}
    if scheme.measure != "bytes":
        room = room_for_texts(local.memory, scheme.shingler)
        corpus = Corpus(contents.lengths, texts, room, local.jobs, without.shingles)
        scored = measured_pairs(a, b, corpus, scheme.shingler)
        for first, second, score in zip(*(column.tolist() for column in scored), strict=True):
            measured[_pair(contents, first, second)] = (score, True)
    signed = signatures_of(connection, run.scheme, contents.ids)
    if len(measured) < len(pairs) and signed is not None and scheme.estimator in AGREEMENT:
        signature = RowSignatures(without_templates(signed, scheme, texts, without), scheme)
        for first, second in zip(a.tolist(), b.tolist(), strict=True):
            estimate = signature(first).resemblance(signature(second))
            if estimate is not None:
                measured.setdefault(_pair(contents, first, second), (estimate.value, estimate.exact))
    return measured


def _pair(contents: Contents, first: int, second: int) -> Pair:
    a, b = contents.numbers[first], contents.numbers[second]
    return min(a, b), max(a, b)


def with_spread(
    connection: sqlite3.Connection, run: runs.FinishedRun, rows: Sequence[FamilyRow], limit: float
) -> list[FamilyRow]:
    cosine = parse_scheme(run.spec).measure == "cosine"
    members = [_members(row) for row in rows]
    pairs = [suspects(known, limit, cosine=cosine) for _, known in members]
    measured = measure_pairs(connection, run, sorted({pair for some in pairs for pair in some}))
    return [
        replace(row, most_distant=_most_distant(*known, some, measured, limit))
        for row, known, some in zip(rows, members, pairs, strict=True)
    ]


def _members(row: FamilyRow) -> tuple[int, list[tuple[int, float | None]]]:
    """The pivot, and how much the other members resemble it; parts are not expected to."""
    pivot = next(content for content, _, is_pivot, _ in row.contents if is_pivot)
    member = Role.MEMBER.value
    distances = [(content, value) for content, role, _, value in row.contents if role == member and content != pivot]
    return pivot, distances


def _most_distant(
    pivot: int,
    to_pivot: list[tuple[int, float | None]],
    pairs: list[tuple[int, int]],
    measured: Measured,
    limit: float,
) -> tuple[int, int, float, bool] | None:
    links = [(value, True, min(pivot, member), max(pivot, member)) for member, value in to_pivot if value is not None]
    links += [(*measured[pair], *pair) for pair in pairs if pair in measured]
    value, exact, a, b = min(links, default=(1.0, True, 0, 0))
    return (a, b, value, exact) if value < limit else None


def list_families(
    connection: sqlite3.Connection,
    *,
    view: View = View.CHAIN,
    threshold: float | None = None,
    containment: float | None = None,
    representative: Representative = Representative.FIRST,
    spread: float = 0.0,
    limit: int | None = None,
) -> list[Family]:
    """List families. The greedy view is made from stored signatures, so that any threshold will do, the others from
    stored matches; only the greedy one has representatives.

    Chains whose most distant members resemble each other by less than `spread` name these. `limit`: only so many, the
    largest; in views made from matches the rest is not even read.
    """
    run = runs.last(connection)
    limits = run.settings["match"]
    if containment is not None and not parse_scheme(run.spec).contains:
        raise UsageError(cannot_contain(run.spec))
    if view is View.GREEDY:
        share = limits["threshold"] if threshold is None else threshold
        settings = MatchSettings(threshold=share, floor=min(share, limits["floor"]))
        rows = grouped_greedily(connection, run, settings, representative)
        return _as_decided(connection, run, rows, limit)
    if threshold is not None and 0.0 < threshold < limits["floor"]:
        raise UsageError(f"Below {limits['floor']:g} the scan kept no matches; scan again with --floor {threshold:g}.")
    as_scanned = threshold in (None, limits["threshold"]) and containment in (None, limits["containment"])
    if view is View.CHAIN and as_scanned:
        only = None if limit is None else _Sizes.load(connection, run.scheme).largest(limit)
        rows = family_rows(connection, run.scheme, only)
    else:
        settings = MatchSettings(
            threshold=limits["threshold"] if threshold is None else threshold,
            containment=limits["containment"] if containment is None else containment,
            floor=min(limits["floor"], threshold or 1.0),
        )
        rows = grouped_again(connection, run, settings, view, limit)
    if view is View.CHAIN and spread > 0.0:
        rows = with_spread(connection, run, rows, spread)
    if view is View.CHAIN:
        rows = with_distances(connection, run, rows)
    return _as_decided(connection, run, rows, limit)


def _as_decided(
    connection: sqlite3.Connection, run: runs.FinishedRun, rows: list[FamilyRow], limit: int | None
) -> list[Family]:
    shown = None if limit is None else [content for row in rows for content, *_ in row.contents]
    return named_families(rows, locations(connection, shown), VerdictIndex(connection), template=run.template)[:limit]


@dataclass(frozen=True)
class _Sizes:
    """The stored families as columns: how many documents each has, and their bytes."""

    ids: NDArray[np.int64]
    documents: NDArray[np.int64]
    bytes: NDArray[np.int64]

    @classmethod
    def load(cls, connection: sqlite3.Connection, scheme: int) -> "_Sizes":
        held = Holdings.load(connection)
        contents, families = family_members(connection, scheme)
        ids, family = np.unique(families, return_inverse=True)
        there = contents < len(held.documents)  # the others were forgotten
        sums = (
            np.bincount(family[there], column[contents[there]], len(ids)).astype(np.int64)
            for column in (held.documents, held.bytes)
        )
        return cls(ids, *sums)

    def largest(self, limit: int) -> list[int]:
        """Ids of so many, and of those that are as large as the last: names decide which come first."""
        ids: list[int] = self.ids[largest(self.documents, self.bytes, limit)].tolist()
        return ids


@dataclass(frozen=True)
class Overview:
    """The largest families, and how many there are in all."""

    largest: list[Family]
    families: int
    documents: int
    of_copies: int  # families of identical documents only


def overview(connection: sqlite3.Connection, limit: int) -> Overview:
    """Count the families as the scan grouped them, and name the largest."""
    run = runs.last(connection)
    sizes = _Sizes.load(connection, run.scheme)
    several = sizes.documents > 1
    (of_copies,) = columns(
        connection,
        ("id",),
        "FROM family WHERE scheme = ? AND kind = ?",
        run.scheme,
        Kind.IDENTICAL.value,
    )
    rows = with_distances(connection, run, family_rows(connection, run.scheme, sizes.largest(limit)))
    places = locations(connection, [content for row in rows for content, *_ in row.contents])
    return Overview(
        named_families(rows, places)[:limit],
        int(several.sum()),
        int(sizes.documents[several].sum()),
        int(np.isin(sizes.ids[several], of_copies).sum()),
    )


def named_families(
    rows: Iterable[FamilyRow], copies: Copies, decided: VerdictIndex | None = None, *, template: str = "with"
) -> list[Family]:
    families = [_named(row, copies, decided, template) for row in rows]
    return sorted(
        (family for family in families if len(family.documents) > 1),
        # Not by their ids: these come from the past.
        key=lambda family: (-len(family.documents), -family.bytes, min(member.location for member in family.documents)),
    )


def _named(row: FamilyRow, copies: Copies, decided: VerdictIndex | None, template: str) -> Family:
    pivot = next((content for content, _, is_pivot, _ in row.contents if is_pivot), None)
    members = []
    size = 0
    for content, role, _, to_pivot in row.contents:
        exact = to_pivot is not None and content not in row.estimated
        for at, (location, file_size) in enumerate(copies.get(content, [])):
            size += file_size
            members.append(Member(location, content == pivot and at == 0, to_pivot, Role(role), exact))
    members.sort(key=lambda member: (not member.pivot, member.role, -(member.to_pivot or 0.0), member.location))
    weakest = None if row.weakest is None else _link((*row.weakest, row.weakest_exact), copies)
    mean = 1.0 if row.kind == Kind.IDENTICAL else row.mean_resemblance
    verdict, keep = (None, None) if decided is None else decided.of_family(content for content, *_ in row.contents)
    return Family(
        id=family_id(row.founder),
        kind=Kind(row.kind),
        view=row.view,
        documents=tuple(members),
        links=row.links,
        weakest=weakest,
        mean_resemblance=mean,
        mean_exact=None if mean is None else row.kind == Kind.IDENTICAL or row.mean_exact,
        bytes=size,
        verdict=None if verdict is None else verdict.value,
        keep=keep,
        template=template,
        reason=reason_of(row, len(members)),
        evaluated=row.evaluated,
        most_distant=None if row.most_distant is None else _link(row.most_distant, copies),
    )


def _link(link: tuple[int, int, float, bool], copies: Copies) -> Link | None:
    """Name two contents by their first documents; None where one of them is not there any more."""
    first, second, resemblance, exact = link
    if first not in copies or second not in copies:
        return None
    a, b = sorted((copies[first][0][0], copies[second][0][0]))
    return Link(a, b, resemblance, exact)


ALIKE = {
    View.CHAIN: "each resemble another",
    View.PIVOT: "each resemble the pivot",
    View.CLIQUE: "all resemble each other",
    View.GREEDY: "each match the representative's signature",
}


def reason_of(row: FamilyRow, documents: int) -> str:
    """Why a family is of its kind. Documents with the same words count as one text."""
    copies = documents - len(row.contents)
    if row.kind == Kind.IDENTICAL:
        return "All documents have the same words."
    more = "1 more document has" if copies == 1 else f"{copies:,} more documents have"
    return _reason(row) + (f" {more} the same words as one of them." if copies > 0 else "")


def _reason(row: FamilyRow) -> str:
    parts = sum(role == Role.PART for _, role, *_ in row.contents)
    members = len(row.contents) - parts
    alike = f"{members:,} texts {ALIKE[View(row.view)]} by at least {row.threshold:g}"
    inside = f"{100 * row.containment:g} %"
    match Kind(row.kind):
        case Kind.PAIR:
            return f"Two texts resemble each other by at least {row.threshold:g}."
        case Kind.CONTAINS:
            return (
                f"At least {inside} of one text is inside another, which it resembles by less than {row.threshold:g}."
            )
        case Kind.ARCHIVE:
            weaker = f"which they resemble by less than {row.threshold:g}"
            return f"At least {inside} of each of {count(parts, 'texts')} is inside one other text, {weaker}."
        case Kind.SAME_FORM:
            # As it was found: some members were looked at, each beside those nearest to it.
            which = "them" if members <= ASKED_TEXTS else "those checked"
            form = f"A form filled in: {alike}, mostly by wording that at least {100 * MOST:g} % of them share."
            without = f"Without that wording, at least {100 * NEARLY_ALL:g} % of {which} resemble no other document"
            return f"{form} {without} (all below {unlike_among(members):.3g})."
        case Kind.MIXED if parts == 1:
            return f"{alike}; at least {inside} of another text is inside one of them."
        case Kind.MIXED:
            return f"{alike}; at least {inside} of each of {parts:,} others is inside one of them."
        case _:
            return f"{alike}."


def missing_from_families(connection: sqlite3.Connection, view: View, threshold: float | None) -> list[str]:
    """Why the families may not be all, as sentences; none: these are all.

    The greedy view is made from signatures, and needs no matches.
    """
    if view is View.GREEDY:
        return []
    run = runs.last(connection)
    scanned = run.settings["match"]["threshold"]
    asked = scanned if threshold is None else threshold
    sentences = []
    if asked < scanned:
        sentences.append(
            f"Incomplete below {scanned:g}: the scan kept only the strongest matches there."
            " Scan again with a lower --threshold."
        )
    (crowds,) = connection.execute(
        "SELECT count(*) FROM family WHERE scheme = ? AND unlisted > 0", (run.scheme,)
    ).fetchone()
    # A clique that is not known says so itself; chains at the scan's threshold hang together by their stars.
    if crowds and (view is View.PIVOT or (view is View.CHAIN and asked > scanned)):
        where = f"above {scanned:g}" if view is View.CHAIN else "in this view"
        families = f"{crowds:,} {'family' if crowds == 1 else 'families'}"
        sentences.append(
            f"Incomplete where very many documents are alike ({families}): not all of their pairs were listed, so"
            f" {where} a family may be split. Scan again with --threshold {asked:g} or a higher --hot."
        )
    return sentences
