"""A store opened to be read, for as long as a report needs it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nearkin.scheme import likeness, parse_scheme
from nearkin.store import runs
from nearkin.store.database import connect, explained
from nearkin.store.scopes import used_scopes


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """As of one moment: a scan that ends meanwhile would give families to some questions that others do not know."""
    with connected(path) as connection:
        connection.execute("BEGIN")
        yield connection


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """For those who begin transactions of their own, as whoever brings segments up to date."""
    connection = connect(path)
    try:
        with explained(path):
            yield connection
    finally:
        connection.close()


def total_bytes(connection: sqlite3.Connection) -> int:
    """Of all documents that lie in no other."""
    (total,) = connection.execute(
        "SELECT coalesce(sum(size), 0) FROM present WHERE reason IS NULL AND parent IS NULL"
    ).fetchone()
    return int(total)


def without_text(connection: sqlite3.Connection) -> int:
    """How many documents have nothing that can be read as text."""
    (count,) = connection.execute(
        """SELECT count(*) FROM present d WHERE reason IS NULL AND text IS NULL AND size > 0
           AND NOT EXISTS (SELECT 1 FROM document m WHERE m.parent = d.id)"""
    ).fetchone()
    return int(count)


def without_own_text(connection: sqlite3.Connection) -> int:
    """How many documents are empty, have neither letters nor digits (but spaces or signs), or only hold others."""
    (every,) = connection.execute(
        """SELECT count(*) FROM present d LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE d.reason IS NULL AND coalesce(c.length, 0) = 0"""
    ).fetchone()
    return int(every) - without_text(connection)


def score_name(connection: sqlite3.Connection) -> str:
    """What the last scan's scores are: resemblance, or another measure of likeness."""
    return likeness(parse_scheme(runs.last(connection).spec))


def is_scoped(connection: sqlite3.Connection) -> bool:
    """Whether paths alone are ambiguous."""
    return len(used_scopes(connection)) > 1
