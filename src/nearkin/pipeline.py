"""The story of a scan: walk, read and sign, store, match, group.

Nothing here knows how any of it is done. Every batch is stored as it is read, so a scan cut short loses at most one;
what a run found becomes visible all at once, when it ends. What is known from the last run is carried on.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.engine.intake import take_in
from nearkin.engine.local import recipe
from nearkin.engine.reader import largest_document
from nearkin.matching.rest import Rest, refuse_other_canons
from nearkin.model import Summary
from nearkin.read.walk import check_starts
from nearkin.running import Running
from nearkin.store import runs
from nearkin.store.changes import Changes
from nearkin.store.custodian import name_custodians
from nearkin.store.database import explained, one_scan, own_files, transaction, trusted, turn
from nearkin.store.known import Known
from nearkin.store.log import brought_in
from nearkin.store.scopes import Scope, relative_to, scope_for
from nearkin.store.writer import Writer

if TYPE_CHECKING:
    from nearkin.matching.carry import Matcher, Outcome


class Scan(Running):
    """A run that brings a store up to date, or goes over it once more."""

    def run(self, paths: tuple[Path, ...], *, scope_name: str | None) -> Summary:
        """Bring the store up to date with these files and folders."""
        starts = check_starts(paths)
        with explained(self.store), one_scan(self.store):
            self.subject = " ".join(map(str, starts))
            with transaction(self.connection):
                scope = scope_for(self.connection, starts, scope_name)
                below = tuple(relative_to(start, scope.root) for start in starts)
                refuse_other_canons(self.connection, self.canon, scope=scope.id, below=below)
                self._begin("scan")
            with self._until_done():
                with self._timed("read"):
                    changes = self._read(scope, starts, below)
                before = self._carried_on()
                unchanged = changes == Changes() and not self.resigned
                known = self._as_before(before) if unchanged else None
                summary = known or self._conclude(
                    changes, lambda matcher: matcher.since(self._last_of(before), self.store)
                )
        if known is None:
            self._index()
        else:
            self._index_what_was_left()
        return summary

    def again(self, change: Callable[[], None] = lambda: None) -> Summary:
        """Match and group what is stored once more: after a change of templates, when there is nothing to read."""
        with explained(self.store), one_scan(self.store):
            with trusted(self.connection), transaction(self.connection):  # a change may name the run that it begins
                change()
                self._begin("regroup")
            with self._until_done():
                before = self._last_of(self._carried_on())
                summary = self._conclude(Changes(), lambda matcher: matcher.since(before, self.store))
        self._index()
        return summary

    def regroup(self) -> Summary:
        """Group the stored matches once more: after a verdict, which changes no score."""
        with explained(self.store), one_scan(self.store):
            last = runs.last(self.connection)
            hot = last.counts.get("hot", 0)  # which pairs stars left out is known only when they are made
            with transaction(self.connection):
                self.version = self.version if hot else last.version  # of whoever made the scores
                self._begin("regroup")
            with self._until_done():
                if hot:
                    return self._conclude(Changes(), lambda matcher: matcher.everything())
                return self._conclude(Changes(), lambda matcher: matcher.stored(), templates_of=last)

    def _read(self, scope: Scope, starts: tuple[Path, ...], below: tuple[bytes, ...]) -> Changes:
        keep = self.settings.text.keep
        known = Known.under(self.settings, self.canon_id)
        known.load(self.connection, scope.id, self.scheme_id)
        coded, gate, room = self.scheme.estimator.coded, partial(turn, self.store), self.settings.run.memory // 8
        ids = (scope.id, self.run_id, self.canon_id, self.scheme_id)
        writer = Writer(self.connection, *ids, keep, known, coded=coded, turn=gate, room=room)
        with writer:
            take_in(
                writer,
                scope,
                starts,
                recipe(self.scheme, self.canon, max_size=min(self.settings.walk.max_size, largest_document())),
                self.settings,
                leave_out=own_files(self.store),
                remember=self.remembered.remember,
                progress=partial(self.progress, "read"),
                meanwhile=partial(import_module, "nearkin.group.grouping"),  # threads that read do not need Python
            )
        changes = writer.finish(below)

        def settle() -> None:
            writer.settle()
            name_custodians(self.connection, self.run_id, scope.id, below, self.settings.walk.custodian)

        self.settle = settle
        rest = Rest(writer, self.scheme, self.canon, self.settings.run.jobs, self.settings.run.memory)
        self.resigned = known.read_again + rest.renew_texts()
        self.resigned += rest.sign()
        return changes

    def _conclude(
        self, changes: Changes, match: "Callable[[Matcher], Outcome]", templates_of: runs.Run | None = None
    ) -> Summary:
        """`templates_of`: the run that made the scores, where this one makes none."""
        # Imported here: a scan that finds nothing changed needs none of it, and most of its time goes into imports.
        from nearkin.group.grouping import Grouping
        from nearkin.matching.carry import Matcher
        from nearkin.matching.collected import Means
        from nearkin.matching.texts import StoredTexts
        from nearkin.report.summary import summarise
        from nearkin.store.decided import Decided
        from nearkin.store.holdings import present_contents
        from nearkin.store.verdicts import all_verdicts

        with brought_in(self.store):
            contents = present_contents(self.connection, self.scheme_id)
            self.remembered.put_in_order(contents)
            texts = StoredTexts(self.connection, contents, self.canon, self.settings.run.jobs, self.remembered)
            settings, run = self.settings.match, self.settings.run
            means = Means(run.memory, run.jobs, self.store.parent, partial(self.progress, "join"))
            ids = (self.connection, self.scheme, self.scheme_id)
            about = (*ids, contents, texts, settings, self.left_out, means, self.remembered)
            with self._timed("match"):
                self.progress("match", len(contents), 0)
                outcome = match(Matcher(*about))
        self._index_ahead()
        grouping = Grouping(*about)
        with self._timed("group"):
            self.progress("group", len(outcome.matches), 0)
            decided = Decided(self.connection)
            grouped = grouping.of(outcome, decided)
        stored = time.monotonic()
        with turn(self.store), transaction(self.connection):
            if all_verdicts(self.connection) != decided.verdicts:  # someone spoke meanwhile
                grouped = grouping.of(outcome, Decided(self.connection))
            self.settle()
            matches, families = grouped.matches, grouped.families
            outcome.with_payload(grouped.payload).store(self.connection, self.scheme_id, contents)
            grouping.store(grouped, self.run_id)
            took = time.monotonic() - self.started
            found = summarise(self.connection, matches, families, settings, contents=len(contents), seconds=took)
            unlisted = int(families.unlisted.sum())
            hot = {"hot": outcome.hot.features, "hot_links": outcome.hot.links, "unlisted": unlisted}
            summary = replace(found, **asdict(changes), resigned=self.resigned, **hot)
            self.timings["store"] = time.monotonic() - stored
            self._end(summary, self.left_out.counts if templates_of is None else templates_of.template_counts)
        return summary
