"""Matches with their contents named by documents, strongest first; of a whole store, or between two scopes.

Between two scopes the question is what of a candidate collection is in the master repository already (Forman 2005 §1,
§4). Every document of the candidate is one of four: identical to a document of the master (in bytes, or in words), near
one (their resemblance reaches the threshold), contained in one, or new. New ones may still contain documents of the
master.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, fields, replace
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np

from nearkin.errors import InputError, UsageError
from nearkin.matching.match_columns import MatchColumns, Payload
from nearkin.model import Location, Match, mirrored
from nearkin.scheme import cannot_contain, cannot_share_bytes, parse_scheme
from nearkin.store import runs
from nearkin.store.contents import locations
from nearkin.store.documents import HeldDocument, documents_of, held_in
from nearkin.store.matches import DTYPES, MatchRow, columns_named, match_rows
from nearkin.store.scopes import all_scopes
from nearkin.store.verdicts import VerdictIndex

AT_ONCE = 1000  # matches named


def list_matches(connection: sqlite3.Connection, **asked: Any) -> list[Match]:
    """List all matches at once, as `each_match` gives them."""
    return list(each_match(connection, **asked))


def each_match(
    connection: sqlite3.Connection,
    *,
    min_resemblance: float | None = None,
    min_containment: float | None = None,
    min_shared_bytes: int = 0,
    all_copies: bool = False,
    limit: int | None = None,
    parted: bool = False,
) -> Iterator[Match]:
    """The matches that reach the scan's thresholds, or those given; one not given does not apply when the other is.

    Pairs that a person called not similar, or of one form only, are left out unless asked for as `parted`. Matches are
    columns until they are named, some at a time: half a million as objects were 500 MB.
    """
    run = runs.last(connection)
    thresholds = thresholds_of(run, min_resemblance, min_containment, min_shared_bytes)
    matches = MatchColumns.stored(columns_named(connection, run.scheme))
    matches = matches[matches.strong(*thresholds) & (matches.shared_bytes >= min_shared_bytes)]
    in_bytes = parse_scheme(run.spec).measure != "cosine"
    listed = _Listed(connection, VerdictIndex(connection), run.template, in_bytes, all_copies, parted)
    return islice(listed.strongest_first(matches, few=limit is not None), limit)


def thresholds_of(
    run: runs.FinishedRun, min_resemblance: float | None, min_containment: float | None, min_shared_bytes: int
) -> tuple[float, float]:
    """What resemblance and containment must reach: the scan's own thresholds unless one is given; then the other is one
    that nothing reaches. What the run's scheme cannot measure is refused."""
    scheme = parse_scheme(run.spec)
    if min_containment is not None and not scheme.contains:
        raise UsageError(cannot_contain(run.spec))
    if min_shared_bytes and scheme.measure == "cosine":
        raise UsageError(cannot_share_bytes(run.spec))
    if min_resemblance is None and min_containment is None:
        limits = run.settings["match"]
        return limits["threshold"], limits["containment"]
    return (2.0 if min_resemblance is None else min_resemblance, 2.0 if min_containment is None else min_containment)


@dataclass(frozen=True)
class _Listed:
    """How matches are named and listed."""

    connection: sqlite3.Connection
    decided: VerdictIndex
    template: str
    in_bytes: bool
    all_copies: bool
    parted: bool

    def strongest_first(self, matches: MatchColumns, *, few: bool) -> Iterator[Match]:
        """Name matches, the strongest first; names decide between equally strong ones. `few`: not all are wanted."""
        contained = np.fmax(np.nan_to_num(matches.a_in_b), np.nan_to_num(matches.b_in_a))
        order = np.lexsort((-contained, -matches.resemblance))
        alike = (np.diff(matches.resemblance[order]) == 0) & (np.diff(contained[order]) == 0)
        ends = np.append(np.flatnonzero(~alike) + 1, len(order)) if len(order) else np.zeros(0, np.int64)
        names = None if few else self._all_names()
        start = 0
        while start < len(order):
            # As many as make up a batch, and those that are no weaker than the last.
            end = int(ends[np.searchsorted(ends, min(start + AT_ONCE, len(order)))])
            yield from self._named(matches[order[start:end]], names)
            start = end

    def _all_names(self) -> dict[int, list[Location]]:
        many = slice(None) if self.all_copies else slice(1)
        return {content: [place for place, _ in places[many]] for content, places in locations(self.connection).items()}

    def _named(self, some: MatchColumns, names: dict[int, list[Location]] | None) -> list[Match]:
        if names is None:
            names = documents_of(self.connection, np.union1d(some.a, some.b).tolist())
        matches = [match for row in some.rows() for match in self._of(row, names)]
        return sorted(matches, key=lambda match: (-match.resemblance, -_contained(match), match.a, match.b))

    def _of(self, row: tuple[Any, ...], names: dict[int, list[Location]]) -> Iterator[Match]:
        first, second, *_ = row
        decision = self.decided.of_pair(first, second)
        if decision is not None and decision.parts and not self.parted:
            return
        row = tuple(None if number != number else number for number in row)
        copies = slice(None) if self.all_copies else slice(1)
        for x in names.get(first, [])[copies]:
            for y in names.get(second, [])[copies]:
                yield match_of(
                    row,
                    x,
                    y,
                    turned=not x < y,
                    in_bytes=self.in_bytes,
                    verdict=None if decision is None else decision.value,
                    template=self.template,
                )


