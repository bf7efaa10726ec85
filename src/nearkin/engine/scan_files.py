"""The local engine: files to signatures on the threads of this machine.

The whole way from file to signature is one native call a batch, without the GIL, so threads suffice. Only texts in
other encodings come back to Python to be decoded. Batches are given out in order, and read some way ahead: memory is
bounded by the batches in flight, and what comes out does not depend on the number of jobs.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count, islice, repeat

from nearkin import _native
from nearkin.engine.handover import HandedOver
from nearkin.engine.reader import Read, Reader, columns
from nearkin.engine.recipe import recipe as recipe
from nearkin.engine.threads import awaited
from nearkin.model import Plain, Readings
from nearkin.store.freshness import Renewed
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
