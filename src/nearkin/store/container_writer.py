"""The document of a container (a table, an archive, a mail) and what lies in it, written while it is read."""

from array import array
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearkin.store.batch import DocumentBatch
from nearkin.store.document_writer import Writer, owner_name
from nearkin.store.freshness import Version, versions_at
from nearkin.store.members import PRESENT, ROWS, drop_members, place_of, settle_members


@dataclass(frozen=True)
class StoredContainer:
    """What the store has of a container before it is read."""

    writer: Writer
    path: bytes

    @property
    def before(self) -> Version | None:
        return self.writer.files.present.get(self.path)

    @property
    def had_members(self) -> bool:
        return self.before is not None and bool(self.members(limit=1).size)

    @property
    def is_unknown(self) -> bool:
        """Whether no scan has met it, or anything in it: then it may be written among others, whole."""
        if self.before is not None or self.path in self.writer.files.unfinished.by_path:
            return False
        return not self.members(limit=1).size

    def members(self, *, limit: int = -1) -> NDArray[np.int64]:
        """Its present members from before this run."""
        writer = self.writer
        query = f"SELECT id FROM document WHERE {ROWS} AND {PRESENT} AND seen <> ?4 LIMIT {limit}"
        ids = writer.connection.execute(query, (*place_of(writer.scope, self.path), writer.run))
        return np.fromiter((number for (number,) in ids), np.int64)

    def open(self, itself: DocumentBatch) -> "ContainerWriter":
        """Begin to write it as far as it is known by now: its bytes, what it is and which reader reads it."""
        writer, before = self.writer, self.before
        writer.begin()
        now = (itself.digests[0], itself.media[0], itself.readers[0])
        if before is not None and (before.digest, before.media, before.reader) == now:
            # The same bytes, to be read otherwise or once more: no new version of the container.
            document = before.id
            drop_members(writer.connection, before.id)
        else:
            writer.files.unfinished.replace(self.path)
            document = self._insert(itself)
            if before is not None:
                writer.supersede([before.id])
        writer.aftermath.containers.append((self.path, document))
        return ContainerWriter(self, document, is_first=not self.members(limit=1).size)

    def write(self, itself: DocumentBatch, inside: DocumentBatch | None) -> None:
        """Write all of it at once, in a run that counts already."""
        opened = self.open(itself)
        if inside is not None:
            opened.add(inside)
        opened.close(itself)
        writer = self.writer
        settle_members(writer.connection, writer.scope, self.path, opened.document)

    def _insert(self, itself: DocumentBatch) -> int:
        """Insert its document without time and inode, so that it is not adopted before it is complete."""
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


@dataclass(frozen=True)
class ContainerWriter:
    """Writes members while a container is read. Its document is complete when `close` was called: until then no later
    run takes it for read."""

    container: StoredContainer
    document: int
    is_first: bool  # there are no members to compare with, so none is looked up
    _stayed: "array[int]" = field(default_factory=lambda: array("q"))  # 8 bytes for each member that is as it was

    def add(self, members: DocumentBatch) -> None:
        writer = self.container.writer
        known = {} if self.is_first else versions_at(writer.connection, writer.scope, members.paths)
        self._stayed.extend(writer.add(members, parent=self.document, versions=known))

    def close(self, itself: DocumentBatch) -> None:
        """Complete the document with its text, and with the reason if it could not be read to its end."""
        writer = self.container.writer
        writer.begin()
        before, stayed = self.container.members(), np.frombuffer(self._stayed, np.int64)
        vanished = np.setdiff1d(before, stayed, assume_unique=True).tolist()
        writer.supersede(vanished)
        writer.aftermath.members_gone += len(vanished)
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