# The values of a match that `match_of` gives beside a stored row: the row's own are not listed as they are.
BESIDE = (
    "a",
    "b",
    "tier",
    "shared_bytes",
    "exact",
    "verdict",
    "template",
    "payload_exact",
    "payload_low",
    "payload_high",
)
PLACES = {name: place for place, name in enumerate(DTYPES)}
PAYLOAD, SAMPLE, SHARED, EXACT = (PLACES[name] for name in ("payload", "payload_sample", "shared_bytes", "exact"))
PLACES |= {name: len(DTYPES) + place for place, name in enumerate(BESIDE)}
# The values of both in the order of a match's attributes, taken by one call: half a million matches are made so.
AS_STORED = itemgetter(*(PLACES[field.name] for field in fields(Match)))
TURNED = itemgetter(*(PLACES[mirrored(field.name)] for field in fields(Match)))


def match_of(
    row: MatchRow,
    first: Location,
    second: Location,
    *,
    turned: bool,
    in_bytes: bool,
    verdict: str | None = None,
    template: str = "with",
) -> Match:
    """Make a match of a stored row and the documents that name its two contents. `turned`: the second comes first."""
    payload = Payload.stored(row[PAYLOAD], row[SAMPLE])
    shared = row[SHARED] if in_bytes else None
    beside = (
        first,
        second,
        "near",
        shared,
        bool(row[EXACT]),
        verdict,
        template,
        payload.exact,
        payload.low,
        payload.high,
    )
    return Match(*(TURNED if turned else AS_STORED)((*row, *beside)))


def _contained(match: Match) -> float:
    return max(match.a_in_b or 0.0, match.b_in_a or 0.0)


def missing_from_matches(
    connection: sqlite3.Connection, min_resemblance: float | None, min_containment: float | None
) -> list[str]:
    """Why the matches may not be all, as sentences; none: these are all."""
    run = runs.last(connection)
    limits = run.settings["match"]
    sentences = []
    for asked, limit in ((min_resemblance, "threshold"), (min_containment, "containment")):
        if asked is not None and asked < limits[limit]:
            sentences.append(
                f"Incomplete below {limits[limit]:g}: the scan kept only the strongest matches there."
                f" Scan again with a lower --{limit}."
            )
            break
    (unlisted,) = connection.execute("SELECT total(unlisted) FROM family WHERE scheme = ?", (run.scheme,)).fetchone()
    if unlisted:
        sentences.append(
            f"Incomplete where very many documents are alike: {unlisted:,.0f} pairs within such families are not"
            " listed. Scan again with a higher --hot."
        )
    return sentences


@dataclass(frozen=True)
class Between:
    """What of a candidate is in a master; `a` of each match is in the master, `b` in the candidate."""

    master: str
    candidate: str
    matches: list[Match]
    documents: int
    identical: int
    near: int
    contained: int
    new: int
    containing: int  # of the new ones
    unknown: tuple[HeldDocument, ...]  # the new ones themselves


