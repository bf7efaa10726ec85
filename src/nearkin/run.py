"""A run: begun, seen by itself only until it has finished, ended with its counts, or carried on from the one before."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.errors import StoreError
from nearkin.matching.scan_cache import Remembered
from nearkin.matching.template import keep_features, left_out
from nearkin.model import Summary
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import audit, runs
from nearkin.store.changes import Changes
from nearkin.store.contents import scheme_of
from nearkin.store.database import SHORT_PATIENCE, hold_pages, log_ahead, see, transaction, trusted, turn
from nearkin.store.document_writer import Writer
from nearkin.store.documents import count_documents
from nearkin.store.freshness import Known
from nearkin.store.members import mend_members
from nearkin.store.scopes import Scope
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.matching.matcher import Collected
    from nearkin.matching.segment_builder import SegmentAhead

# Called with the stage's name, and documents and bytes done so far.
Progress = Callable[[str, int, int], None]


@dataclass
class Running:
    """What a run has at hand, and what it has come to."""

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
        self.skipped = {"skipped_links": 0, "skipped_special": 0}
        self.ahead: SegmentAhead | None = None  # the index, made meanwhile
        self.at_the_end: list[Callable[[], None]] = []  # what others would see at once
        room = self.settings.run.memory
        hold_pages(self.connection, room // 8)
        # Without kept texts nothing is verified, rather than as much as this machine happens to have room for; more
        # signatures are not joined in memory.
        self.remembered = Remembered(texts=room // 8 if self.settings.text.keep else 0, signatures=room // 18)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started

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
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                with transaction(self.connection):
                    if runs.interrupt(self.connection, self.run_id):
                        self._audit("scan interrupted", {"run": self.run_id})
            if self.ahead is not None:
                self.ahead.give_up(self.connection)
            raise
        else:
            if self.ahead is not None:
                with suppress(OSError, sqlite3.OperationalError):
                    self.ahead.name(self.connection)
        finally:
            see(self.connection)

    def _writer(self, scope: Scope) -> Writer:
        """Of what this run reads in a scope, with what is known of it."""
        known = Known.under(self.settings, self.canon_id)
        known.load(self.connection, scope.id, self.scheme_id)
        return Writer(
            self.connection,
            scope.id,
            self.run_id,
            self.canon_id,
            self.scheme_id,
            self.settings.text.keep,
            known,
            coded=self.scheme.estimator.coded,
            turn=partial(turn, self.store),
            room=self.settings.run.memory // 8,
        )

    def _log_ahead(self) -> None:
        """Where this scan has made the store. Before its last files are stored: to bring these into the store is then
        waited for while others are matched. What is in the way of the log will be told to whoever writes next: of what
        was read nothing is to be lost."""
        with suppress(StoreError, sqlite3.OperationalError):
            log_ahead(self.connection, self.store, patience=SHORT_PATIENCE)

    def _collect(self) -> "Collected":
        """All that is there to be matched and grouped."""
        from nearkin.matching.matcher import Collected, Means
        from nearkin.matching.scan_cache import StoredTexts
        from nearkin.store.contents import present_contents

        contents = present_contents(self.connection, self.scheme_id)
        self.remembered.put_in_order(contents)
        run = self.settings.run
        return Collected(
            self.connection,
            self.scheme,
            self.scheme_id,
            contents,
            StoredTexts(self.connection, contents, self.canon, run.jobs, self.remembered),
            self.settings.match,
            self.left_out,
            Means(run.memory, run.jobs, self.store.parent, partial(self.progress, "join")),
            self.remembered,
        )

    def _index_ahead(self) -> None:
        from nearkin.matching.segment_builder import SegmentAhead

        about = (self.store, self.scheme, self.scheme_id)
        memory = self.settings.run.memory // 4
        with suppress(OSError):
            self.ahead = SegmentAhead(*about, ignored=self.left_out.indexed, memory=memory, remembered=self.remembered)

    def _index(self) -> None:
        """After the scan: it holds up nobody any more, and checks can do without."""
        from nearkin.matching.segment_builder import build_segments

        self.remembered.let_go()  # nothing is measured any more
        with suppress(OSError, sqlite3.OperationalError):
            about = (self.connection, self.store, self.scheme, self.scheme_id)
            build_segments(*about, ignored=self.left_out.indexed, memory=self.settings.run.memory // 4)

    def _index_what_was_left(self) -> None:
        """After a scan that found nothing changed: by one before that was killed as it ended, or had no room."""
        from nearkin.matching.segment_builder import WAIT
        from nearkin.store.segments import is_behind

        if is_behind(self.connection, self.store, self.scheme_id, least=WAIT):
            self._index()

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
        _, failed = count_documents(self.connection)  # also folders, which are no documents that change
        now = {"failed": failed, "resigned": 0, "seconds": round(self.seconds), **self.skipped}
        summary = replace(Summary(**counts), **asdict(Changes()), **now)
        with turn(self.store), transaction(self.connection):
            if runs.is_noted_after(self.connection, before, "verdict"):
                return None
            self.settle()
            self._end(summary, self.left_out.counts)
        return summary

    def settle(self) -> None:
        """In the transaction that ends the run."""
        for step in self.at_the_end:
            step()

    def _end(self, summary: Summary, templates: dict[str, int]) -> None:
        mend_members(self.connection)
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
