"""Reading files: one batch after the other, on the threads of this machine.

The whole way from file to signature is one native call a batch, without the GIL, so threads suffice. Batches are given
out in order, and read some way ahead: memory is bounded by the batches in flight, and what comes out does not depend on
the number of jobs.

Texts in other encodings are decoded here. Files that may be of a format of the table are handed over to workers: those
with a known ending, a known mark, or the beginning of a mail, a mailbox or XML. The kernels ask this of every file
while they have its bytes (native/kernels/suspect.hpp), so that plain files cost nothing, and leave those of a known
ending to the worker at once. A file that begins as a format does is looked at here; a worker decides for good.

MD5 and SHA-1 of the bytes are for lists that others keep. Both are broken and decide nothing here; SHA-256 does. They
are made only where asked for: they would make a scan of plain files slower by what docs/decisions/023-workers.md says.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

from nearkin import _native, environment
from nearkin.engine.threads import awaited
from nearkin.formats.registry import ENDINGS, HEAD, MARKS, has_ending
from nearkin.model import Reason
from nearkin.settings import WalkSettings
from nearkin.store.batch import DocumentBatch
from nearkin.store.compression import pack_all
from nearkin.text.digest import legacy_digests
from nearkin.text.kind import TextKind, is_page, named_html, plain_text

HTML = int(TextKind.HTML)
MAGIC = tuple(mark for mark, _ in MARKS)
SUSPECTS = _native.Suspects(endings=sorted(ENDINGS), marks=[*MAGIC])

BATCH_FILES = 256
AHEAD = 20  # batches read ahead, besides one for each thread, where there is room for them
ASSUMED = 32 << 20  # bytes that a batch is taken for before one was seen: few are larger


class HandedOver(NamedTuple):
    """A file that a worker is to read, with its stamp and digest as the kernels took them."""

    path: bytes
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    owner: int
    digest: bytes | None


def is_suspect(kind: int, name: bytes, head: bytes) -> bool:
    """Whether a file may be of a format; `head` has its first bytes, or those of its text."""
    if has_ending(name):
        return True
    if kind == HTML or not head:
        return False
    from nearkin.formats.sniff import format_of_text  # few files need its many patterns

    return head.startswith(MAGIC) or format_of_text(head, "") is not None


def head_of(path: bytes) -> bytes:
    """The first bytes of a file; empty if it cannot be read: then only its name counts, and the worker says why."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(file, HEAD)
    except OSError:
        return b""
    finally:
        os.close(file)


BINARY = int(TextKind.BINARY)  # members of an enumeration are slow to compare
TIMES = 8  # bytes of memory for each byte of a large document; 4 to 5 were measured, of one of 200 MB
ALWAYS = WalkSettings().max_size  # is read on any machine


