"""The option that names a store, for a command that someone may type next."""

import shlex
import sqlite3


def file_of(connection: sqlite3.Connection) -> str:
    """Empty where it is in memory."""
    return next((file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"), "")


def naming(connection: sqlite3.Connection) -> str:
    file = file_of(connection)
    return f" --store {shlex.quote(file)}" if file else ""
