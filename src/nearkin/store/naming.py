"""The option that names a store, for a command that someone may type next."""

import shlex
import sqlite3


def naming(connection: sqlite3.Connection) -> str:
    file = next((file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"), "")
    return f" --store {shlex.quote(file)}" if file else ""
