"""Grouping: the matches of a run become families, minus those that people keep apart, and the families are stored.

Families carry on the names of the last finished run (nearkin.group.identity) and are stored column by column.
"""

import sqlite3
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from nearkin import _native
from nearkin.group.families import ContentFamily, Evidence, Families, measure_to_pivot
from nearkin.group.form import large_members, mark_forms
from nearkin.group.identity import CurrentFamily, FormerFamily, What, name_families
from nearkin.group.views import chain, count_unlisted
from nearkin.matching.candidates import Postings
from nearkin.matching.match_columns import MatchColumns, PayloadScores
from nearkin.matching.matcher import MatchInput, MatchResult
from nearkin.model import Role, View
from nearkin.scheme.mod import Exact
from nearkin.settings import MatchSettings
from nearkin.store import runs
from nearkin.store.contents import Contents
from nearkin.store.families import (
    FamilyRow,
    documents_by_content,
    documents_of_families,
    family_rows,
    record_events,
    replace_families,
)
from nearkin.store.signatures import signatures_of
from nearkin.store.verdicts import VerdictIndex

ROLES = np.array([Role.MEMBER.value, Role.PART.value], object)


@dataclass(frozen=True)
class Grouped:
    """Families, and what they were made from."""

    matches: MatchColumns  # without those that people keep apart
    families: Families
    payload: PayloadScores  # of all matches


@dataclass(frozen=True)
class Grouping:
    """Makes families of the matches of a run, and stores them."""

    given: MatchInput

    def of(self, outcome: MatchResult, decided: VerdictIndex) -> Grouped:
        matches = outcome.matches
        contents = self.given.contents
        linking = matches[~decided.apart(matches.a, matches.b, contents.ids)]
        evidence = Evidence.of(linking, self.given.settings)
        families = chain(evidence, contents.lengths, contents.copies)
        if self.given.scheme.measure != "bytes":
            if outcome.carried:  # else the last run may have measured with other templates
                recall_to_pivot(self.given.connection, self.given.scheme_id, families, contents)
            measure_to_pivot(families, self.given.corpus, self.given.scheme.shingler)
        count_unlisted(families, linking, outcome.hot, len(contents))
        return Grouped(linking, families, self._mark_forms(families, matches))

    def _mark_forms(self, families: Families, matches: MatchColumns) -> PayloadScores:
        """Load the signatures of families that are large enough, and mark those that are forms."""
        if self.given.scheme.estimator.coded:  # codes of a whole text have no payload
            return PayloadScores.none(len(matches))
        rows = np.sort(large_members(families))
        signed = None if self.given.cached is None else self.given.cached.signatures_of(rows)
        signed = signed or signatures_of(self.given.connection, self.given.scheme_id, self.given.contents.ids[rows])
        assert signed is not None, "matched contents have signatures"
        sizes = np.zeros(len(self.given.contents), np.int64)
        sizes[rows] = signed.offsets[1:] - signed.offsets[:-1]
        moduli = np.ones(len(self.given.contents), np.uint64)
        moduli[rows] = signed.moduli
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        postings = Postings(offsets, signed.features, signed.weights, moduli)
        threads = self.given.resources.threads
        return mark_forms(families, matches, postings, self.given.scheme, self._complete, threads=threads)

    def _complete(self, rows: list[int]) -> Postings | None:
        """Return all shingles of some contents; None where a text was not kept."""
        shingler = self.given.scheme.shingler
        texts = self.given.texts(rows)
        if shingler is None or any(text is None for text in texts):
            return None
        lists = [_native.sign(Exact(shingler).native(), text or b"")[0] for text in texts]
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
        return Postings(offsets, np.concatenate(lists), np.zeros(0, np.uint32), np.ones(len(rows), np.uint64))

    def store(self, grouped: Grouped, run: int) -> None:
        """Store the families, in the transaction that ends the run."""
        given, families, contents = self.given, grouped.families, self.given.contents
        last = runs.last_families(given.connection, given.scheme_id)
        names = named(given.connection, families, contents, run, last)
        columns = family_columns(families, names, contents, given.settings, run)
        members = held_columns(families, contents)
        replace_families(given.connection, given.scheme_id, columns, families.sizes, members)
        record_events(given.connection, run, names.events)


@dataclass(frozen=True)
class Named:
    """Names of families and the events that led to them, in columns as `insert_columns` takes them."""

    founders: list[bytes]
    since: list[int] | int
    events: dict[str, Any]


