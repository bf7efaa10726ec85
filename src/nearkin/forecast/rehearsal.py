"""A rehearsal: a sample of the documents goes through the whole pipeline, into a store in memory.

The same share of every table and of all files: the same sample each time, whatever their order. Nothing is written
anywhere.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from math import ceil
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin.engine import local
from nearkin.engine.rows import sign_rows
from nearkin.engine.spread import in_order
from nearkin.forecast.survey import Survey, TableFound
from nearkin.group.grouping import Grouping
from nearkin.matching.carry import Matcher
from nearkin.matching.collected import Means
from nearkin.matching.template import left_out
from nearkin.matching.texts import StoredTexts, TextCache
from nearkin.model import Readings
from nearkin.read.table import MEMBER, BrokenTableError, Rows, columns_of, read_rows
from nearkin.scheme import FORMAT, keeps_lines, parse_scheme
from nearkin.settings import Settings
from nearkin.store import runs
from nearkin.store.contents import present_contents
from nearkin.store.database import in_memory, see, transaction
from nearkin.store.decided import Decided
from nearkin.store.known import Known
from nearkin.store.scopes import scope_for
from nearkin.store.signatures import signatures
from nearkin.store.writer import Writer
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.engine.local import Recipe

DOCUMENTS = 4000
BYTES = 64 << 20
LOOKED_AT = 256 << 20  # bytes of tables' texts


@dataclass(frozen=True)
class Rehearsal:
    share: float  # of the documents that were sampled
    documents: int
    contents: int
    sizes: NDArray[np.int64]  # bytes of each document
    lengths: NDArray[np.int64]  # bytes of each canonical text
    region: float  # share of the tables that was looked at; the sample is from there
    seconds_unpacking: float  # for all rows of that region
    seconds_reading: float
    seconds_matching: float
    store_bytes: int
    matches: int
    features: NDArray[np.uint64]  # of all contents, each once for every content that has it


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
        cache = TextCache(settings.run.memory // 8 if settings.text.keep else 0)
        known = Known(canon_id, canon.raw, settings.text.keep)
        sizes: list[int] = []
        started = time.perf_counter()
        writer = Writer(
            connection,
            scope.id,
            run,
            canon_id,
            scheme_id,
            settings.text.keep,
            known,
            coded=scheme.estimator.coded,
        )
        with writer:
            how = local.recipe(scheme, canon, max_size=settings.walk.max_size)
            sampler = Sampler(found, settings, how, share)
            for batch in sampler.readings():
                cache.remember(batch)
                writer.add(batch)
                sizes += batch.sizes
        read = time.perf_counter()
        contents = present_contents(connection, scheme_id)
        texts = StoredTexts(connection, contents, canon, settings.run.jobs, cache)
        ignored = left_out(connection, scheme_id, scheme, canon)
        means = Means(settings.run.memory, settings.run.jobs, Path(gettempdir()), lambda done, of: None)
        about = (connection, scheme, scheme_id, contents, texts, settings.match, ignored, means)
        outcome = Matcher(*about).everything()
        grouping = Grouping(*about)
        grouped = grouping.of(outcome, Decided(connection))
        with transaction(connection):
            outcome.with_payload(grouped.payload).store(connection, scheme_id, contents)
            grouping.store(grouped.families, run)
        matched = time.perf_counter()
        (pages,), (page,) = (connection.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "page_size"))
        return Rehearsal(
            share=share,
            documents=len(sizes),
            contents=len(contents),
            sizes=np.array(sizes, np.int64),
            lengths=np.asarray(contents.lengths, np.int64),
            region=sampler.region,
            seconds_unpacking=sampler.seconds_unpacking,
            seconds_reading=read - started - sampler.seconds_unpacking,
            seconds_matching=matched - read,
            store_bytes=pages * page,
            matches=int(outcome.matches.strong(settings.match.threshold, settings.match.containment).sum()),
            features=signatures(connection, scheme_id, contents).features,
        )
    finally:
        connection.close()


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

    def readings(self) -> Iterator[Readings]:
        settings, jobs = self.settings, self.settings.run.jobs
        files = sorted((file.path for file in self.found.files), key=_hash)
        chosen = sorted(files[: ceil(self.share * len(files))])
        yield from local.ingest(self.found.root, chosen, self.how, jobs=jobs, keep=settings.text.keep)
        work = partial(sign_rows, how=self.how, html=settings.table.html, keep=settings.text.keep, mtime=0, owner=0)
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
