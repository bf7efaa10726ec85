"""Documents, written a batch at a time with their texts; some batches make a transaction."""

import pwd
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from types import TracebackType
from typing import Any, Self

from nearkin import _native
from nearkin.formats.registry import READERS, UNKNOWN
from nearkin.model import DOCUMENT, NO_OWNER, Reason
from nearkin.read.table import MEDIA as TABLES
from nearkin.read.table import MEMBER
from nearkin.store.batch import DocumentBatch
from nearkin.store.bulk import insert_columns, insert_rows
from nearkin.store.changes import Changes, added_below, count_changes, recognise_moves
from nearkin.store.database import MOST_PAGES, hold_pages, transaction
from nearkin.store.freshness import FileVersions, Renewed, Version
from nearkin.store.members import (
    adopt_members,
    drop_members,
    leave_members,
    move_members,
    settle_members,
    stay_with_renewed,
)
from nearkin.store.text_writer import SignatureRow, TextWriter
from nearkin.text.kind import ENCODINGS, MEDIA

# What a kill may lose, what one transaction holds, and how long someone who decides something waits. Digests come in no
# order: of a million documents a transaction of 4,096 writes nearly every page of their indexes, 19 GB in all.
TRANSACTION_FILES = 32_768
TRANSACTION_BYTES = 64 << 20
TRANSACTION_SECONDS = 3.0
ADOPTED = 4096  # documents at a time

TOUCH = "UPDATE document SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, owner = ? WHERE id = ?"
# The columns in which a document with a renewed text is as it was.
RENEWED = ", ".join(field.name for field in DOCUMENT.stored if field.name not in ("text", "seen", "gone", "before"))

Within = dict[int, int]  # rows of members, and that of the container each lies in


@lru_cache(maxsize=1024)
def owner_name(uid: int) -> str | None:
    """None: nothing is known of the file, not even its owner."""
    if uid == NO_OWNER:
        return None
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


@dataclass
class BatchedTransactions:
    """Transactions of several batches each: index pages are then not written for every few files."""

    connection: sqlite3.Connection
    turn: Callable[[], AbstractContextManager[None]]
    room: int  # bytes, for pages of the store
    files: int = 0  # in the open transaction
    bytes: int = 0
    began: float | None = None  # None: none is open that this has begun; a caller's own is his to commit

    def begin(self) -> bool:
        """Begin a transaction, unless one is open; whether it was begun."""
        if self.connection.in_transaction:
            return False
        with self.turn():  # someone who waits to write a decision goes first
            self.connection.execute("BEGIN IMMEDIATE")
        self.began = time.monotonic()
        hold_pages(self.connection, self.room)
        return True

    def roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def count(self, files: int, size: int) -> None:
        self.files += files
        self.bytes += size

    @property
    def is_due(self) -> bool:
        full = self.files >= TRANSACTION_FILES or self.bytes >= TRANSACTION_BYTES
        return full or self.began is None or time.monotonic() - self.began >= TRANSACTION_SECONDS

    def commit(self) -> None:
        self.files = self.bytes = 0
        self.began = None
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")


@dataclass
class Aftermath:
    """What a run has written that concerns other documents, for its end."""

    replaced: list[bytes] = field(default_factory=list)  # places of files that have another version now
    containers: list[tuple[bytes, int]] = field(default_factory=list)  # that were read or touched: path and document
    renewed: list[int] = field(default_factory=list)  # documents with other texts now
    members_gone: int = 0


