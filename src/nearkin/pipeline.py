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

from nearkin.engine.reader import largest_document
from nearkin.engine.scan_files import recipe, take_in
from nearkin.matching.resign import Rest, refuse_other_canons
from nearkin.model import Summary
from nearkin.read.walk import check_starts
from nearkin.run import Running
from nearkin.store import runs
from nearkin.store.changes import Changes
from nearkin.store.custodians import name_custodians
from nearkin.store.database import brought_in, explained, one_scan, own_files, transaction, trusted, turn
from nearkin.store.scopes import Scope, relative_to, scope_for

if TYPE_CHECKING:
    from nearkin.matching.matcher import Matcher, Outcome


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
                found_again = self._as_before(before) if unchanged else None
                summary = found_again or self._conclude(
                    changes, lambda matcher: matcher.since(self._last_of(before), self.store)
                )
        if found_again is None:
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
        with self._writer(scope) as writer:
            passed_over = take_in(
                writer,
                scope,
                starts,
                recipe(self.scheme, self.canon, max_size=min(self.settings.walk.max_size, largest_document())),
                self.settings,
                leave_out=own_files(self.store),
                remember=self.remembered.remember,
                progress=partial(self.progress, "read"),
                meanwhile=partial(import_module, "nearkin.query.totals"),  # threads that read do not need Python
                all_listed=self._log_ahead,
            )
        self.skipped = {"skipped_links": passed_over.links, "skipped_special": passed_over.special}
        changes = writer.finish(below)
        custodians = partial(name_custodians, self.connection, self.run_id, scope.id, below)
        self.at_the_end += [writer.settle, partial(custodians, self.settings.walk.custodian)]
        rest = Rest(writer, self.scheme, self.canon, self.settings.run.jobs, self.settings.run.memory)
        self.resigned = writer.known.read_again + rest.renew_texts() + rest.sign()
        return changes

    def _conclude(
        self, changes: Changes, match: "Callable[[Matcher], Outcome]", templates_of: runs.Run | None = None
    ) -> Summary:
        """`templates_of`: the run that made the scores, where this one makes none."""
        # Imported here: a scan that finds nothing changed needs none of it, and most of its time goes into imports.
        from nearkin.group.grouping import Grouping
        from nearkin.matching.matcher import Matcher
        from nearkin.query.totals import summarise
        from nearkin.store.verdicts import Decided, all_verdicts

        with brought_in(self.store):
            collected = self._collect()
            with self._timed("match"):
                self.progress("match", len(collected.contents), 0)
                outcome = match(Matcher(collected))
        self._index_ahead()
        grouping = Grouping(collected)
        with self._timed("group"):
            self.progress("group", len(outcome.matches), 0)
            decided = Decided(self.connection)
            grouped = grouping.of(outcome, decided)
        began = time.monotonic()
        with turn(self.store), transaction(self.connection):
            if all_verdicts(self.connection) != decided.verdicts:  # a verdict was given meanwhile
                grouped = grouping.of(outcome, Decided(self.connection))
            self.settle()
            outcome.with_payload(grouped.payload).store(self.connection, self.scheme_id, collected.contents)
            grouping.store(grouped, self.run_id)
            found = summarise(self.connection, grouped, self.settings.match, len(collected.contents), self.seconds)
            unlisted = int(grouped.families.unlisted.sum())
            hot = {"hot": outcome.hot.features, "hot_links": outcome.hot.links, "unlisted": unlisted}
            summary = replace(found, **asdict(changes), resigned=self.resigned, **hot, **self.skipped)
            self.timings["store"] = time.monotonic() - began
            self._end(summary, self.left_out.counts if templates_of is None else templates_of.template_counts)
        return summary
