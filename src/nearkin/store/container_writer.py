"""The document of a container (a table, an archive, a mail) and what lies in it, written while it is read."""

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearkin.store.batch import DocumentBatch
from nearkin.store.document_writer import Writer, owner_name
from nearkin.store.freshness import Version, versions_at
from nearkin.store.members import PRESENT, ROWS, drop_members, place_of, settle_members


@dataclass
class ContainerWriter:
    """Its document is complete when `end` was called: until then no later run takes it for read."""

    writer: Writer
    path: bytes
    _stayed: "array[int]" = field(default_factory=lambda: array("q"))  # 8 bytes for each member that is as it was

    def __post_init__(self) -> None:
        self._known = self.writer.known
        self.before: Version | None = self._known.versions.get(self.path)

    @property
    def had_members(self) -> bool:
        return self.before is not None and bool(self._members_before(limit=1).size)

    @property
    def is_unknown(self) -> bool:
        """Whether no scan has met it, or anything in it: then it may be written among others, whole."""
        if self.before is not None or self.path in self._known.pending:
            return False
        return not self._members_before(limit=1).size

    def begin(self, itself: DocumentBatch) -> None:
        """As far as it is known by now: its bytes, what it is and who reads it."""
        writer, before = self.writer, self.before
        writer.begin()
        told = (itself.digests[0], itself.media[0], itself.readers[0])
        if before is not None and (before.digest, before.media, before.reader) == told:
            # The same bytes, to be read otherwise or once more: no new version of the container.
            self.document = before.id
            drop_members(writer.connection, before.id)
        else:
            if (unfinished := self._known.pending.get(self.path)) is not None:
                self._known.outdated.append(unfinished.id)
            self.document = self._insert(itself)
            if before is not None:
                writer.supersede([before.id])
        writer.containers.append((self.path, self.document))
        # Whether there are members to compare with: else none is looked up.
        self._first = not self._members_before(limit=1).size

    def write(self, itself: DocumentBatch, inside: DocumentBatch | None) -> None:
        """All at once, in a run that counts already."""
        self.begin(itself)
        if inside is not None:
            self.add(inside)
        self.end(itself)
        writer = self.writer
        settle_members(writer.connection, writer.scope, self.path, self.document)

    def _members_before(self, *, limit: int = -1) -> NDArray[np.int64]:
        """Its present members from before this run."""
        writer = self.writer
        query = f"SELECT id FROM document WHERE {ROWS} AND {PRESENT} AND seen <> ?4 LIMIT {limit}"
        found = writer.connection.execute(query, (*place_of(writer.scope, self.path), writer.run))
        return np.fromiter((number for (number,) in found), np.int64)

    def _insert(self, itself: DocumentBatch) -> int:
        """Without time and inode, so that it is not adopted before it is complete."""
        writer = self.writer
        cursor = writer.connection.execute(
            """INSERT INTO document (scope, path, size, mtime_ns, inode, owner, media, digest, reader, seen, before)
               VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?)""",
            (
                writer.scope,
                self.path,
                itself.sizes[0],
                owner_name(itself.owners[0]),
                itself.media[0],
                itself.digests[0],
                itself.readers[0],
                writer.run,
                None if self.before is None else self.before.id,
            ),
        )
        return int(cursor.lastrowid or 0)

    def add(self, members: DocumentBatch) -> None:
        writer = self.writer
        known = {} if self._first else versions_at(writer.connection, writer.scope, members.paths)
        self._stayed.extend(writer.add(members, parent=self.document, versions=known))

    def end(self, itself: DocumentBatch) -> None:
        """With its text, and with the reason where it could not be read to its end."""
        writer = self.writer
        writer.begin()
        before, stayed = self._members_before(), np.frombuffer(self._stayed, np.int64)
        vanished = np.setdiff1d(before, stayed, assume_unique=True).tolist()
        writer.supersede(vanished)
        writer.members_gone += len(vanished)
        (text,) = writer.texts.add(itself)
        writer.connection.execute(
            """UPDATE document SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, owner = ?, media = ?, encoding = ?,
                                   digest = ?, text = ?, reason = ?, detail = ?, reader = ?, properties = ?, md5 = ?,
                                   sha1 = ?
               WHERE id = ?""",
            (
                itself.sizes[0],
                itself.mtimes[0],
                itself.ctimes[0],
                itself.inodes[0],
                owner_name(itself.owners[0]),
                itself.media[0],
                itself.encodings[0],
                itself.digests[0],
                text,
                itself.reasons[0],
                itself.details[0],
                itself.readers[0],
                itself.properties[0],
                itself.md5[0],
                itself.sha1[0],
                self.document,
            ),
        )