class Writer:
    """Stores what was read in one run of one scope."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        scope: int,
        run: int,
        canon: int,
        scheme: int,
        keep_text: bool,
        files: FileVersions,
        *,
        coded: bool = False,
        turn: Callable[[], AbstractContextManager[None]] = nullcontext,
        room: int = MOST_PAGES,
    ) -> None:
        """`coded`: signatures are a few numbers to look up. `room`: bytes for pages of the store; half as much for
        ids."""
        self.connection, self.scope, self.run, self.canon, self.scheme = connection, scope, run, canon, scheme
        self.files = files
        self.transactions = BatchedTransactions(connection, turn, room)
        self.texts = TextWriter(connection, canon, scheme, keep=keep_text, coded=coded, room=room // 2)
        self.aftermath = Aftermath()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whatever ended the reading: batches that were written whole stay."""
        self.flush()

    def begin(self) -> None:
        """Begin a transaction, unless one is open."""
        if self.transactions.begin():
            self.texts.number()

    def commit_if_due(self) -> None:
        if self.transactions.is_due:
            self.rest()

    def rest(self) -> None:
        """Commit before what may take long: nobody else can write while a transaction is open."""
        if self.transactions.began is not None:
            self.flush()

    def flush(self) -> None:
        self.transactions.commit()

    def add(
        self,
        batch: DocumentBatch,
        *,
        parent: int | None = None,
        versions: dict[bytes, Version] | None = None,
        within: Within | None = None,
    ) -> list[int]:
        """Write a batch at once, while the next ones are read, and commit it with others: index pages are then not
        written for every few files. Members of a container come with its document and with what is known of them;
        given back is which of these are as they were. Containers of which nothing is known may come among files,
        whole, each before its members."""
        with self._batch(len(batch), batch.size):
            known = self.files.present if versions is None else versions
            if not known and not self.files.unfinished.by_path and not within and self.texts.takes(batch):
                self._insert_native(batch, parent)
                return []
            return self._insert_rows(batch, parent, known, within or {})

    @property
    def takes_native(self) -> bool:
        """Whether native columns can be stored as they are: in a first scan, where nothing has to be compared."""
        return self.files.is_empty and self.texts.takes_native

    def _insert_native(self, batch: DocumentBatch, parent: int | None) -> None:
        native = batch.native
        assert native is not None
        filed = self.texts.add_native(native)
        if not filed.documents:
            return
        kinds = sorted(MEDIA)
        owners = _native.distinct_owners(native.batch)
        names = [owner_name(owner) for owner in owners]
        columns = {
            "scope": self.scope,
            "path": batch.paths,
            "parent": parent,
            "size": filed.sizes,
            "mtime_ns": filed.mtimes if native.mtime is None else native.mtime,
            "ctime_ns": filed.ctimes,
            "inode": filed.inodes,
            "owner": filed.owners(owners, names) if native.owner is None else owner_name(native.owner),
            "media": filed.by_kind([MEDIA[kind] for kind in kinds]),
            "encoding": filed.by_kind([ENCODINGS[kind] for kind in kinds]),
            "digest": filed.digests,
            "text": filed.document_texts,
            "seen": self.run,
            "reader": filed.by_kind([None if native.raw else READERS[kind] for kind in kinds]),
            "properties": filed.properties,
        }
        insert_columns(self.connection, "document", columns)

    @contextmanager
    def _batch(self, files: int, size: int) -> Iterator[None]:
        """A batch of so many files and bytes: all of it is written, or nothing."""
        self.begin()
        try:
            yield
        except BaseException:
            self.transactions.roll_back()
            self.texts.forget()
            raise
        self.transactions.count(files, size)
        self.commit_if_due()

    def _insert_rows(
        self, batch: DocumentBatch, parent: int | None, versions: dict[bytes, Version], within: Within
    ) -> list[int]:
        batch.release_texts()
        texts = self.texts.add(batch)
        containers = dict.fromkeys(within.values(), 0)
        nested: set[int] = set()
        following = self._next_document() if within else 0
        new: list[tuple[Any, ...]] = []
        touched: list[tuple[int, int, int, int, str | None, int]] = []
        touched_tables: list[tuple[bytes, int]] = []
        superseded: list[int] = []
        places = zip(batch.paths, batch.sizes, batch.mtimes, batch.ctimes, batch.inodes, batch.owners, strict=True)
        kinds = zip(batch.media, batch.encodings, batch.digests, texts, batch.reasons, batch.details, strict=True)
        rest = zip(batch.readers, batch.properties, batch.md5, batch.sha1, strict=True)
        for i, ((path, *stamp, owner), kind, (reader, properties, md5, sha1)) in enumerate(
            zip(places, kinds, rest, strict=True)
        ):
            container = within.get(i)
            before = versions.get(path) if container is None else None
            place = (*stamp, owner_name(owner))
            if before is not None and _is_same(before, kind, reader, with_legacy=md5 is not None):
                touched.append((*place, before.id))
                if before.media in TABLES:
                    touched_tables.append((path, before.id))
                continue
            if before is not None:
                superseded.append(before.id)
                if parent is None:
                    self.aftermath.replaced.append(path)
            self.files.unfinished.replace(path)
            if i in containers:
                containers[i] = following + len(new)
            if container is not None and MEMBER in path[len(batch.paths[container]) + len(MEMBER) :]:
                nested.add(container)  # all others belong where they do already
            inside = parent if container is None else containers[container]
            version = None if before is None else before.id
            new.append((self.scope, path, inside, *place, *kind, self.run, version, reader, properties, md5, sha1))
        insert_rows(
            self.connection,
            """document (scope, path, parent, size, mtime_ns, ctime_ns, inode, owner, media, encoding, digest,
                         text, reason, detail, seen, before, reader, properties, md5, sha1)""",
            new,
        )
        self.aftermath.containers += [(batch.paths[i], containers[i]) for i in sorted(nested)]
        if parent is None:  # members get what their container has when the run ends
            self.connection.executemany(TOUCH, touched)
        for path, table in touched_tables:
            self._touch_members(path, table)
        self.supersede(superseded)
        return [row[-1] for row in touched]

    def _next_document(self) -> int:
        """The number that SQLite gives the next row."""
        (largest,) = self.connection.execute("SELECT coalesce(max(id), 0) FROM document").fetchone()
        return int(largest) + 1

    def touch(self, version: Version, *, size: int, mtime_ns: int, ctime_ns: int, inode: int, owner: int) -> None:
        """A file of the same bytes that need not be taken apart again; what lies in it stays with it."""
        self.begin()
        self.connection.execute(TOUCH, (size, mtime_ns, ctime_ns, inode, owner_name(owner), version.id))
        self.aftermath.containers.append((version.path, version.id))
        self._touch_members(version.path, version.id)
        self.transactions.count(1, 0)
        self.commit_if_due()

    def _touch_members(self, path: bytes, document: int) -> None:
        """At once, as their container is: it looks unchanged to the next scan, should this one be killed."""
        settle_members(self.connection, self.scope, path, document)

    def renew(self, versions: list[Renewed], batch: DocumentBatch) -> None:
        """The same documents with the texts that this scan makes of them; but for those that are gone meanwhile."""
        with self._batch(len(batch), batch.size):
            texts = self.texts.add(batch)
            self.connection.executemany(
                f"""INSERT INTO document ({RENEWED}, text, seen, before)
                    SELECT {RENEWED}, ?, {self.run}, id
                    FROM present WHERE id = ?""",
                [(text, version.id) for text, version in zip(texts, versions, strict=True)],
            )
            self._follow([version.id for version in versions])

    def adopt_renewed(self, documents: list[tuple[int, int]]) -> None:
        """What a scan that did not finish had renewed, and the versions that these follow."""
        for start in range(0, len(documents), ADOPTED):
            part = documents[start : start + ADOPTED]
            with self._batch(len(part), 0):
                query = f"UPDATE document SET seen = {self.run} WHERE id = ?"
                self.connection.executemany(query, ((document,) for document, _ in part))
                self._follow([before for _, before in part])

    def _follow(self, renewed: list[int]) -> None:
        self.aftermath.renewed += renewed
        self.supersede(renewed)

    def sign(self, rows: list[SignatureRow]) -> None:
        """Contents that another scan signed in another way."""
        with self._batch(len(rows), sum(len(row[2]) for row in rows)):
            self.texts.sign(rows)

    def supersede(self, versions: list[int]) -> None:
        supersede(self.connection, self.run, versions)

    def finish(self, below: tuple[bytes, ...]) -> Changes:
        """Take over what a killed scan had read, note what is gone, and recognise what only moved; what lies in a
        container goes where that goes."""
        self.flush()
        with transaction(self.connection):
            for version in self.files.unfinished.adopted:
                self._adopt(version)
            for document in self.files.unfinished.useless(below):
                self.connection.execute("DELETE FROM document WHERE id = ?", (document,))
                drop_members(self.connection, document)
            self.supersede(added_below(self.connection, self.scope, self.run, below))
            vanished = self.files.vanished(below)
            self.supersede([version.id for version in vanished])
            left = [*self.aftermath.replaced, *(version.path for version in vanished)]
            self.aftermath.members_gone += leave_members(self.connection, self.run, self.scope, left)
            moves = recognise_moves(self.connection, self.scope, self.run, vanished)
            moved = len(moves) + sum(move_members(self.connection, self.run, move) for move in moves)
            # A folder that could not be looked into, and can be now, is of no kind.
            gone = sum(version.media != "" for version in vanished) + self.aftermath.members_gone - moved
            return count_changes(self.connection, self.scope, self.run, gone=gone)

    def _adopt(self, version: Version) -> None:
        """Make a version that a killed scan had read one of this run, with its members."""
        before = self.files.present.get(version.path)
        if version.media in TABLES or (version.reader is not None and version.reader != UNKNOWN):
            self.aftermath.containers.append((version.path, version.id))
            gone = adopt_members(self.connection, self.run, self.scope, version.path, version.id)
            self.aftermath.members_gone += gone
        elif before is not None:
            self.aftermath.replaced.append(version.path)
        previous = None if before is None else before.id
        self.connection.execute(
            "UPDATE document SET seen = ?, before = ? WHERE id = ?", (self.run, previous, version.id)
        )
        if before is not None:
            self.supersede([before.id])

    def settlement(self) -> "Settlement":
        """What is left to be done when the run ends."""
        return Settlement(self.scope, self.run, tuple(self.aftermath.containers), tuple(self.aftermath.renewed))


