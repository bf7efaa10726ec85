"""A rehearsal: a sample of the documents goes through the whole pipeline, into a store in memory.

The sample is the same share of every table and of all files, chosen by a hash: the same documents each time, whatever
their order. Workers read the office documents, mail and archives of the sample with all their members. Nothing is
written to disk.

A feature is hot by the number of prefixes that have it (docs/decisions/019). In a sample of share f there are f times
as many such prefixes, so the limit is multiplied by f. The sample then makes stars where the whole will, and the pairs
that stars list grow with the documents, not with the pairs of documents. A few prefixes of a sample stand for an
uncertain number in the whole, so the join also runs at both ends of the interval, where less and where more is hot.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import ceil, sqrt
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin.engine import scan_files
from nearkin.engine.documents import take_in_documents
from nearkin.engine.reader import HandedOver
from nearkin.engine.tables import RowSigner
from nearkin.engine.threads import in_order
from nearkin.engine.workers import Workers
from nearkin.forecast.survey import Survey, SurveyedTable
from nearkin.group.grouping import Grouping
from nearkin.matching.candidates import Hot, Postings, find_candidates
from nearkin.matching.matcher import MatchInput, Resources, match_everything
from nearkin.matching.scan_cache import ScanCache, StoredTexts
from nearkin.matching.template import left_out
from nearkin.read.table import MEMBER, BrokenTableError, Rows, columns_of
from nearkin.read.table_reader import read_rows
from nearkin.scheme import FORMAT, Estimator, Scheme, keeps_lines, parse_scheme
from nearkin.settings import MatchSettings, Settings
from nearkin.store import runs
from nearkin.store.batch import DocumentBatch
from nearkin.store.contents import present_contents
from nearkin.store.database import in_memory, see, transaction
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import FileVersions, ReadRules, Staleness
from nearkin.store.scopes import scope_for
from nearkin.store.signatures import signatures
from nearkin.store.verdicts import VerdictIndex
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.engine.scan_files import Recipe

DOCUMENTS = 4000  # of a sample, at the most
BYTES = 64 << 20  # of a sample, at the most
REGION_BYTES = 256 << 20  # of the tables' texts that rows are chosen from
LEAST_SEEN = 3  # contents of a sample that share a hot feature: two alike are a pair, not a form


@dataclass(frozen=True)
class PairCounts:
    """Pairs that reach a threshold, or may: those that stars list, and all other pairs."""

    features: int  # hot ones
    starred: int
    others: int

    @classmethod
    def of(cls, a: NDArray[np.uint32], b: NDArray[np.uint32], hot: Hot) -> "PairCounts":
        starred = int((np.isin(a, hot.contents) & np.isin(b, hot.contents)).sum())
        return cls(hot.features, starred, len(a) - starred)

    @property
    def pairs(self) -> int:
        return self.starred + self.others

    def scaled(self, share: float) -> float:
        """Project the pairs of a sample of this share to the whole."""
        return self.starred / share + self.others / share**2


@dataclass(frozen=True)
class Rehearsal:
    """What a sample took and gave."""

    share: float  # of the documents that were sampled
    documents: int  # files and rows
    members: int  # documents inside them, less those that could not be read
    contents: int
    sizes: NDArray[np.int64]  # bytes of each document
    lengths: NDArray[np.int64]  # bytes of each canonical text
    region: float  # share of the tables that rows were chosen from
    seconds_unpacking: float  # for all rows of that region
    seconds_starting: float  # until a worker answers; 0 where no worker was needed
    seconds_reading: float
    seconds_matching: float
    store_bytes: int
    pairs: PairCounts  # verified on the texts
    bounds: list[PairCounts]  # by the signatures alone, at the likely, the lowest and the highest limit of HotLimits
    features: int  # of all contents, each once for every content that has it


def rehearse(survey: Survey, settings: Settings, version: str) -> Rehearsal:
    """Scan a sample of what the survey counted, and measure each step."""
    share = min(1.0, DOCUMENTS / max(1, survey.documents), BYTES / max(1, survey.bytes))
    scheme = parse_scheme(settings.scheme)
    canon = Canon.of(settings.text, lines=keeps_lines(scheme))
    connection = in_memory()
    try:
        with transaction(connection):
            scope = scope_for(connection, (_as_path(survey.root),), "plan")
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
            sampler = Sampler(survey, settings, how, share)
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
        limits, hot_limits = limits_in_sample(settings.match, share, len(contents))
        given = MatchInput(connection, scheme, scheme_id, contents, texts, limits, ignored, resources)
        outcome = match_everything(given)
        grouping = Grouping(given)
        grouped = grouping.of(outcome, VerdictIndex(connection))
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
            pairs=PairCounts.of(matches.a, matches.b, outcome.hot),
            bounds=[] if hot_limits is None else join_at(postings, scheme, limits, hot_limits, settings.run.jobs),
            features=len(signed.features),
        )
    finally:
        connection.close()


@dataclass
class _Tally:
    """Documents of the sample, counted as batches come."""

    documents: int = 0
    members: int = 0
    sizes: list[int] = field(default_factory=list)

    def count(self, batch: DocumentBatch, *, files: frozenset[bytes] | None = None) -> None:
        """Count a batch. A path that is not one of `files` is a member of one. A file that failed is no document."""
        for path, size, reason in zip(batch.paths, batch.sizes, batch.reasons, strict=True):
            if files is None or path in files:
                self.documents += 1
                self.sizes.append(size)
                self.members -= files is not None and reason is not None
            else:
                self.members += reason is None


def _take_in(writer: Writer, sampler: "Sampler", cache: ScanCache, tally: _Tally) -> float:
    """Store what workers read. Return the seconds that one worker takes to start, which a scan spends only once."""
    if not sampler.handed_over:
        return 0.0
    files = frozenset(file.path for file in sampler.handed_over)
    started = time.perf_counter()
    with Workers(sampler.settings.worker) as workers:
        workers.probe()
    starting = time.perf_counter() - started

    def remember(batch: DocumentBatch) -> None:
        cache.add(batch)
        tally.count(batch, files=files)

    base = sampler.survey.root.removesuffix(b"/") + b"/"
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
    """Choose files by a hash of their paths, and rows by a hash of their numbers, from as much of each table as is
    worth reading. Neighbours are alike more often than others, so the first rows alone would show too many matches."""

    survey: Survey
    settings: Settings
    how: "Recipe"
    share: float
    seconds_unpacking: float = 0.0  # spent on rows, also those not chosen
    text_bytes: int = 0  # of the region
    handed_over: list[HandedOver] = field(default_factory=list)  # for workers, complete when all files were read

    def readings(self) -> Iterator[DocumentBatch]:
        """Read and sign the sample, files first."""
        settings, jobs = self.settings, self.settings.run.jobs
        files = sorted((file.path for file in self.survey.files), key=_hash)
        chosen = sorted(files[: ceil(self.share * len(files))])
        yield from scan_files.ingest(
            self.survey.root,
            chosen,
            self.how,
            jobs=jobs,
            keep=settings.text.keep,
            hand_over=self.handed_over.extend,
        )
        work = RowSigner(self.how, settings.table.html, settings.text.keep).sign
        for table in self.survey.tables:
            yield from in_order(work, self._rows(table), jobs=jobs)

    @property
    def region(self) -> float:
        """Return the share of the tables' texts that rows were chosen from."""
        whole = sum(table.text_bytes for table in self.survey.tables)
        return min(1.0, self.text_bytes / whole) if whole else 1.0

    def _rows(self, table: SurveyedTable) -> Iterator[tuple[list[bytes], Rows]]:
        columns, longest = columns_of(self.settings.table), self.settings.walk.max_size
        if columns is None:
            return
        whole = max(1, sum(table.text_bytes for table in self.survey.tables))
        region = min(1.0, REGION_BYTES / whole)
        least = self.share / region * 2.0**64
        batches = read_rows(self.survey.root + b"/" + table.path, table.kind, columns, longest=longest)
        unpacked = 0
        try:
            while unpacked <= region * table.text_bytes:
                started = time.perf_counter()
                rows = next(batches, None)
                self.seconds_unpacking += time.perf_counter() - started
                if rows is None:
                    return
                unpacked += rows.size
                self.text_bytes += rows.size
                names = [b"%s%s#%d" % (table.path, MEMBER, number) for number in rows.numbers]
                chosen = [at for at, name in enumerate(names) if int.from_bytes(_hash(name)) < least]
                yield [names[at] for at in chosen], rows.some(chosen)
        except BrokenTableError:
            return


