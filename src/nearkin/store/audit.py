"""The audit: who did what. Rows are only ever added."""

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def record(
    connection: sqlite3.Connection,
    *,
    by: str,
    action: str,
    subject: str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """In the transaction of what is recorded."""
    connection.execute(
        "INSERT INTO audit (at, by, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)",
        (
            datetime.now(UTC).isoformat(timespec="milliseconds"),
            by,
            action,
            subject,
            None if before is None else json.dumps(before, sort_keys=True),
            None if after is None else json.dumps(after, sort_keys=True),
        ),
    )
