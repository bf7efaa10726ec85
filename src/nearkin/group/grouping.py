"""Grouping a store's matches into families that keep their names, as people's decisions allow."""

from dataclasses import dataclass

import numpy as np

from nearkin import _native
from nearkin.group.chain import chain
from nearkin.group.evidence import Evidence
from nearkin.group.families import Families
from nearkin.group.family_columns import family_columns, held_columns
from nearkin.group.form import large_members, tell_forms
from nearkin.group.naming import named, recall_to_pivot
from nearkin.group.pivot import measure_to_pivot
from nearkin.group.star import count_unlisted
from nearkin.matching.candidates import Postings
from nearkin.matching.collected import Collected
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.matcher import Outcome
from nearkin.matching.payload import PayloadScores
from nearkin.scheme.mod import Exact
from nearkin.store import runs
from nearkin.store.families import record_events
from nearkin.store.matches import replace_families
from nearkin.store.signatures import signatures_of
from nearkin.store.verdicts import Decided


@dataclass(frozen=True)
class Grouped:
    matches: MatchColumns  # that people left to be grouped
    families: Families
    payload: PayloadScores  # of all matches


@dataclass(frozen=True)
class Grouping:
    given: Collected

    def of(self, outcome: Outcome, decided: Decided) -> Grouped:
        matches = outcome.matches
        contents = self.given.contents
        linking = matches[~decided.apart(matches.a, matches.b, contents.ids)]
        evidence = Evidence.of(linking, self.given.settings)
        families = chain(evidence, contents.lengths, contents.copies)
        if self.given.scheme.measure != "bytes":
            if outcome.carried:  # else other scores may have been measured, with other templates
                recall_to_pivot(self.given.connection, self.given.scheme_id, families, contents)
            measure_to_pivot(families, self.given.corpus, self.given.scheme.shingler)
        count_unlisted(families, linking, outcome.hot, len(contents))
        return Grouped(linking, families, self._tell_forms(families, matches))

    def _tell_forms(self, families: Families, matches: MatchColumns) -> PayloadScores:
        """Only the signatures of families that are large enough are looked at."""
        if self.given.scheme.estimator.coded:  # a few numbers of a whole text have no payload
            return PayloadScores.none(len(matches))
        rows = np.sort(large_members(families))
        signed = None if self.given.remembered is None else self.given.remembered.signatures_of(rows)
        signed = signed or signatures_of(self.given.connection, self.given.scheme_id, self.given.contents.ids[rows])
        assert signed is not None, "what was matched is signed"
        sizes = np.zeros(len(self.given.contents), np.int64)
        sizes[rows] = signed.offsets[1:] - signed.offsets[:-1]
        moduli = np.ones(len(self.given.contents), np.uint64)
        moduli[rows] = signed.moduli
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        postings = Postings(offsets, signed.features, signed.weights, moduli)
        threads = self.given.means.threads
        return tell_forms(families, matches, postings, self.given.scheme, self._complete, threads=threads)

    def _complete(self, rows: list[int]) -> Postings | None:
        """All shingles of some contents."""
        shingler = self.given.scheme.shingler
        texts = self.given.texts(rows)
        if shingler is None or any(text is None for text in texts):
            return None
        lists = [_native.sign(Exact(shingler).native(), text or b"")[0] for text in texts]
        offsets = np.cumsum([0, *map(len, lists)], dtype=np.uint64)
        return Postings(offsets, np.concatenate(lists), np.zeros(0, np.uint32), np.ones(len(rows), np.uint64))

    def store(self, grouped: Grouped, run: int) -> None:
        """In the transaction that ends the run."""
        given, families, contents = self.given, grouped.families, self.given.contents
        last = runs.last_families(given.connection, given.scheme_id)
        names = named(given.connection, families, contents, run, last)
        columns = family_columns(families, names, contents, given.settings, run)
        members = held_columns(families, contents)
        replace_families(given.connection, given.scheme_id, columns, families.sizes, members)
        record_events(given.connection, run, names.events)
