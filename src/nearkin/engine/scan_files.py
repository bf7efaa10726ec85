"""Scanning files: walk, leave out what is known, read and sign the rest, store it batch by batch."""

from collections.abc import Callable, Iterator
from itertools import repeat
from os import fsencode
from pathlib import Path

from nearkin import _native
from nearkin.engine.reader import HandedOver
from nearkin.engine.reader import ingest as ingest
from nearkin.engine.threads import recipe as recipe
from nearkin.read.table import table_kind
from nearkin.read.walk import ROOT, PassedOver, Unreadable, walk_by_runs
from nearkin.settings import Settings
from nearkin.store.batch import DocumentBatch
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import FileVersions, Renewed
from nearkin.store.scopes import Scope
from nearkin.store.text_writer import SignatureRow

Recipe = _native.Recipe
AT_ONCE = 4096  # files that the file system is asked about


def ingest_again(texts: list[bytes], versions: list[Renewed], how: _native.Recipe) -> DocumentBatch:
    """Make extracted texts canonical and sign them, under the digests and extractors they came from."""
    signed = _native.ingest_texts(texts, [False] * len(texts), how)
    rows = DocumentBatch.of_rows([version.path for version in versions], signed, raw=False)
    rows.digests[:] = [version.digest for version in versions]
    rows.extractors[:] = [version.extractor for version in versions]
    return rows


def sign_again(contents: list[int], texts: list[bytes], how: _native.Recipe) -> list[SignatureRow]:
    """Make the extracted texts of these contents canonical and sign them."""
    batch = _native.ingest_contents([*texts], how)
    weights = batch.weights or repeat(None)
    return list(zip(contents, batch.moduli, batch.features, weights, strict=False))


def take_in(
    writer: Writer,
    scope: Scope,
    starts: tuple[Path, ...],
    how: _native.Recipe,
    settings: Settings,
    *,
    leave_out: frozenset[bytes],
    remember: Callable[[DocumentBatch], None],
    progress: Callable[[int, int], None],
    all_listed: Callable[[], None] = lambda: None,
) -> PassedOver:
    """Read and store the files below `starts`; return what else the walk met.

    `remember` gets every batch when it is stored, `progress` how many files and bytes were read so far;
    `all_listed` is called between two transactions when the last files are still being read.
    """
    unreadable: list[Unreadable] = []
    passed_over = PassedOver()
    as_tables = settings.table.text_column is not None
    base = fsencode(scope.root)
    tables: list[bytes] = []  # read after all other files
    handed_over: list[HandedOver] = []  # likewise

    def walked() -> Iterator[list[bytes]]:
        """Paths, some at a time: one question about all files of a large folder could not be interrupted."""
        paths: list[bytes] = []
        for run in walk_by_runs(scope.root, starts, settings.walk, leave_out=leave_out, passed_over=passed_over):
            if isinstance(run, Unreadable):
                unreadable.append(run)
                continue
            paths += run
            while len(paths) >= AT_ONCE:
                yield paths[:AT_ONCE]
                del paths[:AT_ONCE]
        yield paths

    def files() -> Iterator[bytes]:
        for paths in walked():
            writer.commit_if_due()  # of very many there may be none to be read
            wanted = _to_be_read(writer.files, base + b"/", paths, threads=settings.run.jobs)
            if as_tables:
                tables.extend(path for path in wanted if table_kind(path) is not None)
                wanted = [path for path in wanted if table_kind(path) is None]
            yield from wanted
        writer.rest()
        all_listed()

    done = size = 0
    for batch in ingest(
        base,
        files(),
        how,
        jobs=settings.run.jobs,
        keep=settings.text.keep,
        hand_over=handed_over.extend,
        legacy=settings.walk.legacy_digests,
        room=settings.run.memory // 8,
        idle=writer.rest,
        once=True,
        native=writer.takes_native,
    ):
        done += len(batch)
        size += batch.size
        writer.files.met.difference_update(batch.stores)  # what was there before is gone
        writer.add(batch)
        remember(batch)
        progress(done, size)
    if handed_over:
        from nearkin.engine.documents import take_in_documents  # workers, for scans that need them only

        take_in_documents(
            writer,
            base + b"/",
            handed_over,
            how,
            settings,
            remember=remember,
            progress=lambda documents, bytes_: progress(done + documents, size + bytes_),
        )
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
    for folder in unreadable:
        writer.add(DocumentBatch.failed(folder.path, folder.detail))
        writer.files.met.add(folder.path)
        writer.files.closed.append(b"" if folder.path == ROOT else folder.path)
    return passed_over


def _to_be_read(files: FileVersions, base: bytes, paths: list[bytes], *, threads: int) -> list[bytes]:
    """All but those whose stored version will do. The file system is asked natively: one by one from Python took half
    of the time a scan of unchanged files takes."""
    if files.is_empty:
        files.met.update(paths)
        return paths
    stored = [files.present[path] for path in paths if path in files.present]
    same = _native.unchanged(
        [base + version.path for version in stored],
        [version.size for version in stored],
        [version.mtime_ns for version in stored],
        [version.ctime_ns for version in stored],
        [version.inode for version in stored],
        threads,
    )
    unchanged = {version.path for version, is_same in zip(stored, same, strict=True) if is_same}
    return [path for path in paths if files.meet(path, base + path, unchanged=path in unchanged).reads]
