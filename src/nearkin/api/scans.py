"""Scans: done, forecast, and what they would read.

What the last scan found, for the page that a person sees after it.

Everything is as of one moment, and computed when it is asked for: after a scan that found nothing changed nobody asks
for families.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any, Unpack

from nearkin.api.care import LostScope
from nearkin.api.options import AnyPath, ScanOptions, paths_of, settings_of
from nearkin.api.session import Progress, no_progress
from nearkin.environment import version
from nearkin.errors import InputError, NearkinError
from nearkin.model import Document, IdenticalGroup, Match, Summary
from nearkin.query.store_view import is_scoped, opened, score_name, total_bytes, without_text
from nearkin.read.walk import check_starts, root_of, walk
from nearkin.settings import Settings, WalkSettings
from nearkin.store import runs
from nearkin.store.contents import count_stale
from nearkin.store.database import connect, explained, own_files
from nearkin.store.documents import (
    identical_groups,
    nothing_read,
    only_failure,
    overhead_of_copies,
    present,
    rows_gone,
    tables_without_text,
)

if TYPE_CHECKING:
    from nearkin.forecast.estimate import Forecast
    from nearkin.query.families import Overview


def scan(
    store: Path, paths: AnyPath | Iterable[AnyPath], scope: str | None, progress: Progress | None, options: ScanOptions
) -> Summary:
    """Bring a store up to date. Wrong options or paths are refused before a store is made."""
    from nearkin.pipeline import scan as run_scan  # here: a forecast and a count of files need none of it
    from nearkin.run import RunContext

    settings = settings_of(options)
    starts = check_starts(paths_of(paths))
    _refuse_other_tables(starts, settings)
    if settings.walk.custodian is not None:
        from nearkin.store.custodians import rule_of

        rule_of(settings.walk.custodian)
    connection = connect(store, create=True, write=True, logged=False)
    try:
        with explained(store):
            context = RunContext(connection, store, settings, version(), progress or no_progress)
            return run_scan(context, starts, scope_name=scope)
    finally:
        connection.close()


def plan_scan(paths: AnyPath | Iterable[AnyPath], **options: Unpack[ScanOptions]) -> "Forecast":
    """Documents, bytes, time, memory, disk, matches and hot features to expect of `Store.scan` with these options, from
    a sample. Nothing is written."""
    from nearkin.forecast.estimate import forecast
    from nearkin.forecast.rehearsal import rehearse
    from nearkin.forecast.survey import survey

    settings = settings_of(options)
    starts = check_starts(paths_of(paths))
    _refuse_other_tables(starts, settings)
    surveyed = survey(starts, settings)
    return forecast(surveyed, rehearse(surveyed, settings, version()), settings)


def files_to_scan(store: Path, paths: AnyPath | Iterable[AnyPath], options: Mapping[str, Any]) -> Iterator[object]:
    """The files that a scan of these paths would read into a store, one by one."""
    starts = check_starts(paths_of(paths))
    return iter(walk(root_of(starts), starts, settings_of(options).walk, leave_out=own_files(store)))


def has_unfinished_documents(store: Path) -> bool:
    """Whether an unfinished scan has left documents, with which the next one goes on."""
    from nearkin.query.store_view import opened
    from nearkin.store.inventory import UNFINISHED

    try:
        with opened(store) as connection:
            return connection.execute(f"SELECT 1 {UNFINISHED} LIMIT 1").fetchone() is not None
    except NearkinError:
        return False


def refuse_unreadable(*paths: Path) -> None:
    """Raise an error where none of these files and folders can be opened; one is enough to go on with, as in a scan."""
    reason = ""
    for path in paths:
        try:
            if path.is_dir():
                with os.scandir(path):
                    return
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))  # a FIFO is refused later, not waited for
            return
        except OSError as error:
            reason = reason or f"Cannot read {path}: {(error.strerror or str(error)).lower()}."
    raise InputError(reason)


def refuse_reports(paths: Iterable[Path]) -> None:
    """Refuse reports that could not be written after a scan: better before it than after hours."""
    from nearkin.report.export import refuse_unknown

    for path in paths:
        refuse_unknown(path, table=None, links=False)


def _refuse_other_tables(starts: tuple[Path, ...], settings: Settings) -> None:
    """Where a column was named, refuse tables without it."""
    if settings.table.text_column is None:
        return
    from nearkin.read.table import columns_of
    from nearkin.read.table_reader import check_tables

    columns = columns_of(settings.table)
    assert columns is not None
    check_tables(starts, settings.walk, columns)


@dataclass(frozen=True)
class TablesAsDocuments:
    """Tables that a scan read as one document each, where rows may have been meant."""

    rows_gone: int  # rows of earlier scans that count as gone
    named: Path | None  # the one table that was named, alone
    columns: list[str]  # of that table, as far as they are known
    number: int  # of tables that were named, or that have no text as a whole


@dataclass(frozen=True)
class ScanNotes:
    """What a person should know beside the result of a scan: what else has changed, and what lies no longer where it
    was."""

    moved: tuple[tuple[str, str], ...]  # scopes whose folder is now another, and where that is
    is_empty: bool  # no file was met
    idle_globs: tuple[str, ...]  # filters that matched nothing
    out_of_reach: int  # documents in folders that could not be read
    tables: TablesAsDocuments | None
    filters: tuple[WalkSettings, WalkSettings] | None  # of the last scan of the same, and of this one
    keeps_old_texts: bool  # texts of earlier scans stay, though this one kept none
    lost: list[LostScope]


@dataclass(frozen=True)
class ScanResult:
    """A store after a scan of these files and folders."""

    store: Path
    connection: Connection
    starts: tuple[Path, ...]

    @cached_property
    def scoped(self) -> bool:
        """Whether paths alone are ambiguous."""
        return is_scoped(self.connection)

    @property
    def score(self) -> str:
        """What the scores are called: resemblance, or cosine under scheme fuzzy."""
        return score_name(self.connection)

    @property
    def bytes(self) -> int:
        """Bytes of all documents that lie in no other."""
        return total_bytes(self.connection)

    @property
    def scanned(self) -> int:
        """Documents of the store that are in what was scanned now."""
        return runs.count_below(self.connection, self.starts)[0]

    @cached_property
    def _last(self) -> runs.LastScan | None:
        return runs.last_scan(self.connection)

    @property
    def is_unchanged(self) -> bool:
        """Whether the scan found everything as it had been left."""
        return self._last is not None and not self._last.matched

    def failed(self) -> list[Document]:
        """Files that could not be read, in the whole store."""
        return present(self.connection, failed=True)

    def failed_by_reason(self, *, everywhere: bool) -> dict[str, int]:
        """How many files failed of each reason, most first: in the whole store, or in what was scanned now."""
        return runs.failed_by_reason(self.connection, None if everywhere else self.starts)

    @property
    def is_nothing_read(self) -> bool:
        """Whether all that was named failed as a whole."""
        return nothing_read(self.connection, self.starts)

    @property
    def only_failure(self) -> str | None:
        """Why the one file that was named failed."""
        return only_failure(self.connection, self.starts)

    @property
    def templates(self) -> int:
        """How many templates the scores leave out."""
        return runs.last(self.connection).templates

    @property
    def textless(self) -> int:
        """Documents that have nothing to be read as text."""
        return without_text(self.connection)

    @property
    def stale(self) -> int:
        """Documents of other folders that an older nearkin has read."""
        return count_stale(self.connection)

    def identical(self, limit: int) -> list[IdenticalGroup]:
        """The largest groups of identical documents."""
        return identical_groups(self.connection, limit)

    @property
    def overhead(self) -> int:
        """Bytes that copies of the same bytes take."""
        return overhead_of_copies(self.connection)

    def families(self, limit: int) -> "Overview":
        """How many families there are, and the largest."""
        from nearkin.query.families import overview

        return overview(self.connection, limit)

    def matches(self, limit: int) -> list[Match]:
        """The strongest matches."""
        from nearkin.query.matches import list_matches

        return list_matches(self.connection, limit=limit)

    def store_size(self) -> int:
        """Bytes of the store on disk, with all that lies beside it."""
        from nearkin.store.maintenance import total_size

        return total_size(self.store)

    @cached_property
    def notes(self) -> ScanNotes:
        """What a person should know beside the result."""
        connection, starts, scan = self.connection, self.starts, self._last
        lost = [LostScope(*scope) for scope in runs.lost_scopes(connection)]
        if scan is None:
            return ScanNotes((), False, (), 0, None, None, False, lost)
        return ScanNotes(
            moved=scan.moved,
            is_empty=not runs.is_any_below(connection, starts),
            idle_globs=self._idle_globs(scan.settings.walk),
            out_of_reach=runs.out_of_reach(connection, starts),
            tables=self._tables(scan.run) if scan.settings.table.text_column is None else None,
            filters=None if scan.before is None else (scan.before.walk, scan.settings.walk),
            keeps_old_texts=not scan.settings.text.keep and runs.keeps_texts(connection),
            lost=lost,
        )

    def _idle_globs(self, settings: WalkSettings) -> tuple[str, ...]:
        """Filters that made no difference, such as a path from elsewhere. To know them the folders are listed again."""
        if not settings.include and not settings.exclude:
            return ()
        from nearkin.read.globs import PathFilter
        from nearkin.read.walk import walk
        from nearkin.store.scopes import all_scopes

        choice = PathFilter(settings)
        for scope in all_scopes(self.connection):
            below = [scope.root / os.fsdecode(path) for path in runs.in_scope(scope, self.starts)]
            for _ in walk(scope.root, tuple(below), settings, choice=choice) if below else ():
                pass
        return choice.idle

    def _tables(self, run: int) -> TablesAsDocuments:
        from nearkin.read.table import BrokenTableError, table_kind
        from nearkin.read.table_reader import table_columns

        kinds = {start: table_kind(os.fsencode(start)) for start in self.starts if start.is_file()}
        named = [start for start, kind in kinds.items() if kind is not None]
        columns: list[str] = []
        if len(named) == 1 and (kind := kinds[named[0]]) is not None:
            try:
                columns = list(table_columns(os.fsencode(named[0]), kind))
            except BrokenTableError:
                columns = []
        gone = rows_gone(self.connection, run)
        number = len(named) or tables_without_text(self.connection, self.starts)
        return TablesAsDocuments(gone, named[0] if len(named) == 1 else None, columns, number)


@contextmanager
def scan_result(store: Path, paths: tuple[Path, ...]) -> Iterator[ScanResult]:
    """Open a store after a scan of these files and folders."""
    with opened(store) as connection:
        yield ScanResult(store, connection, check_starts(paths))
