"""A table's document and its rows, written while the table is read."""

import sqlite3
from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Readings
from nearkin.store.known import Version, versions_at
from nearkin.store.table_rows import PRESENT, ROWS, drop_rows, place_of
from nearkin.store.writer import Writer, owner_name


@dataclass
class TableWriter:
    """Its document is complete when `end` was called: until then no later run takes it for read."""

    writer: Writer
    table: Readings  # the table file itself, read without reason
    _stayed: "array[int]" = field(default_factory=lambda: array("q"))  # 8 bytes for each row that is as it was

    def __post_init__(self) -> None:
        self.path, self._known = self.table.paths[0], self.writer.known
        self.before: Version | None = self._known.versions.get(self.path)

    def begin(self) -> None:
        writer, table = self.writer, self.table
        writer.begin()
        before = self.before
        if before is not None and (before.digest, before.media) == (table.digests[0], table.media[0]):
            # The same bytes, to be read otherwise or once more: no new version of the table.
            self.document = before.id
            drop_rows(writer.connection, before.id)
        else:
            if (unfinished := self._known.pending.get(self.path)) is not None:
                self._known.outdated.append(unfinished.id)
            self.document = self._insert()
            if before is not None:
                writer.supersede([before.id])
        writer.tables.append((self.path, self.document))
        # Whether there are rows to compare with: else none is looked up.
        self._first = not rows_of(writer.connection, writer.run, writer.scope, self.path, limit=1).size

    def _insert(self) -> int:
        """Without time and inode, so that it is not adopted before it is complete."""
        writer, table = self.writer, self.table
        cursor = writer.connection.execute(
            """INSERT INTO document (scope, path, size, mtime_ns, inode, owner, media, digest, seen, before)
               VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?)""",
            (
                writer.scope,
                self.path,
                table.sizes[0],
                owner_name(table.owners[0]),
                table.media[0],
                table.digests[0],
                writer.run,
                None if self.before is None else self.before.id,
            ),
        )
        return int(cursor.lastrowid or 0)

    def add(self, rows: Readings) -> None:
        writer = self.writer
        known = {} if self._first else versions_at(writer.connection, writer.scope, rows.paths)
        self._stayed.extend(writer.add(rows, parent=self.document, versions=known))

    def end(self, reason: str | None, detail: str | None) -> None:
        """`detail`: how it was read, or why not to its end."""
        writer, table = self.writer, self.table
        writer.begin()
        before = rows_of(writer.connection, writer.run, writer.scope, self.path)
        vanished = np.setdiff1d(before, np.frombuffer(self._stayed, np.int64), assume_unique=True).tolist()
        writer.supersede(vanished)
        writer.rows_gone += len(vanished)
        writer.connection.execute(
            "UPDATE document SET mtime_ns = ?, inode = ?, owner = ?, reason = ?, detail = ? WHERE id = ?",
            (table.mtimes[0], table.inodes[0], owner_name(table.owners[0]), reason, detail, self.document),
        )


def rows_of(
    connection: sqlite3.Connection, run: int, scope: int, table: bytes, *, limit: int = -1
) -> NDArray[np.int64]:
    """Its present rows from before this run."""
    query = f"SELECT id FROM document WHERE {ROWS} AND {PRESENT} AND seen <> ?4 LIMIT {limit}"
    found = connection.execute(query, (*place_of(scope, table), run))
    return np.fromiter((number for (number,) in found), np.int64)