@dataclass(frozen=True)
class Settlement:
    """What a run changes for others when it ends: whoever is killed before has changed nothing that they see."""

    scope: int
    run: int
    containers: tuple[tuple[bytes, int], ...]  # that were read or touched: path and document
    renewed: tuple[int, ...]  # documents with other texts now

    def store(self, connection: sqlite3.Connection) -> None:
        """In the transaction that ends the run. What was added since `finish` where this run has read is left to the
        next one, as its matches are."""
        supersede(connection, self.run, added_below(connection, self.scope, self.run, ()))
        for path, document in self.containers:
            settle_members(connection, self.scope, path, document)
        stay_with_renewed(connection, self.run, [*self.renewed])


def supersede(connection: sqlite3.Connection, run: int, versions: list[int]) -> None:
    """They are gone when this run has finished; those that a later version has followed meanwhile are already."""
    connection.executemany(
        f"""UPDATE document SET gone = {run}
            WHERE id = ? AND (gone IS NULL OR gone NOT IN (SELECT id FROM finished))""",
        ((version,) for version in versions),
    )


Kind = tuple[str, str | None, bytes | None, int | None, Reason | None, str | None]  # media to detail, as stored


def _is_same(before: Version, kind: Kind, reader: str | None, *, with_legacy: bool) -> bool:
    """Whether a file was only touched: then this is no new version."""
    if with_legacy and not before.has_legacy:
        return False
    media, _, digest, text, reason, detail = kind
    now = (digest, text, media, reason, detail, reader)
    return now == (before.digest, before.text, before.media, before.reason, before.detail, before.reader)
