"""What the last scan found, for the page that a person sees after it.

Everything is as of one moment, and computed when it is asked for: after a scan that found nothing changed nobody asks
for families.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from nearkin.api.care import LostScope
from nearkin.model import Document, IdenticalGroup, Match
from nearkin.query.store_view import is_scoped, opened, score_name, total_bytes, without_text
from nearkin.read.walk import check_starts
from nearkin.settings import WalkSettings
from nearkin.store import runs
from nearkin.store.contents import count_stale
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
    from nearkin.query.families import Overview


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