def list_between(
    connection: sqlite3.Connection,
    master: str,
    candidate: str,
    *,
    min_resemblance: float | None = None,
    min_containment: float | None = None,
    min_shared_bytes: int = 0,
    all_copies: bool = False,
    parted: bool = False,
) -> Between:
    """Compare two scopes at the thresholds of `each_match`. Pairs that a person called not similar do not count, unless
    asked for as `parted`."""
    _refuse_unknown(connection, master, candidate)
    run = runs.last(connection)
    near_from, part_from = thresholds_of(run, min_resemblance, min_containment, min_shared_bytes)
    here, there = held_in(connection, master), held_in(connection, candidate)
    names = _by_content(here)
    matches: list[Match] = []
    counts = dict.fromkeys(("identical", "near", "contained", "new", "containing"), 0)
    rows = match_rows(connection, run.scheme, min_resemblance=near_from, min_containment=part_from)
    partners = _partners(
        rows, names.keys(), {held.content for held in there}, None if parted else VerdictIndex(connection)
    )
    in_bytes = parse_scheme(run.spec).measure != "cosine"
    identical = _Identical(here)
    unknown: list[HeldDocument] = []
    for held in there:
        same = identical.to(held)
        if same:
            counts["identical"] += 1
            matches += [_equal(copy, held) for copy in (same if all_copies else same[:1])]
            continue
        own = [
            replace(
                match,
                b=held.location,
                shared_bytes=match.shared_bytes if in_bytes else None,
                template=run.template,
            )
            for content, match in partners.get(held.content or -1, [])
            if (match.shared_bytes or 0) >= min_shared_bytes
            for match in _named(match, names[content], all_copies=all_copies)
        ]
        matches += own
        if any(match.resemblance >= near_from for match in own):
            counts["near"] += 1
        elif any((match.b_in_a or 0.0) >= part_from for match in own):
            counts["contained"] += 1
        else:
            counts["new"] += 1
            unknown.append(held)
            counts["containing"] += bool(own)
    matches.sort(key=lambda match: (-match.resemblance, -_contained(match), match.b, match.a))
    return Between(master, candidate, matches, len(there), **counts, unknown=tuple(unknown))


def _refuse_unknown(connection: sqlite3.Connection, master: str, candidate: str) -> None:
    known = [scope.name for scope in all_scopes(connection)]
    for name in (master, candidate):
        if name not in known:
            raise InputError(f"There is no scope {name!r} in this store; known are: {', '.join(known) or 'none'}.")
    if master == candidate:
        raise UsageError(f"Scope {master!r} cannot be compared with itself; name two scopes.")


def _by_content(documents: list[HeldDocument]) -> dict[int, list[Location]]:
    names: dict[int, list[Location]] = defaultdict(list)
    for held in documents:
        if held.content is not None and held.length:
            names[held.content].append(held.location)
    return names


class _Identical:
    """The master's documents, by their bytes and by their words."""

    def __init__(self, documents: list[HeldDocument]) -> None:
        self.by_bytes: dict[bytes, list[HeldDocument]] = defaultdict(list)
        self.by_words: dict[int, list[HeldDocument]] = defaultdict(list)
        for held in documents:
            if held.size:  # that two files are empty says nothing of them
                self.by_bytes[held.digest].append(held)
            if held.content is not None and held.length:
                self.by_words[held.content].append(held)

    def to(self, held: HeldDocument) -> list[HeldDocument]:
        """The documents of the same bytes; where there are none, those of the same words."""
        return self.by_bytes.get(held.digest) or self.by_words.get(held.content or -1, [])


def _equal(master: HeldDocument, candidate: HeldDocument) -> Match:
    return Match(
        a=master.location,
        b=candidate.location,
        tier="bytes" if master.digest == candidate.digest else "words",
        resemblance=1.0,
        a_in_b=1.0,
        b_in_a=1.0,
        payload=None,
        shared_bytes=candidate.length,
        exact=True,
        low=None,
        high=None,
    )


def _partners(
    rows: Iterable[MatchRow], masters: Set[int], candidates: Set[int | None], decided: VerdictIndex | None
) -> dict[int, list[tuple[int, Match]]]:
    """For contents of the candidate their matches with contents of the master, seen from there; not named yet."""
    nowhere = Location("", b"")
    partners: dict[int, list[tuple[int, Match]]] = defaultdict(list)
    for row in rows:
        first, second, *_ = row
        if decided is not None and (decision := decided.of_pair(first, second)) is not None and decision.parts:
            continue
        for master, candidate, turned in ((first, second, False), (second, first, True)):
            if master in masters and candidate in candidates:
                match = match_of(row, nowhere, nowhere, turned=turned, in_bytes=True)
                partners[candidate].append((master, match))
    return partners


def _named(match: Match, places: list[Location], *, all_copies: bool) -> list[Match]:
    return [replace(match, a=place) for place in (places if all_copies else places[:1])]
