"""The story of a scan: walk, read and sign, store, match, group.

Nothing here knows how any of it is done. Every batch is stored as it is read, so a scan cut short loses at most one;
matches and families become visible together, when the run ends.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from os import fsencode
from pathlib import Path

from nearkin.engine import local
from nearkin.group.family import ContentFamily, chain
from nearkin.group.pivot import complete_to_pivot
from nearkin.matching.columns import MatchColumns
from nearkin.matching.rest import refuse_other_canons, renew_texts, sign_rest
from nearkin.matching.score import find_matches
from nearkin.matching.template import keep_features, left_out, payload
from nearkin.matching.texts import StoredTexts, TextCache
from nearkin.model import Readings, Summary
from nearkin.read.walk import Unreadable, check_starts, walk
from nearkin.report.families import family_row, stored_matches
from nearkin.report.summary import summarise
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import audit, runs
from nearkin.store.changes import Changes
from nearkin.store.contents import Contents, copies_of, present_contents, signatures
from nearkin.store.database import explained, one_scan, own_files, see, transaction, turn
from nearkin.store.decided import Decided
from nearkin.store.known import Known, Need
from nearkin.store.results import replace_families, replace_matches
from nearkin.store.scopes import Scope, relative_to, scope_for
from nearkin.store.verdicts import all_verdicts
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
                return self._conclude(changes)

    def again(self, change: Callable[[], None] = lambda: None) -> Summary:
        """Match and group what is stored once more: after a change of templates, when there is nothing to read."""
        with explained(self.store), one_scan(self.store):
            with transaction(self.connection):
                change()
                self._begin("regroup")
            with self._until_done():
                return self._conclude(Changes())

    def regroup(self) -> Summary:
        """Group the stored matches once more: after a verdict, which changes no score."""
        with explained(self.store), one_scan(self.store):
            last = runs.last(self.connection)
            with transaction(self.connection):
                self._begin("regroup")
            with self._until_done():
                return self._conclude(Changes(), of=last)

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
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # where the store itself failed, the next scan will see it
                runs.interrupt(self.connection, self.run_id)
                self._audit("scan interrupted", {"run": self.run_id})
            raise
        finally:
            see(self.connection)

    def _audit(self, action: str, after: dict[str, int]) -> None:
        if self.subject:  # whatever is done without reading is told by what led to it
            audit.record(self.connection, by=audit.login_name(), action=action, subject=self.subject, after=after)

    def _conclude(self, changes: Changes, of: runs.Run | None = None) -> Summary:
        """Match, unless the matches of a run are to be grouped again."""
        contents = present_contents(self.connection, self.scheme_id)
        texts = StoredTexts(self.connection, contents, self.canon, self.settings.run.jobs, self.cache)
        with self._timed("match"):
            found = self._match(contents, texts) if of is None else stored_matches(self.connection, of, contents)
        with self._timed("group"):
            decided = Decided(self.connection)
            matches, families = self._group(found, contents, texts, decided)
        stored = time.monotonic()
        with transaction(self.connection):
            if all_verdicts(self.connection) != decided.verdicts:  # someone spoke meanwhile
                matches, families = self._group(found, contents, texts, Decided(self.connection))
            if of is None:
                replace_matches(self.connection, self.scheme_id, found.rows(contents.ids))
            rows = (family_row(family, contents, self.settings.match) for family in families)
            replace_families(self.connection, self.scheme_id, self.run_id, rows)
            took = time.monotonic() - self.started
            limits = self.settings.match
            summary = summarise(self.connection, matches, families, limits, contents=len(contents), seconds=took)
            summary = replace(summary, **asdict(changes), resigned=self.resigned)
            self.timings["store"] = time.monotonic() - stored
            without = {"templates": self.left_out.templates, "template_state": self.left_out.state}
            if of is not None:  # what its scores were made with
                without = {name: of.counts.get(name, 0) for name in without}
            counts = asdict(summary) | {"scheme": self.scheme_id} | without
            runs.end(self.connection, self.run_id, counts=counts, timings=self.timings)
            self._audit("scan", {"run": self.run_id, **counts})
        return summary

    def _read(self, scope: Scope, starts: tuple[Path, ...], below: tuple[bytes, ...]) -> Changes:
        keep = self.settings.text.keep
        known = Known(self.canon_id, self.canon.raw, keep, self.settings.walk.full)
        known.load(self.connection, scope.id, self.scheme_id)
        writer = Writer(
            self.connection,
            scope.id,
            self.run_id,
            self.canon_id,
            self.scheme_id,
            keep,
            known,
            coded=self.scheme.estimator.coded,
            turn=partial(turn, self.store),
        )
        with writer:
            self._read_files(scope, starts, writer)
        changes = writer.finish(below)
        self.resigned = renew_texts(writer, self.scheme, self.canon)
        self.resigned += sign_rest(
            self.connection, self.scheme, self.canon, scheme_id=self.scheme_id, canon_id=self.canon_id
        )
        return changes

    def _read_files(self, scope: Scope, starts: tuple[Path, ...], writer: Writer) -> None:
        unreadable: list[Unreadable] = []
        base = fsencode(scope.root) + b"/"

        def files() -> Iterator[bytes]:
            for met in walk(scope.root, starts, self.settings.walk, leave_out=own_files(self.store)):
                if isinstance(met, Unreadable):
                    unreadable.append(met)
                elif writer.known.meet(met, base + met) is Need.READ:
                    yield met

        how = local.recipe(self.scheme, self.canon, max_size=self.settings.walk.max_size)
        done = size = 0
        jobs, keep = self.settings.run.jobs, self.settings.text.keep
        for batch in local.ingest(fsencode(scope.root), files(), how, jobs=jobs, keep=keep):
            done += len(batch)
            size += sum(batch.sizes)
            self.cache.remember(batch)
            writer.add(batch)
            self.progress("read", done, size)
        for met in unreadable:
            writer.add(Readings.failed(met.path, met.detail))

    def _match(self, contents: Contents, texts: StoredTexts) -> MatchColumns:
        self.progress("match", len(contents), 0)
        signed = signatures(self.connection, self.scheme_id, contents)
        postings = payload(signed, self.scheme, texts, self.left_out)
        ignored = self.left_out.shingles
        return find_matches(
            postings, contents.lengths, texts, self.scheme, self.settings.match, ignored=ignored, **self._room()
        )

    def _group(
        self, matches: MatchColumns, contents: Contents, texts: StoredTexts, decided: Decided
    ) -> tuple[MatchColumns, list[ContentFamily]]:
        """Also the matches that people left to be grouped."""
        self.progress("group", len(matches), 0)
        matches = matches[~decided.apart(matches.a, matches.b, contents.ids)]
        families = chain(matches, contents.lengths, copies_of(self.connection, contents), self.settings.match)
        if self.scheme.measure != "bytes":
            shingler, ignored = self.scheme.shingler, self.left_out.shingles
            complete_to_pivot(families, contents.lengths, texts, shingler=shingler, ignored=ignored, **self._room())
        return matches, families

    def _room(self) -> dict[str, int]:
        return {"memory": self.settings.run.memory // 10, "threads": self.settings.run.jobs}

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - started
