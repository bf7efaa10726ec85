"""Grouping a store's matches into families that keep their names, as people's decisions allow."""

import sqlite3
from dataclasses import astuple, dataclass

from nearkin.group.chain import chain
from nearkin.group.evidence import Evidence
from nearkin.group.family import ContentFamily
from nearkin.group.naming import family_row, named, recall_to_pivot
from nearkin.group.pivot import complete_to_pivot
from nearkin.matching.columns import MatchColumns
from nearkin.matching.template import LeftOut
from nearkin.matching.verify import Texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store import runs
from nearkin.store.contents import Contents, copies_of
from nearkin.store.decided import Decided
from nearkin.store.family_history import record_events
from nearkin.store.results import replace_families


@dataclass(frozen=True)
class Grouping:
    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    contents: Contents
    texts: Texts
    settings: MatchSettings
    left_out: LeftOut
    memory: int
    threads: int

    def of(self, matches: MatchColumns, decided: Decided) -> tuple[MatchColumns, list[ContentFamily]]:
        """Also the matches that people left to be grouped."""
        contents = self.contents
        linking = matches[~decided.apart(matches.a, matches.b, contents.ids)]
        evidence = Evidence.of(linking, self.settings)
        families = chain(evidence, contents.lengths, copies_of(self.connection, contents))
        if self.scheme.measure != "bytes":
            if not self.left_out.templates:  # what was measured with templates says nothing of the payload
                recall_to_pivot(self.connection, self.scheme_id, families, contents)
            complete_to_pivot(
                families,
                contents.lengths,
                self.texts,
                shingler=self.scheme.shingler,
                ignored=self.left_out.shingles,
                memory=self.memory,
                threads=self.threads,
            )
        return linking, families

    def store(self, families: list[ContentFamily], run: int) -> None:
        """In the transaction that ends the run."""
        names, events = named(self.connection, families, self.contents, runs.last_finished(self.connection))
        rows = (
            family_row(family, self.contents, self.settings, founder=name.founder, since=name.since or run)
            for family, name in zip(families, names, strict=True)
        )
        replace_families(self.connection, self.scheme_id, run, rows)
        record_events(self.connection, run, (astuple(event) for event in events))
