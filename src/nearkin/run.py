"""A run over a store: begun, visible to itself only until it is done, ended with its counts.

`begin` makes a frozen `Run` from a `RunContext`; `until_done` surrounds the work; `end` closes it, in the transaction
that makes its results visible to others. In between are the values that its stages return (nearkin.pipeline) and what
they work with: the writer, the cache, the input of matching and the index.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path

from nearkin.errors import StoreError
from nearkin.group.grouping import Grouped
from nearkin.matching.matcher import MatchInput, MatchResult, Resources
from nearkin.matching.scan_cache import CachedContents, ScanCache, StoredTexts
from nearkin.matching.segment_builder import WAIT, build_segments, first_segment_ahead
from nearkin.matching.template import LeftOut, keep_features, left_out
from nearkin.model import Summary
from nearkin.read.walk import PassedOver
from nearkin.scheme import FORMAT, Scheme, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import audit, runs
from nearkin.store.changes import Changes
from nearkin.store.contents import present_contents, scheme_of
from nearkin.store.custodians import name_custodians
from nearkin.store.database import SHORT_PATIENCE, hold_pages, log_ahead, see, transaction, trusted, turn
from nearkin.store.document_writer import Settlement, Writer
from nearkin.store.documents import count_documents
from nearkin.store.freshness import FileVersions, ReadRules
from nearkin.store.members import mend_members
from nearkin.store.scopes import Scope, relative_to
from nearkin.store.segments import is_behind
from nearkin.store.verdicts import VerdictIndex
from nearkin.text.canon import Canon

# Called with the name of a stage, and the documents and bytes done so far.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class RunContext:
    """The store that a run works on, and how it works."""

    connection: sqlite3.Connection  # which may write
    store: Path
    settings: Settings
    version: str  # of nearkin
    progress: Progress


@dataclass(frozen=True)
class Run(RunContext):
    """A run that has begun."""

    id: int
    subject: str  # the files and folders it reads, in words; empty where it reads none
    started: float  # by the monotonic clock
    scheme: Scheme
    scheme_id: int
    canon: Canon
    canon_id: int
    left_out: LeftOut  # by templates

    @property
    def seconds(self) -> float:
        """How long ago it began."""
        return time.monotonic() - self.started


def begin(context: RunContext, kind: str, *, subject: str = "") -> Run:
    """Note in the store that a run of this kind begins. In a transaction."""
    connection, settings = context.connection, context.settings
    started = time.monotonic()
    hold_pages(connection, settings.run.memory // 8)
    scheme, canon = _scheme_and_canon(settings)
    run = runs.begin(connection, kind=kind, version=context.version, settings=settings.to_json())
    canon_id = runs.canon_id(connection, canon.spec)
    scheme_id = runs.scheme_id(connection, scheme.spec, canon_id, FORMAT)
    keep_features(connection, scheme_id, scheme, canon)
    return Run(
        **vars(context),
        id=run,
        subject=subject,
        started=started,
        scheme=scheme,
        scheme_id=scheme_id,
        canon=canon,
        canon_id=canon_id,
        left_out=left_out(connection, scheme_id, scheme, canon),
    )


def is_current(context: RunContext, scheme_id: int) -> bool:
    """Whether signatures of this scheme of the store are such as a run would make."""
    scheme, canon = _scheme_and_canon(context.settings)
    return scheme_of(context.connection, scheme.spec, canon.spec, FORMAT) == scheme_id


def _scheme_and_canon(settings: Settings) -> tuple[Scheme, Canon]:
    scheme = parse_scheme(settings.scheme)
    return scheme, Canon.of(settings.text, lines=keeps_lines(scheme))


@contextmanager
def until_done(run: Run) -> Iterator[None]:
    """Let the run alone see what it does; where it fails, note that it was interrupted."""
    connection = run.connection
    see(connection, run.id)
    try:
        with trusted(connection):
            yield
    except BaseException:
        with suppress(sqlite3.Error):  # where the store itself failed, the next scan will see it
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            with transaction(connection):
                if runs.interrupt(connection, run.id):
                    _record(run, "scan interrupted", {"run": run.id})
        raise
    finally:
        see(connection)


def end(run: Run, summary: Summary, *, timings: dict[str, float], templates: dict[str, int]) -> None:
    """Note the run's counts and that it is done. In the transaction that stores its results.

    `timings`: seconds of each stage; `templates`: how many the scores leave out, and their state.
    """
    mend_members(run.connection)
    counts = asdict(summary) | {"scheme": run.scheme_id} | templates
    runs.end(run.connection, run.id, counts=counts, timings=timings)
    _record(run, "scan", {"run": run.id, **counts})


def _record(run: Run, action: str, after: dict[str, int]) -> None:
    """Record in the audit what a run has read; where it has read nothing, what led to it is recorded instead."""
    if run.subject:
        audit.record(run.connection, by=audit.login_name(), action=action, subject=run.subject, after=after)


@dataclass(frozen=True)
class Target:
    """The files and folders of a scan, and the scope that holds them."""

    scope: Scope
    starts: tuple[Path, ...]

    @property
    def below(self) -> tuple[bytes, ...]:
        """The paths of the files and folders in the scope."""
        return tuple(relative_to(start, self.scope.root) for start in self.starts)


@dataclass(frozen=True)
class ScanEnd:
    """What a scan has read but others see only when it ends: stored in the transaction that ends it."""

    target: Target
    settlement: Settlement

    def store(self, run: Run) -> None:
        self.settlement.store(run.connection)
        rule = run.settings.walk.custodian
        name_custodians(run.connection, run.id, self.target.scope.id, self.target.below, rule)


@dataclass(frozen=True)
class ReadStage:
    """What a run has read: returned by the reading stage."""

    changes: Changes
    resigned: int  # contents that were signed again
    passed_over: PassedOver
    cache: ScanCache
    closing: tuple[ScanEnd, ...]
    timings: dict[str, float]

    def store_closing(self, run: Run) -> None:
        """In the transaction that ends the run."""
        for scan_end in self.closing:
            scan_end.store(run)

    @property
    def skipped(self) -> dict[str, int]:
        """The counts of what was met and never read."""
        return {"skipped_links": self.passed_over.links, "skipped_special": self.passed_over.special}


def nothing_read() -> ReadStage:
    """The reading of a run over what is stored."""
    return ReadStage(Changes(), 0, PassedOver(), ScanCache(texts=0, signatures=0), closing=(), timings={})


@dataclass(frozen=True)
class MatchStage:
    """The contents that a run has matched, and their matches: returned by the matching stage."""

    given: MatchInput
    result: MatchResult
    seconds: float


@dataclass(frozen=True)
class GroupStage:
    """The families of the matches, and the verdicts they heed: returned by the grouping stage."""

    grouped: Grouped
    decided: VerdictIndex
    seconds: float


def comparable_run(run: Run) -> runs.Previous | None:
    """The finished run whose matches are those of this one, but for what changed since."""
    before = runs.comparable(run.connection, run.scheme_id, run.settings, run.version)
    if before is None or before.counts.get("template_state", 0) != run.left_out.state:
        return None
    return before


def end_as_before(run: Run, reading: ReadStage, before: runs.Previous | None) -> Summary | None:
    """End the run with the results of the one before, where nothing has changed since; None: something has."""
    if reading.changes or reading.resigned or before is None or not before.latest:
        return None
    counts = {field.name: before.counts.get(field.name, 0) for field in fields(Summary)}
    _, failed = count_documents(run.connection)  # also folders, which are no documents that change
    now = {"failed": failed, "resigned": 0, "seconds": round(run.seconds), **reading.skipped}
    summary = replace(Summary(**counts), **asdict(Changes()), **now)
    with turn(run.store), transaction(run.connection):
        if runs.is_noted_after(run.connection, before, "verdict"):
            return None
        reading.store_closing(run)
        end(run, summary, timings=reading.timings, templates=run.left_out.counts)
    return summary


def writer_for(run: Run, scope: Scope) -> Writer:
    """The writer of what a run reads in a scope, with the file versions that the store knows there."""
    rules = ReadRules.of(run.settings, run.canon_id)
    return Writer(
        run.connection,
        scope.id,
        run.id,
        run.canon_id,
        run.scheme_id,
        run.settings.text.keep,
        FileVersions.load(run.connection, scope.id, run.scheme_id, rules),
        coded=run.scheme.estimator.coded,
        turn=partial(turn, run.store),
        room=run.settings.run.memory // 8,
    )


def cache_for(run: Run) -> ScanCache:
    """An empty cache. Without kept texts nothing is verified, rather than as much as this machine happens to have room
    for; more signatures are not joined in memory."""
    room = run.settings.run.memory
    return ScanCache(texts=room // 8 if run.settings.text.keep else 0, signatures=room // 18)


def match_input(run: Run, cache: ScanCache) -> MatchInput:
    """All contents that are present, to be matched and grouped; those just read come from the cache."""
    contents = present_contents(run.connection, run.scheme_id)
    cached = cache.in_order_of(contents)
    limits = run.settings.run
    return MatchInput(
        run.connection,
        run.scheme,
        run.scheme_id,
        contents,
        StoredTexts(run.connection, contents, run.canon, limits.jobs, cached),
        run.settings.match,
        run.left_out,
        Resources(limits.memory, limits.jobs, run.store.parent, partial(run.progress, "join")),
        cached,
    )


def turn_on_log(run: Run) -> None:
    """Use SQLite's log from now on, in a store that this scan makes.

    Before its last files are stored: these are then brought into the store while others are matched. Where something is
    in the way of the log, the next writer says so: nothing that was read is to be lost.
    """
    with suppress(StoreError, sqlite3.OperationalError):
        log_ahead(run.connection, run.store, patience=SHORT_PATIENCE)


def index_ahead(run: Run, cached: CachedContents | None) -> AbstractContextManager[None]:
    """Make the first segment of the index while results are grouped and stored."""
    return first_segment_ahead(
        run.connection,
        run.store,
        run.scheme,
        run.scheme_id,
        ignored=run.left_out.indexed,
        memory=run.settings.run.memory // 4,
        cached=cached,
    )


def update_index(run: Run) -> None:
    """Bring the index up to date after the run: it holds up nobody any more, and checks can do without."""
    memory = run.settings.run.memory // 4
    with suppress(OSError, sqlite3.OperationalError):
        build_segments(
            run.connection, run.store, run.scheme, run.scheme_id, ignored=run.left_out.indexed, memory=memory
        )


def complete_index(run: Run) -> None:
    """Bring the index up to date where a run before was killed as it ended, or had no room."""
    if is_behind(run.connection, run.store, run.scheme_id, least=WAIT):
        update_index(run)
