"""Scans: done, forecast, and what they would read."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from nearkin.api.options import AnyPath, ScanOptions, paths_of, settings_of
from nearkin.api.session import Progress, no_progress
from nearkin.environment import version
from nearkin.errors import InputError, NearkinError
from nearkin.model import Summary
from nearkin.read.walk import check_starts, root_of, walk
from nearkin.settings import Settings
from nearkin.store.database import connect, explained, own_files

if TYPE_CHECKING:
    from nearkin.forecast.estimate import Forecast


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
