"""Taking files in: walk, leave out what is known, read and sign the rest, store it batch by batch."""

from collections.abc import Callable, Iterator
from os import fsencode
from pathlib import Path
from typing import Any

from nearkin import _native
from nearkin.engine import scan_files
from nearkin.engine.handover import HandedOver
from nearkin.engine.reader import listed
from nearkin.model import Plain, Readings
from nearkin.read.table import table_kind
from nearkin.read.walk import ROOT, PassedOver, Unreadable, walk_by_runs
from nearkin.settings import Settings
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import Known
from nearkin.store.scopes import Scope

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
        found = scan_files.ingest_plainly(base, files(), how, **reading)
    else:
        about: dict[str, Any] = {"keep": settings.text.keep, "legacy": settings.walk.legacy_digests, "once": True}
        found = scan_files.ingest(base, files(), how, **reading, **about)
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
