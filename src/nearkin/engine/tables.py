"""Taking tables in: each row is read, signed and stored as a file would be.

The table's document comes first, its rows after it; what was read of a table that breaks off stays. A table of the same
bytes, read in the same way, is not read again.

Rows of a table signed as files are: one native call for many of them, on any thread.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nearkin import _native
from nearkin.engine.reader import columns, decode_others, listed, packed_texts
from nearkin.engine.threads import in_order
from nearkin.errors import UsageError
from nearkin.model import Plain, Readings, Reason
from nearkin.read.table import MEMBER, BrokenTableError, Columns, Rows, TableKind, columns_of, table_kind
from nearkin.read.table_reader import RowNames, read_rows, refuse_unsuitable
from nearkin.read.walk import explain, stored_inode
from nearkin.settings import Settings
from nearkin.store.compression import pack_all
from nearkin.store.container_writer import ContainerWriter
from nearkin.store.document_writer import TRANSACTION_BYTES, Writer
from nearkin.text.kind import TextKind

ODD = frozenset({int(TextKind.OTHER), int(TextKind.BINARY)})


@dataclass(frozen=True)
class RowSigner:
    """Of the rows of one table, whose time and owner they have. Texts are told HTML as files are, or are all `html`."""

    how: _native.Recipe
    html: bool
    keep: bool
    mtime: int = 0
    owner: int = 0

    def sign(self, batch: tuple[list[bytes], Rows]) -> Readings:
        """Rows with their paths; those with a fault come last."""
        return self._listed(*batch, self._told(batch[1]))

    def sign_plainly(self, batch: tuple[list[bytes], Rows]) -> Plain | Readings:
        """The same as they are, where nothing has to be done about any of them; their texts are kept."""
        paths, rows = batch
        told, raw = self._told(rows), self.how.raw
        if rows.faults or not (raw or ODD.isdisjoint(told.kinds)):
            return self._listed(paths, rows, told)
        size, packed = sum(told.sizes), packed_texts(told, raw=raw)
        return Plain(paths, size, raw, packed, [told], mtime=self.mtime, owner=self.owner)

    def _told(self, rows: Rows) -> _native.Batch:
        texts = [rows.texts[i] for i in _good(rows)]
        return _native.ingest_bytes(texts, [self.html] * len(texts), self.how)

    def _listed(self, paths: list[bytes], rows: Rows, told: _native.Batch) -> Readings:
        texts = [rows.texts[i] for i in _good(rows)]
        readings = columns(told, [paths[i] for i in _good(rows)], raw=self.how.raw)
        if not self.how.raw:
            hints = [self.html] * len(texts)
            _read_others(readings, told.kinds, texts, hints, self.how, strings=rows.strings)
        if self.keep:
            readings.packed[:] = pack_all(readings.texts)
        for i, fault in rows.faults.items():
            readings.extend(Readings.failed(paths[i], fault.detail, fault.reason))
        readings.mtimes[:] = [self.mtime] * len(readings)
        readings.owners[:] = [self.owner] * len(readings)
        return readings


def _good(rows: Rows) -> Sequence[int]:
    """Those without a fault."""
    return [i for i in range(len(rows)) if i not in rows.faults] if rows.faults else range(len(rows))


def _read_others(
    readings: Readings, kinds: list[int], texts: list[bytes], hints: list[bool], how: _native.Recipe, *, strings: bool
) -> None:
    """Texts in other encodings, as of files; and strings that look like no text, which are text all the same."""
    odd = [i for i, kind in enumerate(kinds) if kind in ODD]
    as_they_are = [i for i in odd if strings and _is_utf8(texts[i])]
    if as_they_are:
        taken = columns(
            _native.ingest_texts([texts[i] for i in as_they_are], [hints[i] for i in as_they_are], how),
            [readings.paths[i] for i in as_they_are],
            raw=False,
        )
        readings.replace(as_they_are, taken)
    others = [i for i in odd if kinds[i] == TextKind.OTHER and i not in set(as_they_are)]
    if others:
        decode_others(readings, others, [hints[i] for i in others], how)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Stamp:
    """What tells that a file was written to."""

    size: int
    mtime_ns: int
    inode: int
    owner: int
    ctime_ns: int = field(compare=False)  # also of a file that got another name or other rights

    @classmethod
    def of(cls, path: bytes) -> "Stamp":
        found = os.lstat(path)
        return cls(found.st_size, found.st_mtime_ns, stored_inode(found.st_ino), found.st_uid, found.st_ctime_ns)


def take_in_tables(
    writer: Writer,
    base: bytes,
    tables: list[bytes],
    how: _native.Recipe,
    settings: Settings,
    *,
    remember: Callable[[Plain | Readings], None],
    progress: Progress,
) -> None:
    """`progress` is told how many rows and bytes of text were read so far."""
    done = size = 0
    for path in tables:
        for batch in _take_in(writer, base, path, how, settings):
            done += len(batch)
            size += batch.size
            remember(batch)
            progress(done, size)


def _take_in(
    writer: Writer, base: bytes, path: bytes, how: _native.Recipe, settings: Settings
) -> Iterator[Plain | Readings]:
    kind, columns = table_kind(path), columns_of(settings.table)
    if kind is None or columns is None:
        raise AssertionError("a table is read by its columns")
    try:
        stamp = Stamp.of(base + path)
        if stamp.size > TRANSACTION_BYTES:
            writer.rest()
        with open(base + path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        writer.add(Readings.failed(path, explain(error)))
        return
    itself = table_reading(path, kind, stamp, digest, settings.table.how)
    before = writer.known.versions.get(path)
    if before is not None and not writer.known.rereads(before) and before.digest == digest:
        writer.add(itself)  # only touched
        writer.containers.append((path, before.id))
        return
    table = ContainerWriter(writer, path)
    table.begin(itself)
    broken: tuple[Reason, str] | None = None
    rows = 0
    try:
        refuse_unsuitable(base + path, kind, columns)
        named = _named(path, base, read_rows(base + path, kind, columns, longest=settings.walk.max_size), columns)
        keep, html = settings.text.keep, settings.table.html
        signer = RowSigner(how, html, keep, mtime=stamp.mtime_ns, owner=stamp.owner)
        work = signer.sign_plainly if writer.takes_plain else signer.sign
        for read in in_order(work, named, jobs=settings.run.jobs, idle=writer.rest):
            batch = listed(read) if isinstance(read, Plain) and not table.begin_plain(read) else read
            table.add(batch)
            rows += len(batch)
            yield batch
    except BrokenTableError as error:
        broken = error.reason, f"{error}; {rows:,} rows were read" if rows else str(error)
    except UsageError as error:
        broken = Reason.UNSUPPORTED, str(error).rstrip(".")
    try:
        if broken is None and Stamp.of(base + path) != stamp:
            broken = Reason.CORRUPT, "it was written to while it was read"
    except OSError as error:  # it was removed
        broken = Reason.UNREADABLE, f"{explain(error)}; {rows:,} rows were read"
    if broken is not None:
        itself.reasons[0], itself.details[0] = broken
    table.end(itself)


def _named(path: bytes, base: bytes, batches: Iterator[Rows], columns: Columns) -> Iterator[tuple[list[bytes], Rows]]:
    """Each row's path. A folder of the same name as the rows' would make two documents of one path."""
    if Path(os.fsdecode(base + path + MEMBER[:1])).is_dir():
        folder = os.fsdecode(path.rpartition(b"/")[2] + MEMBER[:1])
        alike = f"its rows would be named like the files in the folder {folder} beside it; rename that"
        raise BrokenTableError(alike, Reason.UNSUPPORTED)
    names = RowNames(by_id=columns.id is not None)
    for rows in batches:
        yield [path + MEMBER + name for name in names.of(rows)], rows


def table_reading(path: bytes, kind: TableKind, stamp: Stamp, digest: bytes, how: str | None) -> Readings:
    """The table file itself: a document without text."""
    one = Readings.failed(path, "")
    one.sizes[:] = [stamp.size]
    one.mtimes[:] = [stamp.mtime_ns]
    one.ctimes[:] = [stamp.ctime_ns]
    one.inodes[:] = [stamp.inode]
    one.owners[:] = [stamp.owner]
    one.media[:] = [kind.media]
    one.digests[:] = [digest]
    one.reasons[:] = [None]
    one.details[:] = [how]
    return one
