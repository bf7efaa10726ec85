"""The story of a scan: walk, read and sign, store, match, group.

Nothing here knows how any of it is done. Every batch is stored as it is read, so a scan cut short loses at most one;
matches and families become visible together, when the run ends.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, fields, replace
from functools import partial
from pathlib import Path

from nearkin.engine.intake import take_in
from nearkin.engine.local import recipe
from nearkin.group.family import ContentFamily, chain
from nearkin.group.naming import named, recall_to_pivot
from nearkin.group.pivot import complete_to_pivot
from nearkin.matching.carry import Matcher, Outcome
from nearkin.matching.columns import MatchColumns
from nearkin.matching.rest import refuse_other_canons, renew_texts, sign_rest
from nearkin.matching.texts import StoredTexts, TextCache
from nearkin.model import Summary
from nearkin.read.walk import check_starts
from nearkin.report.families import family_row
from nearkin.report.summary import summarise
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import runs
from nearkin.store.changes import Changes
from nearkin.store.contents import Contents, copies_of, present_contents, scheme_of
from nearkin.store.database import explained, one_scan, own_files, see, transaction, turn
from nearkin.store.family_history import record_events
from nearkin.store.known import Known
from nearkin.store.results import replace_families
from nearkin.store.scopes import Scope, relative_to, scope_for
from nearkin.store.writer import Writer
from nearkin.text.canon import Canon

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
        self.resigned = 0
        # Without kept texts nothing is verified, rather than as much as this machine happens to have room for.
        self.cache = TextCache(self.settings.run.memory // 8 if self.settings.text.keep else 0)

    def run(self, paths: tuple[Path, ...], *, scope_name: str | None) -> Summary:
        """Bring the store up to date with these files and folders."""
        starts = check_starts(paths)
        with explained(self.store), one_scan(self.store):
            with transaction(self.connection):
                scope = scope_for(self.connection, starts, scope_name)
                below = tuple(relative_to(start, scope.root) for start in starts)
                refuse_other_canons(self.connection, self.canon, scope=scope.id, below=below)
                self._begin("scan")
            with self._until_done():
                with self._timed("read"):
                    changes = self._read(scope, starts, below)
                return self._conclude(changes)

    def again(self) -> Summary:
        """Match and group what is stored once more: after a decision, when there is nothing to read."""
        with explained(self.store), one_scan(self.store):
            with transaction(self.connection):
                self._begin("regroup")
            with self._until_done():
                return self._conclude()

    def is_current(self, scheme: int) -> bool:
        """Whether signatures of this scheme of the store are such as this run would make."""
        return scheme_of(self.connection, self.scheme.spec, self.canon.spec, FORMAT) == scheme

    def _begin(self, kind: str) -> None:
        settings = self.settings.to_json()
        self.started = time.monotonic()
        self.run_id = runs.begin(self.connection, kind=kind, version=self.version, settings=settings)
        self.canon_id = runs.canon_id(self.connection, self.canon.spec)
        self.scheme_id = runs.scheme_id(self.connection, self.scheme.spec, self.canon_id, FORMAT)

    @contextmanager
    def _until_done(self) -> Iterator[None]:
        """What the run does is seen by itself only, until it has finished."""
        see(self.connection, self.run_id)
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # where the store itself failed, the next scan will see it
                runs.interrupt(self.connection, self.run_id)
            raise
        finally:
            see(self.connection)

    def _read(self, scope: Scope, starts: tuple[Path, ...], below: tuple[bytes, ...]) -> Changes:
        keep = self.settings.text.keep
        known = Known(self.canon_id, self.canon.raw, keep, self.settings.walk.full)
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

    def _conclude(self, changes: Changes | None = None) -> Summary:
        """`changes` are what a scan found; None: something else has changed."""
        before = runs.comparable(self.connection, self.scheme_id, self.settings, self.version)
        if before is not None and before.latest and changes == Changes() and not self.resigned:
            return self._as_before(before)
        contents = present_contents(self.connection, self.scheme_id)
        texts = StoredTexts(self.connection, contents, self.canon, self.settings.run.jobs, self.cache)
        with self._timed("match"):
            outcome = self._match(contents, texts, before)
        with self._timed("group"):
            families = self._group(outcome.matches, contents, texts)
        stored = time.monotonic()
        with turn(self.store), transaction(self.connection):
            outcome.store(self.connection, self.scheme_id, contents)
            self._store_families(families, contents)
            limits, took = self.settings.match, time.monotonic() - self.started
            found = summarise(self.connection, outcome.matches, families, limits, contents=len(contents), seconds=took)
            summary = replace(found, **asdict(changes or Changes()), resigned=self.resigned)
            self.timings["store"] = time.monotonic() - stored
            self._end(summary)
        return summary

    def _as_before(self, before: runs.Previous) -> Summary:
        """Nothing has changed: what was found then is found again."""
        counts = {field.name: before.counts.get(field.name, 0) for field in fields(Summary)}
        took = round(time.monotonic() - self.started)
        summary = replace(Summary(**counts), **asdict(Changes()), resigned=0, seconds=took)
        with transaction(self.connection):
            self._end(summary)
        return summary

    def _end(self, summary: Summary) -> None:
        counts = asdict(summary) | {"scheme": self.scheme_id}
        runs.end(self.connection, self.run_id, counts=counts, timings=self.timings)

    def _match(self, contents: Contents, texts: StoredTexts, before: runs.Previous | None) -> Outcome:
        self.progress("match", len(contents), 0)
        room = self._room()
        matcher = Matcher(self.connection, self.scheme, self.scheme_id, contents, texts, self.settings.match, **room)
        return matcher.everything() if before is None else matcher.since(before.id)

    def _group(self, matches: MatchColumns, contents: Contents, texts: StoredTexts) -> list[ContentFamily]:
        self.progress("group", len(matches), 0)
        families = chain(matches, contents.lengths, copies_of(self.connection, contents), self.settings.match)
        if self.scheme.measure != "bytes":
            recall_to_pivot(self.connection, self.scheme_id, families, contents)
            complete_to_pivot(families, contents.lengths, texts, shingler=self.scheme.shingler, **self._room())
        return families

    def _store_families(self, families: list[ContentFamily], contents: Contents) -> None:
        last = runs.last_finished(self.connection)
        names, events = named(self.connection, families, contents, last)
        rows = (
            family_row(family, contents, self.settings.match, founder=name.founder, since=name.since or self.run_id)
            for family, name in zip(families, names, strict=True)
        )
        replace_families(self.connection, self.scheme_id, self.run_id, rows)
        record_events(self.connection, self.run_id, (astuple(event) for event in events))

    def _room(self) -> dict[str, int]:
        return {"memory": self.settings.run.memory // 10, "threads": self.settings.run.jobs}

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - started
