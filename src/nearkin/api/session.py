"""A store held open between calls: connection and mapped segments, so that one check after the other is quick.

Each thread gets a connection of its own, and whoever ends the session closes those of threads that have ended, too. A
forked process opens its own: SQLite's locks are not passed on, and a connection that believes to hold them may read
what another overwrites.

A store that is written beside scans: the connection, the turn, and a run over what is stored.
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

from nearkin.errors import BusyError

if TYPE_CHECKING:
    from nearkin.query.check import Checker, Opened
    from nearkin.run import RunContext

Asked = tuple[str | None, float | None, float | None]

_inherited: list[object] = []  # never used nor closed, which would be as bad: they are the other process's


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
        from nearkin.store.database import connect

        self._refuse_inherited()
        found: sqlite3.Connection | None = getattr(self._here, "connection", None)
        if found is None:
            found = self._here.connection = connect(self._path, own_thread=False)
            opened: dict[int, Opened] = {}
            checkers: dict[Asked, Checker] = {}
            self._here.opened, self._here.checkers = opened, checkers
            self._here.stamp = None
            self._remember(found)
        return found

    def checker(self, scheme: str | None, min_resemblance: float | None, min_containment: float | None) -> "Checker":
        """The same as long as nothing in the store has changed."""
        from nearkin.query.check import Checker

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
        found: Checker = here.checkers[asked]
        return found

    def _remember(self, connection: sqlite3.Connection) -> None:
        """And close those of threads that have ended: a server has a thread for every question."""
        with self._lock:
            ended = [one for one in self._all if not one[0].is_alive()]
            self._all = [one for one in self._all if one not in ended]
            self._all.append((threading.current_thread(), connection))
        for _, other in ended:
            other.close()

    def close(self) -> None:
        self._refuse_inherited()
        for thread, connection in self._all:
            if thread is threading.current_thread() or not thread.is_alive():  # who is asking still goes on to the end
                connection.close()
        self._all.clear()
        self._here = threading.local()


Progress = Callable[[str, int, int], None]


class Written:
    path: Path

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        from nearkin.store.database import connect, explained

        connection = connect(self.path, write=True)
        try:
            with explained(self.path):
                yield connection
        finally:
            connection.close()

    @contextmanager
    def _turn(self, connection: sqlite3.Connection) -> Iterator[None]:
        from nearkin.store.database import transaction, turn

        with turn(self.path), transaction(connection):
            yield

    def _run_context(self, connection: sqlite3.Connection, progress: Progress | None = None) -> "RunContext":
        """As the last one was made, by no more threads and memory than this machine has for it."""
        from nearkin.environment import version
        from nearkin.run import RunContext
        from nearkin.settings import RunSettings, Settings
        from nearkin.store import runs

        last = Settings.from_json(json.dumps(runs.last(connection).settings))
        here = RunSettings()
        run = RunSettings(jobs=min(last.run.jobs, here.jobs), memory=min(last.run.memory, here.memory))
        settings = replace(last, run=run)
        return RunContext(connection, self.path, settings, version(), progress or (lambda *_: None))

    def _match_again(self, connection: sqlite3.Connection) -> None:
        """After documents were purged; a scan that has begun meanwhile does it, and so does the next one where
        signatures are stale."""
        from nearkin.pipeline import rematch
        from nearkin.run import is_current
        from nearkin.store import runs

        if runs.last_settings(connection) is None:
            return
        context = self._run_context(connection)
        if is_current(context, runs.last(connection).scheme):
            with suppress(BusyError):
                rematch(context)

    def _heed_verdicts(self, connection: sqlite3.Connection) -> None:
        """Group again if someone spoke while the store was held: he could not."""
        from nearkin.pipeline import regroup
        from nearkin.store import runs

        if runs.last_settings(connection) is None:
            return
        if runs.is_noted_after(connection, runs.last(connection), "verdict"):
            with suppress(BusyError):
                regroup(self._run_context(connection))
