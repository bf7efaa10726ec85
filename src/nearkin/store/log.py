"""SQLite's log, brought into the store while others are at work.

Left alone SQLite does it when the scan ends, and everyone waits: of 53,596 pages 146 MB, with 0.2 s of writing and then
the disk, and 0.05 s until the log is removed. Here it is done beside the matching. Readers and writers are not held up,
and killed at any moment the log still has what the store lacks.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Thread

from nearkin.errors import StoreError
from nearkin.store.database import connect

LEAST = 16 << 20  # bytes; less is brought in as quickly as a thread starts and the store is opened


@contextmanager
def brought_in(store: Path) -> Iterator[None]:
    """What is in the log now, until this ends."""
    log = store.with_name(store.name + "-wal")
    if not log.exists() or log.stat().st_size < LEAST:
        yield
        return
    thread = Thread(target=_bring_in, args=(store,), name="nearkin log")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _bring_in(store: Path) -> None:
    """Where it cannot be done, it stays in the log: that is as good a place."""
    with suppress(StoreError, OSError, sqlite3.Error), closing(connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # of what is all in by now; not where someone is at work
