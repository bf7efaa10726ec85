"""Matches with their contents named by documents, strongest first."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from nearkin.errors import UsageError
from nearkin.matching.match_columns import MatchColumns, Payload
from nearkin.model import Location, Match
from nearkin.scheme import cannot_contain, cannot_share_bytes, parse_scheme
from nearkin.store import runs
from nearkin.store.contents import locations
from nearkin.store.documents import documents_of
from nearkin.store.matches import columns_named
from nearkin.store.verdicts import Decided

AT_ONCE = 1000  # matches named


def list_matches(connection: sqlite3.Connection, **asked: Any) -> list[Match]:
    """All of them at once, as `each_match` gives them."""
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
    """At the scan's thresholds, unless others are given; one not given does not apply when the other is.

    Pairs that a person called not similar, or of one form only, are left out unless asked for as `parted`. They are
    columns until they are named, some at a time: half a million as objects were 500 MB.
    """
    run = runs.last(connection)
    bars = bars_of(run, min_resemblance, min_containment, min_shared_bytes)
    found = MatchColumns.stored(columns_named(connection, run.scheme))
    found = found[found.strong(*bars) & (found.shared_bytes >= min_shared_bytes)]
    in_bytes = parse_scheme(run.spec).measure != "cosine"
    listed = _Listed(connection, Decided(connection), run.template, in_bytes, all_copies, parted)
    return islice(listed.strongest_first(found, few=limit is not None), limit)


def bars_of(
    run: runs.Run, min_resemblance: float | None, min_containment: float | None, min_shared_bytes: int
) -> tuple[float, float]:
    """What resemblance and containment must reach: the scan's own thresholds unless one is given, and then the other is
    a bar that nothing reaches. What the run's scheme cannot tell is refused."""
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
    connection: sqlite3.Connection
    decided: Decided
    template: str
    in_bytes: bool
    all_copies: bool
    parted: bool

    def strongest_first(self, found: MatchColumns, *, few: bool) -> Iterator[Match]:
        """Of those that are equally strong, names decide which comes first. `few`: not all will be asked for."""
        contained = np.fmax(np.nan_to_num(found.a_in_b), np.nan_to_num(found.b_in_a))
        order = np.lexsort((-contained, -found.resemblance))
        alike = (np.diff(found.resemblance[order]) == 0) & (np.diff(contained[order]) == 0)
        ends = np.append(np.flatnonzero(~alike) + 1, len(order)) if len(order) else np.zeros(0, np.int64)
        names = None if few else self._all_names()
        start = 0
        while start < len(order):
            # As many as make up a batch, and those that are no weaker than the last.
            end = int(ends[np.searchsorted(ends, min(start + AT_ONCE, len(order)))])
            yield from self._named(found[order[start:end]], names)
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
        first, second, resemblance, *numbers = row
        said = self.decided.of_pair(first, second)
        if said is not None and said.parts and not self.parted:
            return
        a_in_b, b_in_a, score, shared, _, _, exact, low, high, sample = (
            None if number != number else number for number in numbers
        )
        payload = Payload.stored(score, sample)
        many = slice(None) if self.all_copies else slice(1)
        for x in names.get(first, [])[many]:
            for y in names.get(second, [])[many]:
                a, b, share_a, share_b = (x, y, a_in_b, b_in_a) if x < y else (y, x, b_in_a, a_in_b)
                yield Match(
                    a,
                    b,
                    resemblance,
                    share_a,
                    share_b,
                    payload.score,
                    shared if self.in_bytes else None,
                    bool(exact),
                    low,
                    high,
                    payload_exact=payload.exact,
                    payload_low=payload.low,
                    payload_high=payload.high,
                    verdict=None if said is None else said.value,
                    template=self.template,
                )


def _contained(match: Match) -> float:
    return max(match.a_in_b or 0.0, match.b_in_a or 0.0)
