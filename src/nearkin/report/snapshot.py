"""One state of a store, for as long as a report is written.

A report goes over the store several times and must agree with itself, so it reads in one transaction: what a scan ends
meanwhile is in the next report. Sorting a million rows takes hundreds of megabytes; here SQLite does it on disk.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nearkin.model import Location
from nearkin.query.store_view import connected, is_scoped
from nearkin.scheme import Scheme, parse_scheme
from nearkin.store import runs
from nearkin.store.contents import HERE
from nearkin.store.database import see
from nearkin.store.verdicts import Decided

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
    connection: sqlite3.Connection
    run: runs.Run
    scheme: Scheme
    decided: Decided
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
        yield Snapshot(connection, run, parse_scheme(run.spec), Decided(connection), is_scoped(connection), scopes)


def location_of(place: bytes) -> Location:
    path, _, scope = place.rpartition(b"\0")
    return Location(scope.decode(), path)
