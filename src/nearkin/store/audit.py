"""The audit: who did what, when, and what was before and after. Rows are only ever added; the store refuses all else.

A row is written in the transaction of what it tells of: what happened is in the audit, what is in the audit happened.
"""

import json
import os
import pwd
import sqlite3
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from nearkin.errors import UsageError

ACTIONS = (
    "scan",
    "scan interrupted",
    "scope moved",
    "verdict set",
    "verdict clear",
    "template add",
    "template remove",
    "check --add",
    "drop",
    "compact",
    "forget",
    "keep --apply",
    "keep --undo",
)


@dataclass(frozen=True)
class AuditEntry:
    id: int
    at: str
    by: str
    action: str
    subject: str
    before: Any  # as JSON holds it
    after: Any


def login_name() -> str:
    """Of whoever runs this process, whatever the environment says."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # a container's user need not have a name
        return f"uid {number}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def moment(since: str | date) -> str:
    """A date or a moment, as the audit notes them; without a zone it is local time."""
    try:
        return datetime.fromisoformat(str(since)).astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{since!r:.60} is not a date like 2026-01-31 or 2026-01-31T12:00.") from error


def record(
    connection: sqlite3.Connection,
    *,
    by: str,
    action: str,
    subject: str,
    before: object = None,
    after: object = None,
) -> None:
    """Inside the caller's transaction."""
    states = (None if state is None else json.dumps(state) for state in (before, after))
    # Lone surrogates, as names of files may have, are no UTF-8 and no column of SQLite's either.
    words = (text.encode("utf-8", "backslashreplace").decode() for text in (by, action, subject))
    connection.execute(
        "INSERT INTO audit (at, by, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)",
        (now(), *words, *states),
    )


def entries(
    connection: sqlite3.Connection, *, action: str | None = None, since: str | None = None, limit: int | None = None
) -> list[AuditEntry]:
    """The latest first. An action also stands for those that begin with it: `verdict` for `verdict set`."""
    if action is not None:
        _refuse_unknown(connection, action)
    rows = connection.execute(
        """SELECT id, at, by, action, subject, before, after FROM audit
           WHERE (?1 IS NULL OR action = ?1 OR substr(action, 1, length(?1) + 1) = ?1 || ' ')
             AND (?2 IS NULL OR at >= ?2)
           ORDER BY id DESC LIMIT ?3""",
        (action, since, -1 if limit is None else limit),
    )
    return [AuditEntry(*row[:5], *(None if state is None else json.loads(state) for state in row[5:])) for row in rows]


def last_entry(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM audit").fetchone()
    return int(last)


def is_noted_since(connection: sqlite3.Connection, action: str, *, last: int | None, moment: str) -> bool:
    """Whether an action, or one that begins with it, came after the entry `last`. Clocks are set back: they are asked
    only where a run of an earlier nearkin did not note the entry."""
    since = ("at >= ?", moment) if last is None else ("id > ?", last)
    query = f"SELECT 1 FROM audit WHERE {since[0]} AND (action = ? OR action LIKE ?) LIMIT 1"
    return connection.execute(query, (since[1], action, f"{action} %")).fetchone() is not None


def _refuse_unknown(connection: sqlite3.Connection, action: str) -> None:
    """An empty answer to a slip of the pen would read as: nobody ever did that."""
    noted = (one for (one,) in connection.execute("SELECT DISTINCT action FROM audit"))
    if not any(f"{one} ".startswith(f"{action} ") for one in (*ACTIONS, *noted)):
        raise UsageError(f"The audit knows no action {action!r}; known are: {', '.join(ACTIONS)}.")
