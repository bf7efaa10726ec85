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
from nearkin.matching.build_segments import build_segments
from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns
from nearkin.matching.rest import refuse_other_canons, renew_texts, sign_rest
from nearkin.matching.score import find_matches
from nearkin.matching.texts import StoredTexts, TextCache
from nearkin.model import Readings, Summary
from nearkin.read.walk import Unreadable, check_starts, walk
from nearkin.report.families import family_row
from nearkin.report.summary import summarise
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import runs
from nearkin.store.changes import Changes
from nearkin.store.contents import Contents, copies_of, present_contents, signatures
from nearkin.store.database import explained, one_scan, own_files, see, transaction, turn
from nearkin.store.known import Known, Need
from nearkin.store.results import replace_families, replace_matches
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
                return self._conclude(Changes())

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

    def _conclude(self, changes: Changes) -> Summary:
        contents = present_contents(self.connection, self.scheme_id)
        texts = StoredTexts(self.connection, contents, self.canon, self.settings.run.jobs, self.cache)
        with self._timed("match"):
            matches = self._match(contents, texts)
        with self._timed("group"):
            families = self._group(matches, contents, texts)
        stored = time.monotonic()
        with transaction(self.connection):
            self._store(contents, matches, families)
            took = time.monotonic() - self.started
            limits = self.settings.match
            summary = summarise(self.connection, matches, families, limits, contents=len(contents), seconds=took)
            summary = replace(summary, **asdict(changes), resigned=self.resigned)
            self.timings["store"] = time.monotonic() - stored
            counts = asdict(summary) | {"scheme": self.scheme_id}
            runs.end(self.connection, self.run_id, counts=counts, timings=self.timings)
        with suppress(OSError, sqlite3.OperationalError):  # checks can do without, and will try again
            build_segments(self.connection, self.store, self.scheme, self.scheme_id)
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
        postings = Postings(signed.offsets, signed.features, signed.weights, signed.moduli)
        return find_matches(postings, contents.lengths, texts, self.scheme, self.settings.match, **self._room())

    def _group(self, matches: MatchColumns, contents: Contents, texts: StoredTexts) -> list[ContentFamily]:
        self.progress("group", len(matches), 0)
        families = chain(matches, contents.lengths, copies_of(self.connection, contents), self.settings.match)
        if self.scheme.measure != "bytes":
            complete_to_pivot(families, contents.lengths, texts, shingler=self.scheme.shingler, **self._room())
        return families

    def _store(self, contents: Contents, matches: MatchColumns, families: list[ContentFamily]) -> None:
        replace_matches(self.connection, self.scheme_id, matches.rows(contents.ids))
        rows = (family_row(family, contents, self.settings.match) for family in families)
        replace_families(self.connection, self.scheme_id, self.run_id, rows)

    def _room(self) -> dict[str, int]:
        return {"memory": self.settings.run.memory // 10, "threads": self.settings.run.jobs}

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self.timings[stage] = time.monotonic() - started
