"""A rehearsal: a sample of the documents goes through the whole pipeline, into a store in memory.

The same share of every table and of all files: the same sample each time, whatever their order. Office documents, mail
and archives of the sample are read by workers, with all that lies in them. Nothing is written anywhere.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from math import ceil
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin.engine import scan_files
from nearkin.engine.reader import HandedOver
from nearkin.engine.tables import RowSigner
from nearkin.engine.threads import in_order
from nearkin.forecast.hot import Joined, in_sample, join_at
from nearkin.forecast.survey import Survey, TableFound
from nearkin.group.grouping import Grouping
from nearkin.matching.candidates import Postings
from nearkin.matching.matcher import MatchInput, Resources, match_everything
from nearkin.matching.scan_cache import ScanCache, StoredTexts
from nearkin.matching.template import left_out
from nearkin.read.table import MEMBER, BrokenTableError, Rows, columns_of
from nearkin.read.table_reader import read_rows
from nearkin.scheme import FORMAT, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import runs
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import present_contents
from nearkin.store.database import in_memory, see, transaction
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import FileVersions, ReadRules, Staleness
from nearkin.store.scopes import scope_for
from nearkin.store.signatures import signatures
from nearkin.store.verdicts import Decided
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.engine.scan_files import Recipe

DOCUMENTS = 4000
BYTES = 64 << 20
LOOKED_AT = 256 << 20  # bytes of tables' texts


@dataclass(frozen=True)
class Rehearsal:
    share: float  # of the documents that were sampled
    documents: int  # files and rows
    members: int  # documents that lie in them, less those that could not be read
    contents: int
    sizes: NDArray[np.int64]  # bytes of each document
    lengths: NDArray[np.int64]  # bytes of each canonical text
    region: float  # share of the tables that was looked at; the sample is from there
    seconds_unpacking: float  # for all rows of that region
    seconds_starting: float  # until a worker answers, where there was anything for one to read
    seconds_reading: float
    seconds_matching: float
    store_bytes: int
    found: Joined  # verified on the texts
    bounds: list[Joined]  # by the signatures alone, at the likely bar of what is hot, at the least and at the most
    features: int  # of all contents, each once for every content that has it


def rehearse(found: Survey, settings: Settings, version: str) -> Rehearsal:
    share = min(1.0, DOCUMENTS / max(1, found.documents), BYTES / max(1, found.bytes))
    scheme = parse_scheme(settings.scheme)
    canon = Canon.of(settings.text, lines=keeps_lines(scheme))
    connection = in_memory()
    try:
        with transaction(connection):
            scope = scope_for(connection, (_as_path(found.root),), "plan")
            run = runs.begin(connection, kind="scan", version=version, settings=settings.to_json())
            canon_id = runs.canon_id(connection, canon.spec)
            scheme_id = runs.scheme_id(connection, scheme.spec, canon_id, FORMAT)
        see(connection, run)
        cache = ScanCache(texts=settings.run.memory // 8 if settings.text.keep else 0, signatures=0)
        no_files = FileVersions(Staleness(ReadRules(canon_id, canon.raw, settings.text.keep)))
        tally = _Tally()
        started = time.perf_counter()
        writer = Writer(
            connection,
            scope.id,
            run,
            canon_id,
            scheme_id,
            settings.text.keep,
            no_files,
            coded=scheme.estimator.coded,
        )
        with writer:
            how = scan_files.recipe(scheme, canon, max_size=settings.walk.max_size)
            sampler = Sampler(found, settings, how, share)
            for batch in sampler.readings():
                cache.add(batch)
                writer.add(batch)
                tally.count(batch)
            starting = _take_in(writer, sampler, cache, tally)
        read = time.perf_counter()
        contents = present_contents(connection, scheme_id)
        texts = StoredTexts(connection, contents, canon, settings.run.jobs, cache.in_order_of(contents))
        ignored = left_out(connection, scheme_id, scheme, canon)
        resources = Resources(settings.run.memory, settings.run.jobs, Path(gettempdir()), lambda done, of: None)
        limits, bars = in_sample(settings.match, share, len(contents))
        given = MatchInput(connection, scheme, scheme_id, contents, texts, limits, ignored, resources)
        outcome = match_everything(given)
        grouping = Grouping(given)
        grouped = grouping.of(outcome, Decided(connection))
        with transaction(connection):
            outcome.with_payload(grouped.payload).store(connection, scheme_id, contents)
            grouping.store(grouped, run)
        matched = time.perf_counter()
        matches = outcome.matches[outcome.matches.strong(limits.threshold, limits.containment)]
        signed = signatures(connection, scheme_id, contents)
        postings = Postings(signed.offsets, signed.features, signed.weights, signed.moduli)
        (pages,), (page,) = (connection.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "page_size"))
        return Rehearsal(
            share=share,
            documents=tally.documents,
            members=tally.members,
            contents=len(contents),
            sizes=np.array(tally.sizes, np.int64),
            lengths=np.asarray(contents.lengths, np.int64),
            region=sampler.region,
            seconds_unpacking=sampler.seconds_unpacking,
            seconds_starting=starting,
            seconds_reading=max(0.0, read - started - sampler.seconds_unpacking - 2 * starting),
            seconds_matching=matched - read,
            store_bytes=pages * page,
            found=Joined.of(matches.a, matches.b, outcome.hot),
            bounds=[] if bars is None else join_at(postings, scheme, limits, bars, settings.run.jobs),
            features=len(signed.features),
        )
    finally:
        connection.close()


@dataclass
class _Tally:
    documents: int = 0
    members: int = 0
    sizes: list[int] = field(default_factory=list)

    def count(self, batch: DocumentBatch, *, files: frozenset[bytes] | None = None) -> None:
        """What is in none of the files lies in one of them. A file that failed is no document."""
        for path, size, reason in zip(batch.paths, batch.sizes, batch.reasons, strict=True):
            if files is None or path in files:
                self.documents += 1
                self.sizes.append(size)
                self.members -= files is not None and reason is not None
            else:
                self.members += reason is None


def _take_in(writer: Writer, sampler: "Sampler", cache: ScanCache, tally: _Tally) -> float:
    """What workers read, and how long one takes to start: that happens once, however much there is."""
    if not sampler.handed_over:
        return 0.0
    from nearkin.engine.documents import take_in_documents
    from nearkin.engine.workers import Workers

    files = frozenset(one.path for one in sampler.handed_over)
    started = time.perf_counter()
    with Workers(sampler.settings.worker) as workers:
        workers.probe()
    starting = time.perf_counter() - started

    def remember(batch: DocumentBatch) -> None:
        cache.add(batch)
        tally.count(batch, files=files)

    base = sampler.found.root.removesuffix(b"/") + b"/"
    take_in_documents(
        writer,
        base,
        sampler.handed_over,
        sampler.how,
        sampler.settings,
        remember=remember,
        progress=lambda done, size: None,
    )
    return starting


def _as_path(path: bytes) -> Path:
    return Path(os.fsdecode(path))


@dataclass
class Sampler:
    """Files by a hash of their paths. Rows likewise by their numbers, of as much of each table as is worth reading:
    neighbours are alike more often than others, so the first rows would tell too many matches."""

    found: Survey
    settings: Settings
    how: "Recipe"
    share: float
    seconds_unpacking: float = 0.0  # spent on rows, also those not chosen
    text_bytes: int = 0  # of the rows that were looked at
    handed_over: list[HandedOver] = field(default_factory=list)  # for workers, when all files were looked at

    def readings(self) -> Iterator[DocumentBatch]:
        settings, jobs = self.settings, self.settings.run.jobs
        files = sorted((file.path for file in self.found.files), key=_hash)
        chosen = sorted(files[: ceil(self.share * len(files))])
        yield from scan_files.ingest(
            self.found.root,
            chosen,
            self.how,
            jobs=jobs,
            keep=settings.text.keep,
            hand_over=self.handed_over.extend,
        )
        work = RowSigner(self.how, settings.table.html, settings.text.keep).sign
        for table in self.found.tables:
            yield from in_order(work, self._rows(table), jobs=jobs)

    @property
    def region(self) -> float:
        """Which share of the tables' texts was looked at."""
        whole = sum(table.text_bytes for table in self.found.tables)
        return min(1.0, self.text_bytes / whole) if whole else 1.0

    def _rows(self, table: TableFound) -> Iterator[tuple[list[bytes], Rows]]:
        columns, longest = columns_of(self.settings.table), self.settings.walk.max_size
        if columns is None:
            return
        whole = max(1, sum(one.text_bytes for one in self.found.tables))
        region = min(1.0, LOOKED_AT / whole)
        least = self.share / region * 2.0**64
        batches = read_rows(self.found.root + b"/" + table.path, table.kind, columns, longest=longest)
        looked = 0
        try:
            while looked <= region * table.text_bytes:
                started = time.perf_counter()
                rows = next(batches, None)
                self.seconds_unpacking += time.perf_counter() - started
                if rows is None:
                    return
                looked += rows.size
                self.text_bytes += rows.size
                names = [b"%s%s#%d" % (table.path, MEMBER, number) for number in rows.numbers]
                chosen = [at for at, name in enumerate(names) if int.from_bytes(_hash(name)) < least]
                yield [names[at] for at in chosen], rows.some(chosen)
        except BrokenTableError:
            return


def _hash(path: bytes) -> bytes:
    return blake2b(path, digest_size=8).digest()