def _hash(path: bytes) -> bytes:
    return blake2b(path, digest_size=8).digest()


RowNumbers = NDArray[np.uint32]


@dataclass(frozen=True)
class HotLimits:
    """In how many prefixes of a sample a feature may be before it is hot."""

    likely: int
    lowest: int
    highest: int

    @classmethod
    def of(cls, settings: MatchSettings, share: float) -> "HotLimits":
        """Scale the limit of the whole. √ of a Poisson number is nearly normal with standard deviation 1/2: the ends
        hold about 95 %."""
        limit = settings.hot * share
        lowest, highest = max(0.0, sqrt(limit) - 1.0) ** 2 - 1.0, (sqrt(limit) + 1.0) ** 2
        return cls(*(max(LEAST_SEEN - 1, int(value)) for value in (limit, lowest, highest)))


def limits_in_sample(settings: MatchSettings, share: float, contents: int) -> tuple[MatchSettings, HotLimits | None]:
    """Return the settings for a sample of this share; None with them where it is the whole, and nothing uncertain."""
    if share >= 1.0:
        return settings, None
    whole = settings if settings.hot >= 1 else replace(settings, hot=settings.hot_among(round(contents / share)))
    limits = HotLimits.of(whole, share)
    return replace(settings, hot=limits.likely), limits


def join_at(
    postings: Postings, scheme: Scheme, settings: MatchSettings, limits: HotLimits, threads: int
) -> list[PairCounts]:
    """Join the signatures at each of the limits, without verifying."""
    if scheme.estimator in (Estimator.RANGE, Estimator.COLLISION):
        return []  # these have no hot features
    counts = []
    for limit in (limits.likely, limits.lowest, limits.highest):
        candidates = find_candidates(postings, scheme, replace(settings, hot=limit), threads=threads)
        strong = candidates.strong
        counts.append(PairCounts.of(candidates.a[strong], candidates.b[strong], candidates.hot))
    return counts
