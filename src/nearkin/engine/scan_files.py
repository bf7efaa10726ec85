"""The local engine: files to signatures on the threads of this machine.

The whole way from file to signature is one native call a batch, without the GIL, so threads suffice. Only texts in
other encodings come back to Python to be decoded. Batches are given out in order, and read some way ahead: memory is
bounded by the batches in flight, and what comes out does not depend on the number of jobs.

Taking files in: walk, leave out what is known, read and sign the rest, store it batch by batch.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count, islice, repeat
from os import fsencode
from pathlib import Path
from typing import Any

from nearkin import _native
from nearkin.engine.reader import HandedOver, Read, Reader, columns, listed
from nearkin.engine.threads import awaited
from nearkin.engine.threads import recipe as recipe
from nearkin.model import Plain, Readings
from nearkin.read.table import table_kind
from nearkin.read.walk import ROOT, PassedOver, Unreadable, walk_by_runs
from nearkin.settings import Settings
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import Known, Renewed
from nearkin.store.scopes import Scope
from nearkin.store.text_writer import SignatureRow

Recipe = _native.Recipe
BATCH_FILES = 256
AHEAD = 20  # batches read ahead, besides one for each thread, where there is room for them
UNKNOWN = 32 << 20  # bytes that a batch is taken for before one was seen: few are larger


def ingest(
    root: bytes,
    paths: Iterable[bytes],
    how: _native.Recipe,
    *,
    jobs: int,
    keep: bool = False,
    hand_over: Callable[[list[HandedOver]], None] | None = None,
    legacy: bool = False,
    room: int | None = None,
    idle: Callable[[], None] = lambda: None,
    meanwhile: Callable[[], object] = lambda: None,
    once: bool = False,
) -> Iterator[Readings]:
    """Read and sign files, batch by batch, in the order of the paths, which are relative to root.

    `once`: a file of the same bytes as one before it comes without text and features, for whoever stores them in order.

    No further ahead than as many of the largest batch so far as have `room` (bytes), besides one for each thread.

    With `keep` the texts are also compressed here, on the threads: the store has one only. Files that may be of a
    format that workers read are handed over, where someone takes them, and are then not in the batch. `idle` is called
    where the next batch is long in coming, `meanwhile` when the first batches are being read.
    """
    reader = Reader(root, how, keep=keep, hands_over=hand_over is not None, legacy=legacy, once=once)
    for read in _ahead(reader.read, paths, jobs=jobs, hand_over=hand_over, room=room, idle=idle, meanwhile=meanwhile):
        assert isinstance(read, Readings)
        yield read


def ingest_plainly(
    root: bytes,
    paths: Iterable[bytes],
    how: _native.Recipe,
    *,
    jobs: int,
    hand_over: Callable[[list[HandedOver]], None],
    room: int,
    idle: Callable[[], None],
    meanwhile: Callable[[], object],
) -> Iterator[Plain | Readings]:
    """The same, each once and with its text compressed, for whoever can store what is plain as it is; what is not comes
    row by row, after it."""
    reader = Reader(root, how, keep=True, hands_over=True, legacy=False, once=True)
    return _ahead(reader.read_plainly, paths, jobs=jobs, hand_over=hand_over, room=room, idle=idle, meanwhile=meanwhile)


def _ahead(
    read: Callable[[list[bytes], int], Read],
    paths: Iterable[bytes],
    *,
    jobs: int,
    hand_over: Callable[[list[HandedOver]], None] | None,
    room: int | None,
    idle: Callable[[], None],
    meanwhile: Callable[[], object],
) -> Iterator[Plain | Readings]:
    """Batches on threads, in order."""
    rest = iter(paths)
    pending: deque[tuple[int, Future[Read]]] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="nearkin")
    turns = count()
    largest, begun = UNKNOWN, False
    try:
        while True:
            ahead = AHEAD if room is None else min(AHEAD, room // largest)
            while len(pending) < jobs + ahead and (batch := list(islice(rest, BATCH_FILES))):
                turn = next(turns)
                pending.append((turn, pool.submit(read, batch, turn)))
            if not pending:
                return
            if not begun:
                meanwhile()
                begun = True
            turn, future = pending.popleft()
            done = awaited(future, idle)
            del future  # it holds what it has given
            largest = max(largest, sum(one.held for one in done.found))
            if done.left:  # the rest of the batch comes next
                pending.appendleft((turn, pool.submit(read, done.left, turn)))
            if hand_over is not None and done.handed_over:
                hand_over(done.handed_over)
            yield from done.found
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def ingest_again(texts: list[bytes], versions: list[Renewed], how: _native.Recipe) -> Readings:
    """Extracted texts made canonical and signed, under the digests and extractors they came from."""
    readings = columns(
        _native.ingest_texts(texts, [False] * len(texts), how), [one.path for one in versions], raw=False
    )
    readings.digests[:] = [one.digest for one in versions]
    readings.extractors[:] = [one.extractor for one in versions]
    return readings


def sign_again(contents: list[int], texts: list[bytes], how: _native.Recipe) -> list[SignatureRow]:
    """Extracted texts of these contents made canonical and signed."""
    batch = _native.ingest_contents([*texts], how)
    weights = batch.weights or repeat(None)
    return list(zip(contents, batch.moduli, batch.features, weights, strict=False))


AT_ONCE = 4096  # files that the file system is asked about


def take_in(
    writer: Writer,
    scope: Scope,
    starts: tuple[Path, ...],
    how: _native.Recipe,
    settings: Settings,
    *,
    leave_out: frozenset[bytes],
    remember: Callable[[Plain | Readings], None],
    progress: Callable[[int, int], None],
    meanwhile: Callable[[], object] = lambda: None,
    all_listed: Callable[[], None] = lambda: None,
) -> PassedOver:
    """Says what else was met. `progress` is told how many files and bytes were read so far; `meanwhile` is called once
    reading has begun, `all_listed` between two transactions when the last files are still being read."""
    unreadable: list[Unreadable] = []
    passed_over = PassedOver()
    as_tables = settings.table.text_column is not None
    base = fsencode(scope.root)
    tables: list[bytes] = []  # read when all other files are
    handed_over: list[HandedOver] = []  # likewise

    def met() -> Iterator[list[bytes]]:
        """Some at a time: one question about all files of a large folder could not be interrupted."""
        some: list[bytes] = []
        for one in walk_by_runs(scope.root, starts, settings.walk, leave_out=leave_out, passed_over=passed_over):
            if isinstance(one, Unreadable):
                unreadable.append(one)
                continue
            some += one
            while len(some) >= AT_ONCE:
                yield some[:AT_ONCE]
                del some[:AT_ONCE]
        yield some

    def files() -> Iterator[bytes]:
        for some in met():
            writer.commit_if_due()  # of very many there may be none to be read
            wanted = _to_be_read(writer.known, base + b"/", some, threads=settings.run.jobs)
            if as_tables:
                tables.extend(path for path in wanted if table_kind(path) is not None)
                wanted = [path for path in wanted if table_kind(path) is None]
            yield from wanted
        writer.rest()
        all_listed()

    reading: dict[str, Any] = {
        "jobs": settings.run.jobs,
        "hand_over": handed_over.extend,
        "room": settings.run.memory // 8,
        "idle": writer.rest,
        "meanwhile": meanwhile,
    }
    found: Iterator[Plain | Readings]
    if writer.takes_plain and not settings.walk.legacy_digests:
        found = ingest_plainly(base, files(), how, **reading)
    else:
        about: dict[str, Any] = {"keep": settings.text.keep, "legacy": settings.walk.legacy_digests, "once": True}
        found = ingest(base, files(), how, **reading, **about)
    done = size = 0
    for read in found:
        done += len(read)
        size += read.size
        if isinstance(read, Plain) and writer.begin_plain(read):
            writer.add_plain(read)
            remember(read)  # which takes the batch away
        else:
            batch = listed(read) if isinstance(read, Plain) else read
            writer.known.met.difference_update(batch.stores)  # what was there before is gone
            remember(batch)
            batch.let_go()  # before it is written: a long text is then not held twice
            writer.add(batch)
        progress(done, size)
    if handed_over:
        from nearkin.engine.documents import take_in_documents  # workers, for scans that need them only

        def told(documents: int, bytes_: int) -> None:
            progress(done + documents, size + bytes_)

        take_in_documents(writer, base + b"/", handed_over, how, settings, remember=remember, progress=told)
    if tables:
        from nearkin.engine.tables import take_in_tables  # with what it needs, for scans of tables only

        take_in_tables(
            writer,
            base + b"/",
            tables,
            how,
            settings,
            remember=remember,
            progress=lambda rows, bytes_: progress(done + rows, size + bytes_),
        )
    for one in unreadable:
        writer.add(Readings.failed(one.path, one.detail))
        writer.known.met.add(one.path)
        writer.known.closed.append(b"" if one.path == ROOT else one.path)
    return passed_over


def _to_be_read(known: Known, base: bytes, paths: list[bytes], *, threads: int) -> list[bytes]:
    """All but those whose known version will do. The file system is asked natively: one by one from Python took half
    of the time a scan of unchanged files takes."""
    if not known.versions and not known.pending:  # a first scan
        known.met.update(paths)
        return paths
    asked = [known.versions[path] for path in paths if path in known.versions]
    same = _native.unchanged(
        [base + one.path for one in asked],
        [one.size for one in asked],
        [one.mtime_ns for one in asked],
        [one.ctime_ns for one in asked],
        [one.inode for one in asked],
        threads,
    )
    unchanged = {one.path for one, is_same in zip(asked, same, strict=True) if is_same}
    return [path for path in paths if known.meet(path, base + path, unchanged=path in unchanged).reads]
