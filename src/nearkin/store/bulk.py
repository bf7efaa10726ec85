"""Connections that are fed: SQLite reads whole columns as a table of its own, nearkin_rows.

Python's module binds every value of every row by itself, and holds everyone's lock meanwhile. The library under it can
do better (native/kernels/feed.hpp); where a build of Python hides it, rows are bound as ever (decision 030).
"""

import _sqlite3
import sqlite3
from threading import Lock
from typing import Any

from nearkin import _native

_library = _native.FedSqlite(getattr(_sqlite3, "__file__", None))
_opening = Lock()


def open_connection(database: Any, **options: Any) -> sqlite3.Connection:
    """As sqlite3.connect does. The table is offered for this moment only: others in this process open theirs, too."""
    with _opening:
        _library.offer()
        try:
            connection: sqlite3.Connection = sqlite3.connect(database, **options)
        finally:
            _library.withdraw()
    return connection


def is_fed(connection: sqlite3.Connection) -> bool:
    """Not where the library is hidden, or takes no extensions, or where someone else has opened this."""
    try:
        connection.execute("SELECT 1 FROM nearkin_rows(0)")
    except sqlite3.OperationalError:
        return False
    return True
