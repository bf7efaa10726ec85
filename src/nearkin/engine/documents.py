"""Taking documents of formats in: each asked of a worker, its members after it, stored in the order of their paths.

Documents are taken apart some way ahead, as far as what waits to be stored has room: a long one holds up no short ones,
and what is stored does not depend on the number of workers. Of files of the same bytes a worker is asked once, and the
others are stored last. A container of the same bytes, taken apart by the same formats, is not taken apart again.

Files of the same bytes, of which a worker is asked once: what the others are follows from the first.

The same report in five folders is parsed once. Not so where something lies in it: members are named by their container,
and are taken out of each.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from nearkin import _native
from nearkin.engine.container import Entry, Source, Taken, Taker
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

Key = tuple[bytes | None, bytes]  # digest of the bytes; and the ending, since a format is told by it, too


class Copies:
    def __init__(self, handed_over: list[HandedOver]) -> None:
        self.firsts: list[HandedOver] = []
        self.others: list[HandedOver] = []
        met: set[Key] = set()
        for one in handed_over:
            key = (one.digest, ending_of(one.path))
            (self.others if key in met and one.digest is not None else self.firsts).append(one)
            met.add(key)
        self._wanted = {(one.digest, ending_of(one.path)) for one in self.others}
        self._found: dict[Key, DocumentBatch] = {}

    def note(self, row: DocumentBatch) -> None:
        """A document with nothing in it, as a worker told of it."""
        key = (row.digests[0], ending_of(row.paths[0]))
        if key in self._wanted and row.reasons[0] not in BY_CHANCE:
            bare = row.without(set())  # of lists of its own
            bare.texts, bare.features, bare.packed, bare.weights, bare.batches = [b""], [b""], [None], [None], []
            self._found[key] = bare

    def told(self, one: HandedOver) -> DocumentBatch | None:
        """All but its text, which is stored with the first; None: it must be asked for."""
        found = self._found.get((one.digest, ending_of(one.path)))
        if found is None:
            return None
        row = found.without(set())
        row.paths, row.sizes, row.mtimes = [one.path], [one.size], [one.mtime_ns]
        row.ctimes, row.inodes, row.owners = [one.ctime_ns], [one.inode], [one.owner]
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
    """`progress` is told how many documents and bytes were read so far."""
    done = size = 0
    with Workers(settings.worker) as workers:
        taker = Taker(how, workers, settings.text.keep, settings.walk.legacy_digests)
        copies = Copies(handed_over)
        intake = Intake(writer, base, taker, settings.run.jobs, copies, room=min(ROOM, settings.run.memory // 8))
        for readings in chain(intake.take(copies.firsts), intake.take_copies()):
            done += len(readings)
            size += sum(readings.sizes)
            remember(readings)
            progress(done, size)
    for readings in ingest(
        base.removesuffix(b"/"),
        intake.plain,
        how,
        jobs=settings.run.jobs,
        keep=settings.text.keep,
        legacy=settings.walk.legacy_digests,
        room=settings.run.memory // 8,
        idle=writer.rest,
        once=True,
    ):
        read = zip(readings.paths, readings.digests, strict=True)  # as looked at: they need not be again
        readings.readers[:] = [UNKNOWN if intake.plain[path] == digest else UNSEEN for path, digest in read]
        done += len(readings)
        size += sum(readings.sizes)
        writer.add(readings)
        remember(readings)
        progress(done, size)


@dataclass
class Intake:
    writer: Writer
    base: bytes
    taker: Taker
    jobs: int
    copies: Copies
    room: int = ROOM

    def __post_init__(self) -> None:
        self.plain: dict[bytes, bytes | None] = {}  # of no format after all: paths and digests
        self._batch: DocumentBatch | None = None
        self._within: Within = {}
        self._batch_bytes = 0
        self._members = self._unpacked = 0  # of one file, at any depth

    def take(self, handed_over: list[HandedOver]) -> Iterator[DocumentBatch]:
        """What was stored, some at a time."""
        sources = (Source.of_file(self.base, one) for one in handed_over if not self._only_touched(one))
        with closing(self._in_order(sources)) as results:
            try:
                for taken in results:
                    yield from self._store(taken)
            except BaseException:  # nobody waits for what is being read
                self.taker.workers.abort()
                raise
        yield from self._flush()

    def take_copies(self) -> Iterator[DocumentBatch]:
        """When what they are copies of is stored."""
        asked: list[HandedOver] = []
        for one in self.copies.others:
            if self._only_touched(one):
                continue
            told = self.copies.told(one)
            if told is None or StoredContainer(self.writer, one.path).had_members:
                asked.append(one)
            else:
                yield from self._later(told)
        yield from self.take(asked)

    def _in_order(self, sources: Iterator[Source]) -> Generator[Taken, None, None]:
        return in_order(
            self.taker.take,
            sources,
            jobs=self.jobs,
            ahead=AHEAD,
            room=self.room,
            weight=lambda source: len(source.data),
            size=lambda taken: taken.size,
            on_error=self.taker.workers.abort,
            idle=self.writer.rest,
        )

    def _only_touched(self, one: HandedOver) -> bool:
        files = self.writer.files
        before = files.present.get(one.path)
        if before is None or before.digest is None or before.digest != one.digest or files.rereads(before):
            return False
        self.writer.touch(
            before, size=one.size, mtime_ns=one.mtime_ns, ctime_ns=one.ctime_ns, inode=one.inode, owner=one.owner
        )
        return True

    def _store(self, taken: Taken) -> Iterator[DocumentBatch]:
        if taken.entry.plain:
            self.plain[taken.entry.source.path] = taken.entry.source.digest
            return
        container = StoredContainer(self.writer, taken.entry.source.path)
        if taken.itself is not None and not taken.members and not container.had_members:
            self.copies.note(taken.itself)
            yield from self._later(taken.itself)
            return
        entry = taken.entry
        folder = Path(os.fsdecode(self.base + entry.source.path + MEMBER[:1]))
        is_named_like = folder.is_dir()
        if taken.itself is not None and container.is_unknown and not is_named_like:
            yield from self._later(taken.itself, taken.inside)
            return
        yield from self._flush()
        opened = container.open(self.taker.begun(entry))
        if is_named_like:
            entry.problem = _named_like(folder)
            itself = self.taker.signed([entry], [])
        elif taken.itself is not None:
            itself = taken.itself
            if taken.inside is not None:
                opened.add(taken.inside)
                yield taken.inside
        else:
            self._members = self._unpacked = 0
            entry = yield from self._added(opened, self._stream(entry.source))
            self.writer.rest()  # legacy digests of a large file take long
            itself = self.taker.signed([entry], [])
        opened.close(itself)
        yield itself

    @staticmethod
    def _added(
        container: ContainerWriter, stream: Generator[DocumentBatch, None, Entry]
    ) -> Generator[DocumentBatch, None, Entry]:
        """Some members at a time: one by one each would be a few statements."""
        batch: DocumentBatch | None = None
        try:
            while True:
                readings = next(stream)
                if batch is None:
                    batch = readings
                else:
                    batch.extend(readings)
                if len(batch) >= TOGETHER or sum(map(len, batch.texts)) >= BATCH_BYTES:
                    container.add(batch)
                    yield batch
                    batch = None
        except StopIteration as end:
            if batch is not None:
                container.add(batch)
                yield batch
            entry: Entry = end.value
            return entry

    def _stream(self, source: Source) -> Generator[DocumentBatch, None, Entry]:
        """What lies in a large container, some at a time; then itself."""
        entry = Entry(source)
        try:
            with closing(self._inside(entry)) as inside, closing(self._in_order(inside)) as results:
                for taken in results:
                    if (problem := self._counted(taken)) is not None:
                        if entry.text is None:
                            raise problem
                        yield self._failed(taken.entry.source, problem)
                        continue
                    if taken.too_much:
                        nested = yield from self._stream(taken.entry.source)
                        yield self.taker.signed([nested], [])
                        continue
                    if taken.itself is not None:
                        yield taken.itself
                    if taken.inside is not None:
                        yield taken.inside
        except Problem as problem:
            entry.problem = problem
        if (rest := entry.settle()) is not None:
            yield self._failed(rest, rest.problem)
        return entry

    def _failed(self, source: Source, problem: Problem | None) -> DocumentBatch:
        return self.taker.signed([Entry(source, problem=problem)], [])

    def _inside(self, entry: Entry) -> Generator[Source, None, None]:
        asked = replace(entry.source.asked, idle=self.writer.rest)
        with closing(self.taker.workers.ask(asked)) as answers:
            for header, body in answers:
                if (member := entry.heed(header, body)) is not None:
                    yield member

    def _counted(self, taken: Taken) -> Problem | None:
        """In the order of what is stored: so it is the same, however many workers there are."""
        limits = self.taker.workers.limits
        self._members += 1 + taken.members
        self._unpacked += taken.entry.source.size + taken.unpacked
        if self._members > limits.members:
            return Problem(Reason.TOO_LARGE, f"there are more than {limits.members:,} members in it, at any depth")
        if self._unpacked > limits.unpacked:
            return Problem(Reason.TOO_LARGE, f"its members, at any depth, are over {limits.unpacked:,} bytes")
        return None

    def _later(self, itself: DocumentBatch, inside: DocumentBatch | None = None) -> Iterator[DocumentBatch]:
        """Some at a time. A container that nobody knows is a row as all others are, before those of its members."""
        for readings in (itself, inside):
            if readings is None:
                continue
            self._batch_bytes += sum(map(len, readings.texts))
            if self._batch is None:
                self._batch = readings
            else:
                self._batch.extend(readings)
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
    said = f"its members would be named like the files in the folder {folder.name} beside it; rename that"
    return Problem(Reason.UNREADABLE, said)