def largest_document() -> int:
    """The most bytes of a document that is read. Comparing takes some times its size in memory, whatever --memory says;
    better it fails alone than that the system ends the scan."""
    return max(ALWAYS, environment.memory() // TIMES)


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
    once: bool = False,
    native: bool = False,
) -> Iterator[DocumentBatch]:
    """Read and sign files, batch by batch, in the order of the paths, which are relative to root.

    No further ahead than as many of the largest batch so far as have `room` (bytes), besides one for each thread.

    With `keep` the texts are also compressed here, on the threads: the store has one only. Files that may be of a
    format that workers read are handed over, if `hand_over` is given, and are then not in the batch. `once` and
    `native` are those of Reader. `idle` is called where the next batch is long in coming.
    """
    reader = Reader(root, how, keep=keep, hands_over=hand_over is not None, legacy=legacy, once=once, native=native)
    rest = iter(paths)
    pending: deque[tuple[int, Future[ReadFiles]]] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="nearkin")
    turns = count()
    largest = ASSUMED
    try:
        while True:
            ahead = AHEAD if room is None else min(AHEAD, room // largest)
            while len(pending) < jobs + ahead and (some := list(islice(rest, BATCH_FILES))):
                turn = next(turns)
                pending.append((turn, pool.submit(reader.read, some, turn)))
            if not pending:
                return
            turn, future = pending.popleft()
            read = awaited(future, idle)
            del future  # it holds what it has given
            largest = max(largest, read.held)
            if read.left:  # the rest of the batch comes next
                pending.appendleft((turn, pool.submit(reader.read, read.left, turn)))
            if hand_over is not None and read.handed_over:
                hand_over(read.handed_over)
            yield from read.batches
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@dataclass
class ReadFiles:
    """What became of some paths."""

    batches: list[DocumentBatch]  # plain rows first, if they stay native, then the others
    left: list[bytes]  # for another batch: large files
    handed_over: list[HandedOver]

    @property
    def held(self) -> int:
        return sum(batch.held for batch in self.batches)


class Reader:
    """Reads batches of files, on any thread.

    `once`: a file of the same bytes as one before it comes without text and features, for a writer that stores batches
    in order. `native`: the columns of plain rows stay native, with their texts compressed, for a store that takes them
    so; this takes `once` and `keep`, and no legacy digests.
    """

    def __init__(
        self,
        root: bytes,
        how: _native.Recipe,
        *,
        keep: bool,
        hands_over: bool,
        legacy: bool = False,
        once: bool = False,
        native: bool = False,
    ) -> None:
        self.root, self.how, self.keep, self.legacy = root, how, keep, legacy
        self.native = native and once and keep and not legacy
        self.hands_over = hands_over and not how.raw
        self._packed: set[bytes | None] = set()  # digests of bytes whose texts were compressed
        self._copies = _native.Copies() if once else None

    def read(self, paths: list[bytes], turn: int) -> ReadFiles:
        suspects = SUSPECTS if self.hands_over else None
        batch = _native.ingest_files(self.root + b"/", paths, self.how, suspects, self._copies, turn)
        read, left = paths[: len(batch)], paths[len(batch) :]
        if not self.native:
            rows, handed_over = self._rows(batch, read)
            return ReadFiles([rows], left, handed_over)
        apart = _native.rows_apart(batch, self.how.raw)
        if not apart:
            return ReadFiles([DocumentBatch.of_native(read, batch, raw=self.how.raw)], left, [])
        rest = _native.chosen_rows(batch, apart)  # before the texts are dropped
        plain = DocumentBatch.of_native(_but_for(read, {*apart}), batch, raw=self.how.raw)
        rows, handed_over = self._rows(rest, [read[i] for i in apart])
        return ReadFiles([plain, rows], left, handed_over)

    def _rows(self, batch: _native.Batch, paths: list[bytes]) -> tuple[DocumentBatch, list[HandedOver]]:
        """Row by row, without stores of nearkin; and which files are for workers."""
        root, how = self.root, self.how
        rows = DocumentBatch.of_rows(paths, batch, raw=how.raw)
        stores = {*batch.stores}
        for i, reason in enumerate(rows.reasons):
            if reason is Reason.TOO_LARGE:
                by_memory = how.max_size == largest_document()
                why = f": this machine has memory for {TIMES} times as much" if by_memory else ""
                rows.details[i] = f"{rows.sizes[i]:,} bytes, over the limit of {how.max_size:,}{why}"
        kinds = batch.kinds
        suspects = set[int]()
        if self.hands_over:
            suspects = {*batch.named, *_confirmed(root, rows, kinds, batch.marked)}
        undecoded = [i for i, kind in enumerate(kinds) if kind == TextKind.OTHER and not how.raw and i not in suspects]
        if undecoded:
            decode_rows(rows, undecoded, [named_html(paths[i]) for i in undecoded], how)
        if self.keep:
            self._pack(rows, {*suspects, *stores, *batch.copies})
        handed_over = []
        if suspects | stores:
            stamps = zip(
                rows.paths, rows.sizes, rows.mtimes, rows.ctimes, rows.inodes, rows.owners, rows.digests, strict=True
            )
            handed_over = [HandedOver(*stamp) for i, stamp in enumerate(stamps) if i in suspects]
            rows.stores += [paths[i] for i in sorted(stores)]
            rows = rows.without(suspects | stores)
        if self.legacy:
            add_legacy_digests(rows, root)
        return rows, handed_over

    def _pack(self, rows: DocumentBatch, skipped: set[int]) -> None:
        """Compress the texts of bytes not compressed before. Two threads may meet the same at once: then both do it."""
        new = [
            i
            for i, content in enumerate(rows.contents)
            if content is not None and rows.digests[i] not in self._packed and i not in skipped
        ]
        self._packed.update(rows.digests[i] for i in new)
        for i, packed in zip(new, pack_all([rows.texts[i] for i in new]), strict=True):
            rows.packed[i] = packed


def _but_for(paths: list[bytes], rows: set[int]) -> list[bytes]:
    return [path for i, path in enumerate(paths) if i not in rows]


def _confirmed(root: bytes, rows: DocumentBatch, kinds: list[int], marked: list[int]) -> Iterator[int]:
    """Those of the marked rows that are suspects indeed."""
    for i in marked:
        path = rows.paths[i]
        head = head_of(root + b"/" + path) if kinds[i] == BINARY else rows.texts[i][:HEAD]
        if is_suspect(kinds[i], path, head):
            yield i


def decode_rows(rows: DocumentBatch, chosen: list[int], hints: list[bool], how: _native.Recipe) -> None:
    """Fill in the chosen rows, whose bytes were not UTF-8; each hint says whether the name is that of a page."""
    from nearkin.text.decode import decode  # most folders have none

    decoded = [
        decode(data, html=hint or data[:64].lstrip().startswith(b"<"))
        for data, hint in zip([rows.texts[i] for i in chosen], hints, strict=True)
    ]
    texts = [result.text.encode("utf-8") for result in decoded]
    html = [is_page(text, named_html=hint) for text, hint in zip(texts, hints, strict=True)]
    texts = [text if page else plain_text(text) for page, text in zip(html, texts, strict=True)]
    batch = _native.ingest_texts(texts, html, how)
    signed = DocumentBatch.of_rows([rows.paths[i] for i in chosen], batch, raw=False)
    signed.encodings[:] = [result.encoding for result in decoded]
    rows.replace_texts(chosen, signed)


def add_legacy_digests(rows: DocumentBatch, root: bytes) -> None:
    """MD5 and SHA-1 of files that were just read, and so are still in memory; not of one that has changed since."""
    for i, (path, digest) in enumerate(zip(rows.paths, rows.digests, strict=True)):
        if digest is None:
            continue
        try:
            with open(root + b"/" + path, "rb") as file:
                data = file.read()
        except OSError:
            continue
        if _native.sha256(data) == digest:
            rows.md5[i], rows.sha1[i] = legacy_digests(data)
