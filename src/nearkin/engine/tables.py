"""Scanning tables: each row is read, signed and stored as a file would be.

The table's document comes first, its rows after it; what was read of a table that breaks off stays. A table of the same
bytes, read in the same way, is not read again. Rows are signed as files are: one native call for many, on any thread.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nearkin import _native
from nearkin.engine.reader import decode_rows
from nearkin.engine.threads import in_order
from nearkin.errors import UsageError
from nearkin.model import Reason
from nearkin.read.table import MEMBER, BrokenTableError, Columns, Rows, TableKind, columns_of, table_kind
from nearkin.read.table_reader import RowNames, read_rows, refuse_unsuitable
from nearkin.read.walk import explain, stored_inode
from nearkin.settings import Settings
from nearkin.store.batch import DocumentBatch
from nearkin.store.compression import pack_all
from nearkin.store.container_writer import StoredContainer
from nearkin.store.document_writer import TRANSACTION_BYTES, Writer
from nearkin.text.kind import TextKind

ODD = frozenset({int(TextKind.OTHER), int(TextKind.BINARY)})


@dataclass(frozen=True)
class RowSigner:
    """Signs the rows of one table, which have its time and owner. HTML is recognised as in files, or all are `html`."""

    how: _native.Recipe
    html: bool
    keep: bool
    mtime: int = 0
    owner: int = 0
    native: bool = False  # columns stay native, for a store that takes them so; texts are kept

    def sign(self, named: tuple[list[bytes], Rows]) -> DocumentBatch:
        """Rows with their paths; those with a fault come last."""
        paths, rows = named
        good = [i for i in range(len(rows)) if i not in rows.faults] if rows.faults else range(len(rows))
        texts = [rows.texts[i] for i in good]
        signed = _native.ingest_bytes(texts, [self.html] * len(texts), self.how)
        raw = self.how.raw
        if self.native and not rows.faults and (raw or ODD.isdisjoint(signed.kinds)):
            return DocumentBatch.of_native(paths, signed, raw=raw, mtime=self.mtime, owner=self.owner)
        batch = DocumentBatch.of_rows([paths[i] for i in good], signed, raw=raw)
        if not raw:
            self._read_odd(batch, signed.kinds, texts, strings=rows.strings)
        if self.keep:
            batch.packed[:] = pack_all(batch.texts)
        for i, fault in rows.faults.items():
            batch.extend(DocumentBatch.failed(paths[i], fault.detail, fault.reason))
        batch.mtimes[:] = [self.mtime] * len(batch)
        batch.owners[:] = [self.owner] * len(batch)
        return batch

    def _read_odd(self, batch: DocumentBatch, kinds: list[int], texts: list[bytes], *, strings: bool) -> None:
        """Read texts in other encodings, as of files; and strings that look like no text, which are text all the
        same."""
        odd = [i for i, kind in enumerate(kinds) if kind in ODD]
        as_they_are = [i for i in odd if strings and _is_utf8(texts[i])]
        if as_they_are:
            signed = _native.ingest_texts([texts[i] for i in as_they_are], [self.html] * len(as_they_are), self.how)
            paths = [batch.paths[i] for i in as_they_are]
            batch.replace_texts(as_they_are, DocumentBatch.of_rows(paths, signed, raw=False))
        undecoded = [i for i in odd if kinds[i] == TextKind.OTHER and i not in set(as_they_are)]
        if undecoded:
            decode_rows(batch, undecoded, [self.html] * len(undecoded), self.how)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Stamp:
    """What shows that a file was written to."""

    size: int
    mtime_ns: int
    inode: int
    owner: int
    ctime_ns: int = field(compare=False)  # also of a file that got another name or other rights

    @classmethod
    def of(cls, path: bytes) -> "Stamp":
        file = os.lstat(path)
        return cls(file.st_size, file.st_mtime_ns, stored_inode(file.st_ino), file.st_uid, file.st_ctime_ns)


def take_in_tables(
    writer: Writer,
    base: bytes,
    tables: list[bytes],
    how: _native.Recipe,
    settings: Settings,
    *,
    remember: Callable[[DocumentBatch], None],
    progress: Progress,
) -> None:
    """Read and store tables; `progress` gets how many rows and bytes of text were read so far."""
    done = size = 0
    for path in tables:
        for batch in _take_in(writer, base, path, how, settings):
            done += len(batch)
            size += batch.size
            remember(batch)
            progress(done, size)


def _take_in(
    writer: Writer, base: bytes, path: bytes, how: _native.Recipe, settings: Settings
) -> Iterator[DocumentBatch]:
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
        writer.add(DocumentBatch.failed(path, explain(error)))
        return
    itself = table_row(path, kind, stamp, digest, settings.table.how)
    before = writer.files.present.get(path)
    if before is not None and not writer.files.rereads(before) and before.digest == digest:
        writer.add(itself)  # only touched
        writer.aftermath.containers.append((path, before.id))
        return
    table = StoredContainer(writer, path).open(itself)
    broken: tuple[Reason, str] | None = None
    rows = 0
    try:
        refuse_unsuitable(base + path, kind, columns)
        named = _named(path, base, read_rows(base + path, kind, columns, longest=settings.walk.max_size), columns)
        keep, html = settings.text.keep, settings.table.html
        signer = RowSigner(how, html, keep, mtime=stamp.mtime_ns, owner=stamp.owner, native=writer.takes_native)
        for batch in in_order(signer.sign, named, jobs=settings.run.jobs, idle=writer.rest):
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
    table.close(itself)


def _named(path: bytes, base: bytes, batches: Iterator[Rows], columns: Columns) -> Iterator[tuple[list[bytes], Rows]]:
    """Yield rows with their paths. A folder of the same name as the rows' would make two documents of one path."""
    if Path(os.fsdecode(base + path + MEMBER[:1])).is_dir():
        folder = os.fsdecode(path.rpartition(b"/")[2] + MEMBER[:1])
        detail = f"its rows would be named like the files in the folder {folder} beside it; rename that"
        raise BrokenTableError(detail, Reason.UNSUPPORTED)
    names = RowNames(by_id=columns.id is not None)
    for rows in batches:
        yield [path + MEMBER + name for name in names.of(rows)], rows


def table_row(path: bytes, kind: TableKind, stamp: Stamp, digest: bytes, how: str | None) -> DocumentBatch:
    """The table file itself: a document without text."""
    return DocumentBatch.of_lists(
        [path],
        sizes=[stamp.size],
        mtimes=[stamp.mtime_ns],
        ctimes=[stamp.ctime_ns],
        inodes=[stamp.inode],
        owners=[stamp.owner],
        media=[kind.media],
        digests=[digest],
        details=[how],
    )
