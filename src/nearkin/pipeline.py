"""The story of a scan: walk, read and sign, store, match, group.

Nothing here knows how any of it is done. Every batch is stored as it is read, so a scan cut short loses at most one;
what a run found becomes visible all at once, when it ends. What is known from the last run is carried on.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.engine.intake import take_in
from nearkin.engine.local import recipe
from nearkin.matching.rest import refuse_other_canons, renew_texts, sign_rest
from nearkin.matching.template import keep_features, left_out
from nearkin.matching.texts import StoredTexts, TextCache
from nearkin.model import Summary
from nearkin.read.walk import check_starts
from nearkin.report.summary import summarise
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import audit, runs
from nearkin.store.changes import Changes
from nearkin.store.contents import present_contents, scheme_of
from nearkin.store.database import explained, one_scan, own_files, see, transaction, trusted, turn
from nearkin.store.decided import Decided
from nearkin.store.known import Known
from nearkin.store.scopes import Scope, relative_to, scope_for
from nearkin.store.verdicts import all_verdicts, decided_since
from nearkin.store.writer import Writer
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.matching.carry import Matcher, Outcome

# Called with the stage's name, and documents and bytes done so far.
Progress = Callable[[str, int, int], None]


@dataclass
class Scan:
    connection: sqlite3.Connection
    store: Path
    settings: Settings
    version: str
    progress: Progress

    def __post_init__(self) -> None:
        self.scheme: Scheme = parse_scheme(self.settings.scheme)
        self.canon = Canon.of(self.settings.text, lines=keeps_lines(self.scheme))
        self.timings: dict[str, float] = {}
        self.subject = ""  # what is read, in words
        self.resigned = 0
        # Without kept texts nothing is verified, rather than as much as this machine happens to have room for.
        self.cache = TextCache(self.settings.run.memory // 8 if self.settings.text.keep else 0)

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
                if changes == Changes() and not self.resigned and (summary := self._as_before(before)):
                    return summary
                summary = self._conclude(changes, lambda matcher: matcher.since(self._last_of(before), self.store))
        self._index()
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
            if last.counts.get("hot", 0):  # which pairs stars left out is known only when they are made
                return self._regroup_all()
            with transaction(self.connection):
                self.version = last.version  # of whoever made the scores
                self._begin("regroup")
            with self._until_done():
                return self._conclude(Changes(), lambda matcher: matcher.stored(), templates_of=last)

    def _regroup_all(self) -> Summary:
        with transaction(self.connection):
            self._begin("regroup")
        with self._until_done():
            return self._conclude(Changes(), lambda matcher: matcher.everything())

    def is_current(self, scheme: int) -> bool:
        """Whether signatures of this scheme of the store are such as this run would make."""
        return scheme_of(self.connection, self.scheme.spec, self.canon.spec, FORMAT) == scheme

    def _begin(self, kind: str) -> None:
        settings = self.settings.to_json()
        self.started = time.monotonic()
        self.run_id = runs.begin(self.connection, kind=kind, version=self.version, settings=settings)
        self.canon_id = runs.canon_id(self.connection, self.canon.spec)
        self.scheme_id = runs.scheme_id(self.connection, self.scheme.spec, self.canon_id, FORMAT)
        keep_features(self.connection, self.scheme_id, self.scheme, self.canon)
        self.left_out = left_out(self.connection, self.scheme_id, self.scheme, self.canon)

    @contextmanager
    def _until_done(self) -> Iterator[None]:
        """What the run does is seen by itself only, until it has finished."""
        see(self.connection, self.run_id)
        try:
            with trusted(self.connection):
                yield
        except BaseException:
            with suppress(sqlite3.Error):  # where the store itself failed, the next scan will see it
                runs.interrupt(self.connection, self.run_id)
                self._audit("scan interrupted", {"run": self.run_id})
            raise
        finally:
            see(self.connection)

    def _read(self, scope: Scope, starts: tuple[Path, ...], below: tuple[bytes, ...]) -> Changes:
        keep = self.settings.text.keep
        known = Known(self.canon_id, self.canon.raw, keep, self.settings.walk.full, self.settings.table.how)
        known.load(self.connection, scope.id, self.scheme_id)
        coded, gate = self.scheme.estimator.coded, partial(turn, self.store)
        writer = Writer(
            self.connection, scope.id, self.run_id, self.canon_id, self.scheme_id, keep, known, coded=coded, turn=gate
        )
        with writer:
            take_in(
                writer,
                scope,
                starts,
                recipe(self.scheme, self.canon, max_size=self.settings.walk.max_size),
                self.settings,
                leave_out=own_files(self.store),
                remember=self.cache.remember,
                progress=partial(self.progress, "read"),
            )
        changes = writer.finish(below)
        self.resigned = known.read_again + renew_texts(writer, self.scheme, self.canon)
        ids = {"scheme_id": self.scheme_id, "canon_id": self.canon_id}
        self.resigned += sign_rest(self.connection, self.scheme, self.canon, **ids)
        return changes

    def _conclude(
        self, changes: Changes, match: "Callable[[Matcher], Outcome]", templates_of: runs.Run | None = None
    ) -> Summary:
        """`templates_of`: the run that made the scores, where this one makes none."""
        # Imported here: a scan that finds nothing changed needs none of it, and most of its time goes into imports.
        from nearkin.group.grouping import Grouping
        from nearkin.matching.carry import Matcher

        contents = present_contents(self.connection, self.scheme_id)
        texts = StoredTexts(self.connection, contents, self.canon, self.settings.run.jobs, self.cache)
        settings, memory, threads = self.settings.match, self.settings.run.memory // 10, self.settings.run.jobs
        about = (
            self.connection,
            self.scheme,
            self.scheme_id,
            contents,
            texts,
            settings,
            self.left_out,
            memory,
            threads,
        )
        with self._timed("match"):
            self.progress("match", len(contents), 0)
            outcome = match(Matcher(*about))
        grouping = Grouping(*about)
        with self._timed("group"):
            self.progress("group", len(outcome.matches), 0)
            decided = Decided(self.connection)
            grouped = grouping.of(outcome.matches, decided, outcome.hot)
        stored = time.monotonic()
        with turn(self.store), transaction(self.connection):
            if all_verdicts(self.connection) != decided.verdicts:  # someone spoke meanwhile
                grouped = grouping.of(outcome.matches, Decided(self.connection), outcome.hot)
            matches, families = grouped.matches, grouped.families
            outcome.with_payload(grouped.payload).store(self.connection, self.scheme_id, contents)
            grouping.store(families, self.run_id)
            took = time.monotonic() - self.started
            found = summarise(self.connection, matches, families, settings, contents=len(contents), seconds=took)
            hot = {"hot": outcome.hot.features, "unlisted": sum(family.unlisted for family in families)}
            summary = replace(found, **asdict(changes), resigned=self.resigned, **hot)
            self.timings["store"] = time.monotonic() - stored
            self._end(summary, self.left_out.counts if templates_of is None else templates_of.template_counts)
        return summary

    def _index(self) -> None:
        """After the scan: it holds up nobody any more, and checks can do without."""
        from nearkin.matching.build_segments import build_segments

        with suppress(OSError, sqlite3.OperationalError):
            build_segments(self.connection, self.store, self.scheme, self.scheme_id, ignored=self.left_out.indexed)

    def _carried_on(self) -> runs.Previous | None:
        """The run whose matches are those of this one, but for what changed."""
        before = runs.comparable(self.connection, self.scheme_id, self.settings, self.version)
        if before is None or before.counts.get("template_state", 0) != self.left_out.state:
            return None
        return before

    @staticmethod
    def _last_of(before: runs.Previous | None) -> int | None:
        """Stars are made as a whole: after them everything is matched."""
        return None if before is None or before.counts.get("hot", 0) else before.id

    def _as_before(self, before: runs.Previous | None) -> Summary | None:
        """What was found then is found again, unless someone decided something since."""
        if before is None or not before.latest:
            return None
        counts = {field.name: before.counts.get(field.name, 0) for field in fields(Summary)}
        took = round(time.monotonic() - self.started)
        summary = replace(Summary(**counts), **asdict(Changes()), resigned=0, seconds=took)
        with turn(self.store), transaction(self.connection):
            if decided_since(self.connection, before.ended):
                return None
            self._end(summary, self.left_out.counts)
        return summary

    def _end(self, summary: Summary, templates: dict[str, int]) -> None:
        counts = asdict(summary) | {"scheme": self.scheme_id} | templates
        runs.end(self.connection, self.run_id, counts=counts, timings=self.timings)
        self._audit("scan", {"run": self.run_id, **counts})

    def _audit(self, action: str, after: dict[str, int]) -> None:
        if self.subject:  # whatever is done without reading is told by what led to it
            audit.record(self.connection, by=audit.login_name(), action=action, subject=self.subject, after=after)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - started