def named(
    connection: sqlite3.Connection, families: Families, contents: Contents, run: int, last: tuple[int, int] | None
) -> Named:
    """Name the families of this run. `last` is the last finished run and its scheme; None: there was none."""
    if last is None:
        return _founded(families, contents, run)
    known = documents_of_families(connection, last[1], last[0])
    before = [
        FormerFamily(founder, since, frozenset(documents)) for (founder, since), documents in sorted(known.items())
    ]
    documents = documents_by_content(connection)
    ids = contents.numbers
    now = []
    for family in families.listed():
        rows = [family.pivot, *(row for row in (*family.members, *family.parts) if row != family.pivot)]
        holders = frozenset(document for row in rows for document in documents[ids[row]])
        now.append(CurrentFamily(holders, [contents.digests[row] for row in rows]))
    names, events = name_families(before, now)
    return Named(
        [name.founder for name in names],
        [name.since or run for name in names],
        {
            "what": [event.what.value for event in events],
            "family": [event.family for event in events],
            "other": [event.other for event in events],
            "documents": [event.documents for event in events],
        },
    )


def _founded(families: Families, contents: Contents, run: int) -> Named:
    """Name each family by its pivot, as `name_families` does in a first run. People wait for a first run, and making
    sets of documents took a twentieth of it."""
    founders = [contents.digests[pivot] for pivot in families.pivots.tolist()]
    order = np.argsort(families.pivots)  # rows are in order of digests
    documents = np.add.reduceat(contents.copies[families.rows], families.starts) if len(families) else families.sizes
    families_founded = {"family": [founders[at] for at in order.tolist()], "documents": documents[order]}
    return Named(founders, run, {"what": What.FOUNDED.value, "other": None, **families_founded})


def family_row(
    family: ContentFamily,
    contents: Contents,
    settings: MatchSettings,
    view: View = View.CHAIN,
    *,
    founder: bytes | None = None,
) -> FamilyRow:
    """Return a family as it is stored, with content ids for rows. A family without a name is named by its pivot."""
    ids = contents.numbers
    weakest = family.weakest and (ids[family.weakest[0]], ids[family.weakest[1]], family.weakest[2])
    to_pivot, pivot = family.to_pivot.get, family.pivot
    held = [(ids[row], Role.MEMBER.value, row == pivot, to_pivot(row)) for row in family.members]
    held += [(ids[row], Role.PART.value, False, to_pivot(row)) for row in family.parts]
    return FamilyRow(
        founder=founder or contents.digests[family.pivot],
        view=view.value,
        threshold=settings.threshold,
        containment=settings.containment,
        kind=family.kind.value,
        links=family.links,
        weakest=weakest,
        mean_resemblance=family.mean_resemblance,
        contents=held,
        estimated=frozenset([ids[row] for row in family.estimated]),
        unlisted=family.unlisted,
        evaluated=family.evaluated,
        weakest_exact=family.weakest_exact,
        mean_exact=family.mean_exact,
    )


def recall_to_pivot(connection: sqlite3.Connection, scheme: int, families: Families, contents: Contents) -> None:
    """Fill in resemblances to pivots that the last run has measured, so that their texts need not be read again."""
    measured: dict[tuple[int, int], float] = {}
    for stored in family_rows(connection, scheme):
        pivot = next((content for content, _, is_pivot, _ in stored.contents if is_pivot), None)
        for content, _, _, to_pivot in stored.contents:
            if pivot is not None and to_pivot is not None:
                measured[pivot, content] = to_pivot
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    pairs = zip(contents.ids[pivots].tolist(), contents.ids[families.rows[unknown]].tolist(), strict=True)
    families.to_pivot[unknown] = [measured.get(pair, nan) for pair in pairs]


def family_columns(
    families: Families, named: Named, contents: Contents, settings: MatchSettings, run: int
) -> dict[str, Any]:
    """Return the columns of the family table: content ids for rows, NaN for unknown values."""
    linked = families.weakest_a >= 0
    weakest_a, weakest_b = (
        np.where(linked, contents.ids[row], np.nan) for row in (families.weakest_a, families.weakest_b)
    )
    return {
        "founder": named.founders,
        "view": View.CHAIN.value,
        "threshold": settings.threshold,
        "containment": settings.containment,
        "kind": families.kinds,
        "links": families.links,
        "weakest_a": weakest_a,
        "weakest_b": weakest_b,
        "weakest": families.weakest,
        "mean_resemblance": families.means,
        "run": run,
        "since": named.since,
        "unlisted": families.unlisted,
        "weakest_exact": families.weakest_exact,
        "mean_exact": families.mean_exact,
    }


def held_columns(families: Families, contents: Contents) -> dict[str, Any]:
    """Return the columns of all contents that families hold, members before parts."""
    return {
        "content": contents.ids[families.rows],
        "role": ROLES[families.is_part.astype(np.intp)].tolist(),
        "pivot": families.rows == np.repeat(families.pivots, families.sizes),
        "to_pivot": families.to_pivot,
    }
