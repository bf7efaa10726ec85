"""A store that is written beside scans: the connection, the turn, and a run over what is stored."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nearkin.errors import BusyError

if TYPE_CHECKING:
    from nearkin.pipeline import Scan

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

    def _scan(self, connection: sqlite3.Connection, progress: Progress | None = None) -> "Scan":
        """As the last one was made, by no more threads and memory than this machine has for it."""
        from nearkin.environment import version
        from nearkin.pipeline import Scan
        from nearkin.settings import RunSettings, Settings
        from nearkin.store import runs

        last = Settings.from_json(json.dumps(runs.last(connection).settings))
        here = RunSettings()
        run = RunSettings(jobs=min(last.run.jobs, here.jobs), memory=min(last.run.memory, here.memory))
        settings = replace(last, run=run)
        return Scan(connection, self.path, settings, version(), progress or (lambda *_: None))

    def _match_again(self, connection: sqlite3.Connection) -> None:
        """After documents were purged; a scan that has begun meanwhile does it, and so does the next one where
        signatures are stale."""
        from nearkin.store import runs

        if runs.last_settings(connection) is None:
            return
        scan = self._scan(connection)
        if scan.is_current(runs.last(connection).scheme):
            with suppress(BusyError):
                scan.again()

    def _heed_verdicts(self, connection: sqlite3.Connection) -> None:
        """Group again if someone spoke while the store was held: he could not."""
        from nearkin.store import runs

        if runs.last_settings(connection) is None:
            return
        if runs.is_noted_after(connection, runs.last(connection), "verdict"):
            with suppress(BusyError):
                self._scan(connection).regroup()
