"""Scanning documents of formats: workers read each with its members, and they are stored in the order of their paths.

Documents are read some way ahead, as far as what waits to be stored has room: a long one holds up no short ones, and
what is stored does not depend on the number of workers. A container of the same bytes, read by the same formats, is not
read again. Of files of the same bytes a worker reads the first, and the others are stored last: the same report in five
folders is parsed once. Not so if it has members: they are named by their container, and are reading out of each.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from nearkin import _native
from nearkin.engine.container import DocumentReader, DocumentReading, ParsedDocument, Source
from nearkin.engine.reader import HandedOver, ingest
from nearkin.engine.threads import in_order
from nearkin.engine.workers import Workers
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import UNKNOWN, UNSEEN, ending_of
from nearkin.model import Reason
from nearkin.read.table import MEMBER
from nearkin.settings import Settings
from nearkin.store.batch import DocumentBatch
from nearkin.store.container_writer import ContainerWriter, StoredContainer
from nearkin.store.document_writer import Within, Writer

BY_CHANCE = (Reason.UNREADABLE, Reason.TIMED_OUT, Reason.CRASHED)  # and not another time, perhaps

Key = tuple[bytes | None, bytes]  # digest of the bytes, and ending: a format is recognised by both


def _key(file: HandedOver) -> Key:
    return file.digest, ending_of(file.path)


class DocumentCopies:
    """Files of the same bytes: what the later ones are follows from the first."""

    def __init__(self, handed_over: list[HandedOver]) -> None:
        self.firsts: list[HandedOver] = []
        self.later: list[HandedOver] = []
        keys: set[Key] = set()
        for file in handed_over:
            key = _key(file)
            (self.later if key in keys and file.digest is not None else self.firsts).append(file)
            keys.add(key)
        self._wanted = {_key(file) for file in self.later}
        self._rows: dict[Key, DocumentBatch] = {}

    def note(self, row: DocumentBatch) -> None:
        """Keep the row of a document without members, if there are copies of it."""
        key = (row.digests[0], ending_of(row.paths[0]))
        if key in self._wanted and row.reasons[0] not in BY_CHANCE:
            bare = row.without(set())  # a copy with lists of its own
            bare.texts, bare.features, bare.packed, bare.weights, bare.batches = [b""], [b""], [None], [None], []
            self._rows[key] = bare

    def row_of(self, file: HandedOver) -> DocumentBatch | None:
        """The row of a copy, without its text, which is stored with the first; None: a worker must read it."""
        first = self._rows.get(_key(file))
        if first is None:
            return None
        row = first.without(set())
        row.paths, row.sizes, row.mtimes = [file.path], [file.size], [file.mtime_ns]
        row.ctimes, row.inodes, row.owners = [file.ctime_ns], [file.inode], [file.owner]
        return row


AHEAD = 1024  # documents …
ROOM = 64 << 20  # … and bytes of texts that wait to be stored
TOGETHER = 64  # documents stored at once …
BATCH_BYTES = 4 << 20  # … or their texts

Remember = Callable[[DocumentBatch], None]


def take_in_documents(
    writer: Writer,
    base: bytes,
    handed_over: list[HandedOver],
    how: _native.Recipe,
    settings: Settings,
    *,
    remember: Remember,
    progress: Callable[[int, int], None],
) -> None:
    """Read and store documents; `progress` gets how many documents and bytes were read so far."""
    done = size = 0
    with Workers(settings.worker) as workers:
        reader = DocumentReader(how, workers, settings.text.keep, settings.walk.legacy_digests)
        copies = DocumentCopies(handed_over)
        scan = DocumentScan(writer, base, reader, settings.run.jobs, copies, room=min(ROOM, settings.run.memory // 8))
        for batch in chain(scan.take(copies.firsts), scan.take_copies()):
            done += len(batch)
            size += batch.size
            remember(batch)
            progress(done, size)
    for batch in ingest(
        base.removesuffix(b"/"),
        scan.plain,
        how,
        jobs=settings.run.jobs,
        keep=settings.text.keep,
        legacy=settings.walk.legacy_digests,
        room=settings.run.memory // 8,
        idle=writer.rest,
        once=True,
    ):
        read = zip(batch.paths, batch.digests, strict=True)  # a worker has looked at them, and need not again
        batch.readers[:] = [UNKNOWN if scan.plain[path] == digest else UNSEEN for path, digest in read]
        done += len(batch)
        size += batch.size
        writer.add(batch)
        remember(batch)
        progress(done, size)


@dataclass
class DocumentScan:
    """Stores what workers read, some documents at a time."""

    writer: Writer
    base: bytes
    reader: DocumentReader
    jobs: int
    copies: DocumentCopies
    room: int = ROOM

    def __post_init__(self) -> None:
        self.plain: dict[bytes, bytes | None] = {}  # of no format after all: paths and digests
        self._batch: DocumentBatch | None = None
        self._within: Within = {}
        self._batch_bytes = 0
        self._members = self._unpacked = 0  # of one file, at any depth

    def take(self, handed_over: list[HandedOver]) -> Iterator[DocumentBatch]:
        """Read files and store them; yields what was stored."""
        sources = (Source.of_file(self.base, file) for file in handed_over if not self._only_touched(file))
        with closing(self._in_order(sources)) as results:
            try:
                for reading in results:
                    yield from self._store(reading)
            except BaseException:  # nobody waits for documents that are being read
                self.reader.workers.abort()
                raise
        yield from self._flush()

    def take_copies(self) -> Iterator[DocumentBatch]:
        """Store the copies, when the first of them are stored."""
        to_read: list[HandedOver] = []
        for file in self.copies.later:
            if self._only_touched(file):
                continue
            row = self.copies.row_of(file)
            if row is None or StoredContainer(self.writer, file.path).had_members:
                to_read.append(file)
            else:
                yield from self._later(row)
        yield from self.take(to_read)

    def _in_order(self, sources: Iterator[Source]) -> Generator[DocumentReading, None, None]:
        return in_order(
            self.reader.read,
            sources,
            jobs=self.jobs,
            ahead=AHEAD,
            room=self.room,
            weight=lambda source: len(source.data),
            size=lambda reading: reading.size,
            on_error=self.reader.workers.abort,
            idle=self.writer.rest,
        )

    def _only_touched(self, file: HandedOver) -> bool:
        """Whether the file has the bytes that the store knows; then it is noted as touched."""
        files = self.writer.files
        before = files.present.get(file.path)
        if before is None or before.digest is None or before.digest != file.digest or files.rereads(before):
            return False
        self.writer.touch(
            before, size=file.size, mtime_ns=file.mtime_ns, ctime_ns=file.ctime_ns, inode=file.inode, owner=file.owner
        )
        return True

    def _store(self, reading: DocumentReading) -> Iterator[DocumentBatch]:
        if reading.document.plain:
            self.plain[reading.document.source.path] = reading.document.source.digest
            return
        container = StoredContainer(self.writer, reading.document.source.path)
        if reading.itself is not None and not reading.members and not container.had_members:
            self.copies.note(reading.itself)
            yield from self._later(reading.itself)
            return
        document = reading.document
        folder = Path(os.fsdecode(self.base + document.source.path + MEMBER[:1]))
        is_named_like = folder.is_dir()
        if reading.itself is not None and container.is_unknown and not is_named_like:
            yield from self._later(reading.itself, reading.inside)
            return
        yield from self._flush()
        opened = container.open(self.reader.begun(document))
        if is_named_like:
            document.problem = _named_like(folder)
            itself = self.reader.signed([document], [])
        elif reading.itself is not None:
            itself = reading.itself
            if reading.inside is not None:
                opened.add(reading.inside)
                yield reading.inside
        else:
            self._members = self._unpacked = 0
            document = yield from self._added(opened, self._stream(document.source))
            self.writer.rest()  # legacy digests of a large file take long
            itself = self.reader.signed([document], [])
        opened.close(itself)
        yield itself

    @staticmethod
    def _added(
        container: ContainerWriter, stream: Generator[DocumentBatch, None, ParsedDocument]
    ) -> Generator[DocumentBatch, None, ParsedDocument]:
        """Store members, some at a time: one by one each would be a few statements."""
        batch: DocumentBatch | None = None
        try:
            while True:
                rows = next(stream)
                if batch is None:
                    batch = rows
                else:
                    batch.extend(rows)
                if len(batch) >= TOGETHER or sum(map(len, batch.texts)) >= BATCH_BYTES:
                    container.add(batch)
                    yield batch
                    batch = None
        except StopIteration as end:
            if batch is not None:
                container.add(batch)
                yield batch
            document: ParsedDocument = end.value
            return document

    def _stream(self, source: Source) -> Generator[DocumentBatch, None, ParsedDocument]:
        """Yield the members of a large container as they come; return its own document."""
        document = ParsedDocument(source)
        try:
            with closing(self._inside(document)) as inside, closing(self._in_order(inside)) as results:
                for reading in results:
                    if (problem := self._counted(reading)) is not None:
                        if document.text is None:
                            raise problem
                        yield self._failed(reading.document.source, problem)
                        continue
                    if reading.too_much:
                        nested = yield from self._stream(reading.document.source)
                        yield self.reader.signed([nested], [])
                        continue
                    if reading.itself is not None:
                        yield reading.itself
                    if reading.inside is not None:
                        yield reading.inside
        except Problem as problem:
            document.problem = problem
        if (rest := document.settle()) is not None:
            yield self._failed(rest, rest.problem)
        return document

    def _failed(self, source: Source, problem: Problem | None) -> DocumentBatch:
        return self.reader.signed([ParsedDocument(source, problem=problem)], [])

    def _inside(self, document: ParsedDocument) -> Generator[Source, None, None]:
        request = replace(document.source.request, idle=self.writer.rest)
        with closing(self.reader.workers.ask(request)) as answers:
            for header, body in answers:
                if (member := document.apply(header, body)) is not None:
                    yield member

    def _counted(self, reading: DocumentReading) -> Problem | None:
        """Count the members of a file as they are stored, in one order however many workers there are; a Problem if
        there are too many."""
        limits = self.reader.workers.limits
        self._members += 1 + reading.members
        self._unpacked += reading.document.source.size + reading.unpacked
        if self._members > limits.members:
            return Problem(Reason.TOO_LARGE, f"there are more than {limits.members:,} members in it, at any depth")
        if self._unpacked > limits.unpacked:
            return Problem(Reason.TOO_LARGE, f"its members, at any depth, are over {limits.unpacked:,} bytes")
        return None

    def _later(self, itself: DocumentBatch, inside: DocumentBatch | None = None) -> Iterator[DocumentBatch]:
        """Store rows together with those that follow. A container that no scan has met is a row like any other,
        before those of its members."""
        for rows in (itself, inside):
            if rows is None:
                continue
            self._batch_bytes += sum(map(len, rows.texts))
            if self._batch is None:
                self._batch = rows
            else:
                self._batch.extend(rows)
        assert self._batch is not None
        if inside is not None:
            first = len(self._batch) - len(inside)
            self._within |= dict.fromkeys(range(first, len(self._batch)), first - 1)
        if len(self._batch) >= TOGETHER or self._batch_bytes >= BATCH_BYTES:
            yield from self._flush()

    def _flush(self) -> Iterator[DocumentBatch]:
        batch, within = self._batch, self._within
        self._batch, self._within, self._batch_bytes = None, {}, 0
        if batch is not None:
            self.writer.add(batch, within=within)
            yield batch


def _named_like(folder: Path) -> Problem:
    detail = f"its members would be named like the files in the folder {folder.name} beside it; rename that"
    return Problem(Reason.UNREADABLE, detail)
