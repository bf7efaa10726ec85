"""Connections to a store: one that is held open for many checks, and one that writes beside scans.

A session keeps the connection and the mapped segments, so that one check after the other is quick. Each thread gets a
connection of its own; closing the session also closes those of threads that have ended. A forked process opens its own:
SQLite does not pass locks on, and a connection that believes to hold them may read what another process overwrites.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.environment import version
from nearkin.errors import BusyError
from nearkin.settings import RunSettings, Settings
from nearkin.store import runs
from nearkin.store.database import connect, explained, transaction, turn

if TYPE_CHECKING:
    from nearkin.query.check import Checker, Opened
    from nearkin.run import RunContext

Asked = tuple[str | None, float | None, float | None]
Progress = Callable[[str, int, int], None]  # stage, how much is done, and its bytes or of how much

_inherited: list[object] = []  # connections of the parent process: neither used nor closed here, which is as harmful


class Session:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._here = threading.local()
        self._all: list[tuple[threading.Thread, sqlite3.Connection]] = []
        self._process = os.getpid()
        self._lock = threading.Lock()

    def _refuse_inherited(self) -> None:
        if self._process != os.getpid():
            _inherited.append((self._here, self._all))
            self._here, self._all, self._process = threading.local(), [], os.getpid()

    @property
    def connection(self) -> sqlite3.Connection:
        self._refuse_inherited()
        connection: sqlite3.Connection | None = getattr(self._here, "connection", None)
        if connection is None:
            connection = self._here.connection = connect(self._path, own_thread=False)
            opened: dict[int, Opened] = {}
            checkers: dict[Asked, Checker] = {}
            self._here.opened, self._here.checkers = opened, checkers
            self._here.stamp = None
            self._remember(connection)
        return connection

    def checker(self, scheme: str | None, min_resemblance: float | None, min_containment: float | None) -> "Checker":
        """Return the same checker as long as nothing in the store has changed."""
        from nearkin.query.check import Checker  # here: writing needs none of it

        connection, here = self.connection, self._here
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if here.stamp != (version, connection.total_changes):
            here.checkers.clear()
            here.stamp = version, connection.total_changes
        asked = (scheme, min_resemblance, min_containment)
        if asked not in here.checkers:
            here.checkers[asked] = Checker.of(
                connection,
                self._path,
                scheme,
                opened=here.opened,
                min_resemblance=min_resemblance,
                min_containment=min_containment,
            )
        checker: Checker = here.checkers[asked]
        return checker

    def _remember(self, connection: sqlite3.Connection) -> None:
        """Note a connection, and close those of threads that have ended: a server has a thread for every question."""
        with self._lock:
            ended = [entry for entry in self._all if not entry[0].is_alive()]
            self._all = [entry for entry in self._all if entry not in ended]
            self._all.append((threading.current_thread(), connection))
        for _, unused in ended:
            unused.close()

    def close(self) -> None:
        self._refuse_inherited()
        for thread, connection in self._all:
            if thread is threading.current_thread() or not thread.is_alive():  # others finish their check first
                connection.close()
        self._all.clear()
        self._here = threading.local()


@contextmanager
def asking(path: Path, session: Session | None) -> Iterator[Session]:
    """Use the session that is open, or one for this call alone."""
    if session is not None:
        yield session
        return
    session = Session(path)
    try:
        yield session
    finally:
        session.close()


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store that exists for writing."""
    connection = connect(path, write=True)
    try:
        with explained(path):
            yield connection
    finally:
        connection.close()


@contextmanager
def write_turn(path: Path, connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction, in turn with a scan that may be running."""
    with turn(path), transaction(connection):
        yield


def run_context(path: Path, connection: sqlite3.Connection, progress: Progress | None = None) -> "RunContext":
    """What a run needs to go over the store again: the settings of the last scan, and no more threads and memory than
    this machine has for it."""
    from nearkin.run import RunContext  # here: checks need none of it

    last = Settings.from_json(json.dumps(runs.last(connection).settings))
    here = RunSettings()
    run = RunSettings(jobs=min(last.run.jobs, here.jobs), memory=min(last.run.memory, here.memory))
    return RunContext(connection, path, replace(last, run=run), version(), progress or no_progress)


def match_again(path: Path, connection: sqlite3.Connection) -> None:
    """Match after documents were purged. A scan that has begun meanwhile does it anyway, and so does the next one where
    signatures are stale."""
    from nearkin.pipeline import rematch  # here, as below: checks need none of it
    from nearkin.run import is_current

    if runs.last_settings(connection) is None:
        return
    context = run_context(path, connection)
    if is_current(context, runs.last(connection).scheme):
        with suppress(BusyError):
            rematch(context)


def regroup(path: Path, connection: sqlite3.Connection) -> None:
    """Group after a verdict. A scan that is running finds the verdict when it groups."""
    from nearkin.pipeline import regroup as group_again

    with suppress(BusyError):
        group_again(run_context(path, connection))


def heed_verdicts(path: Path, connection: sqlite3.Connection) -> None:
    """Group again if a verdict came while the store was held: it could not do so itself."""
    if runs.last_settings(connection) is None:
        return
    if runs.is_noted_after(connection, runs.last(connection), "verdict"):
        regroup(path, connection)


def no_progress(_stage: str, _done: int, _bytes: int) -> None:
    """Report nothing."""
