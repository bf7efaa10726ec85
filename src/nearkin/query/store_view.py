"""A store opened to be read, and one state of it for as long as a report is written.

A report goes over the store several times and must agree with itself, so it reads in one transaction: what a scan ends
meanwhile is in the next report. Sorting a million rows takes hundreds of megabytes; here SQLite does it on disk.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nearkin.model import Location
from nearkin.scheme import Scheme, likeness, parse_scheme
from nearkin.store import runs
from nearkin.store.contents import HERE
from nearkin.store.database import connect, explained, see
from nearkin.store.scopes import used_scopes
from nearkin.store.verdicts import VerdictIndex


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store as of one moment: a scan that ends meanwhile would otherwise show in some answers only."""
    with connected(path) as connection:
        connection.execute("BEGIN")
        yield connection


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store for callers that begin transactions of their own, as those that bring segments up to date."""
    connection = connect(path)
    try:
        with explained(path):
            yield connection
    finally:
        connection.close()


def total_bytes(connection: sqlite3.Connection) -> int:
    """The bytes of all documents that lie in no other."""
    (total,) = connection.execute(
        "SELECT coalesce(sum(size), 0) FROM present WHERE reason IS NULL AND parent IS NULL"
    ).fetchone()
    return int(total)


def without_text(connection: sqlite3.Connection) -> int:
    """Count the documents that have nothing that can be read as text."""
    (count,) = connection.execute(
        """SELECT count(*) FROM present d WHERE reason IS NULL AND text IS NULL AND size > 0
           AND NOT EXISTS (SELECT 1 FROM document m WHERE m.parent = d.id)"""
    ).fetchone()
    return int(count)


def without_own_text(connection: sqlite3.Connection) -> int:
    """Count the documents that are empty, have neither letters nor digits, or only hold others."""
    (every,) = connection.execute(
        """SELECT count(*) FROM present d LEFT JOIN text t ON t.id = d.text LEFT JOIN content c ON c.id = t.content
           WHERE d.reason IS NULL AND coalesce(c.length, 0) = 0"""
    ).fetchone()
    return int(every) - without_text(connection)


def score_name(connection: sqlite3.Connection) -> str:
    """The name of the last scan's scores: resemblance, or another measure of likeness."""
    return likeness(parse_scheme(runs.last(connection).spec))


def is_scoped(connection: sqlite3.Connection) -> bool:
    """Whether paths alone are ambiguous."""
    return len(used_scopes(connection)) > 1


# A document's place as one key: no path has a zero byte, so keys sort as places do, by path and then by scope.
PLACE = "CAST(d.path || x'00' || scope.name AS BLOB)"
HELD = f"""
CREATE TEMP TABLE held (         -- contents that are present
    content INTEGER PRIMARY KEY,
    documents INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    first BLOB NOT NULL          -- the place of the document that names it
);
INSERT INTO held SELECT t.content, count(*), sum(d.size), min({PLACE})
{HERE.replace("WHERE", "JOIN scope ON scope.id = d.scope WHERE")} GROUP BY t.content ORDER BY t.content;
"""


@dataclass(frozen=True)
class Snapshot:
    """One state of a store, with the run that left it."""

    connection: sqlite3.Connection
    run: runs.FinishedRun
    scheme: Scheme
    decided: VerdictIndex
    scoped: bool  # paths alone are ambiguous
    scopes: dict[str, bytes]  # where each lies

    @property
    def limits(self) -> dict[str, float]:
        """The thresholds of the scan."""
        return self.run.settings["match"]

    def uri(self, location: Location) -> str | None:
        """Where a browser or a spreadsheet finds the file, or the container that it lies in."""
        from urllib.parse import quote

        root = self.scopes[location.scope]
        path = location.path.partition(b"!/")[0]
        return f"file://{quote(root.rstrip(b'/') + b'/' + path)}" if root else None


@contextmanager
def snapshot(store: Path) -> Iterator[Snapshot]:
    with connected(store) as connection:
        connection.execute("PRAGMA temp_store = FILE")  # takes the views with it
        see(connection)
        connection.execute("BEGIN")
        run = runs.last(connection)
        for statement in HELD.split(";\n"):
            connection.execute(statement)
        scopes = {name: bytes(root) for name, root in connection.execute("SELECT name, root FROM scope ORDER BY name")}
        yield Snapshot(connection, run, parse_scheme(run.spec), VerdictIndex(connection), is_scoped(connection), scopes)


def location_of(place: bytes) -> Location:
    path, _, scope = place.rpartition(b"\0")
    return Location(scope.decode(), path)
