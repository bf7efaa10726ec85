"""The check-in question on stores of many sizes: how long an answer takes, warm and cold, and what it all costs.

`python -m bench.checkin [--contents N...] [--work DIR]`; 1,000,000 contents take some minutes and 6 GB of disk.
Documents are generated: prose of about 6 KB on a thousand topics, one in ten a version of another.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from bench.table import figure, table
from nearkin import Store, _native
from nearkin.engine.threads import recipe
from nearkin.matching.segment_builder import build_segments
from nearkin.sample.languages import ENGLISH
from nearkin.sample.prose import Dice, prose
from nearkin.scheme import FORMAT, parse_scheme
from nearkin.settings import Settings
from nearkin.store import runs
from nearkin.store.batch import DocumentBatch
from nearkin.store.compression import pack_all
from nearkin.store.database import connect, transaction
from nearkin.store.document_writer import Writer
from nearkin.store.freshness import FileVersions, ReadRules, Staleness
from nearkin.store.scopes import scope_for
from nearkin.store.segments import folder_of
from nearkin.text.canon import Canon

SIZES = (10_000, 100_000)
TEXT = 6_000  # bytes of a document
TOPICS = 1_000
ASKED = 100  # checks of each kind
BATCH = 512
WARMING = 150  # other questions first: each maps pages that no one before has touched


def text_of(number: int) -> list[str]:
    """The lines of a document; every tenth is the one before it with some lines changed."""
    if number % 10 == 9:
        dice = Dice(number)
        lines = text_of(number - 1)
        for _ in range(1 + dice.below(6)):
            lines[dice.below(len(lines))] = prose(ENGLISH, number % TOPICS).line(dice)
        return lines
    return prose(ENGLISH, (number // 10) % TOPICS).passage(Dice(number), TEXT)


def fill(path: Path, contents: int) -> float:
    """A store as a scan leaves it, but for matches and families; seconds it took to write the segments."""
    scheme = parse_scheme(Settings().scheme)
    canon = Canon.of(Settings().text)
    how = recipe(scheme, canon, max_size=1 << 50)
    connection = connect(path, create=True, write=True)
    try:
        with transaction(connection):
            scope = scope_for(connection, (path.parent.resolve(),), "generated")
            run = runs.begin(connection, version="bench", settings=Settings().to_json())
            canon_id = runs.canon_id(connection, canon.spec)
            scheme_id = runs.scheme_id(connection, scheme.spec, canon_id, FORMAT)
        no_files = FileVersions(Staleness(ReadRules(canon_id, raw=False, keep=True)))
        with Writer(connection, scope.id, run, canon_id, scheme_id, True, no_files) as writer:
            for first in range(0, contents, BATCH):
                numbers = range(first, min(contents, first + BATCH))
                texts = ["\n".join(text_of(number)).encode() for number in numbers]
                readings = DocumentBatch.of_rows(
                    [b"%03d/%08d.txt" % (number % 1000, number) for number in numbers],
                    _native.ingest_texts(texts, [False] * len(texts), how),
                    raw=False,
                )
                readings.digests[:] = [sha256(text).digest() for text in texts]
                readings.sizes[:] = map(len, texts)
                readings.packed[:] = pack_all(texts)
                writer.add(readings)
        with transaction(connection):
            runs.end(connection, run, counts={"scheme": scheme_id}, timings={})
        started = time.monotonic()
        build_segments(connection, path, scheme, scheme_id)
        return time.monotonic() - started
    finally:
        connection.close()


def questions(contents: int, first: int = 10**9) -> Iterator[tuple[str, str]]:
    """New texts, near-duplicates of stored ones, and texts of which a stored one is a part."""
    for i in range(ASKED):
        dice = Dice(first + i)
        yield "new", "\n".join(prose(ENGLISH, i % TOPICS).passage(dice, TEXT))
        known = text_of(dice.below(contents // 10) * 10)
        near = list(known)
        near[dice.below(len(near))] = prose(ENGLISH, 1).line(dice)
        yield "near", "\n".join(near)
        start = dice.below(max(1, len(known) // 2))
        yield "part", "\n".join(known[start : start + max(4, len(known) // 2)])


@dataclass(frozen=True)
class Latency:
    median: float
    p99: float
    found: int

    @classmethod
    def of(cls, seconds: list[float], found: int) -> "Latency":
        ordered = sorted(seconds)
        return cls(ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], found)


def warm(path: Path, contents: int) -> tuple[dict[str, Latency], float]:
    """In one process, each kind in turn, and the memory it held."""
    took: dict[str, list[float]] = {}
    found: dict[str, int] = {}
    with Store.open(path, create=False) as store:
        for _, text in islice(questions(contents, first=2 * 10**9), WARMING):
            store.check(text)
        for kind, text in questions(contents):
            started = time.perf_counter()
            answer = store.check(text)
            took.setdefault(kind, []).append(time.perf_counter() - started)
            found[kind] = found.get(kind, 0) + bool(answer.num_rows)
        held = memory()
    everything = [seconds for kind in took.values() for seconds in kind]
    latencies = {kind: Latency.of(seconds, found[kind]) for kind, seconds in took.items()}
    return {**latencies, "all": Latency.of(everything, sum(found.values()))}, held


def cold(path: Path, text: str) -> float:
    """The command from start to answer, best of three: the machine is busy with the first."""
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        subprocess.run(
            [Path(sys.executable).with_name("nearkin"), "check", "-", "--store", os.fspath(path)],
            input=text.encode(),
            check=True,
            stdout=subprocess.DEVNULL,
        )
        best = min(best, time.perf_counter() - started)
    return best


def memory() -> float:
    """Megabytes this process holds now, mapped pages of segments included."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def parts(path: Path) -> str:
    """Megabytes of the store, by part."""
    connection = connect(path)
    try:
        sums = {
            "texts": "SELECT sum(length(zstd)) FROM text",
            "signatures": "SELECT sum(length(features)) FROM signature",
        }
        sizes = {name: (connection.execute(query).fetchone()[0] or 0) for name, query in sums.items()}
    finally:
        connection.close()
    segments = sum(file.stat().st_size for file in folder_of(path).glob("*.segment"))
    rest = path.stat().st_size - sum(sizes.values())
    return ", ".join(
        f"{name} {size / 1e6:,.0f} MB" for name, size in {**sizes, "rest": rest, "segments": segments}.items()
    )


def checkin_table(work: Path, sizes: tuple[int, ...] = SIZES) -> str:
    head = [
        "contents",
        "fill s",
        "segments s",
        "p50 ms",
        "p99 ms",
        "new p99",
        "near p99",
        "part p99",
        "cold s",
        "RSS MB",
    ]
    rows, notes = [], []
    for size in sizes:
        path = work / f"store-{size}.db"
        started = time.monotonic()
        built = fill(path, size) if not path.exists() else 0.0
        filled = time.monotonic() - started - built
        timed, held = warm(path, size)
        text = next(text for kind, text in questions(size) if kind == "near")
        latencies = [timed["all"].median, *(timed[kind].p99 for kind in ("all", "new", "near", "part"))]
        shown = [f"{1000 * value:.2f}" for value in latencies]
        rows.append([f"{size:,}", figure(filled), figure(built), *shown, f"{cold(path, text):.2f}", f"{held:,.0f}"])
        answered = ", ".join(f"{timed[kind].found} of {ASKED} {kind}" for kind in ("new", "near", "part"))
        notes.append(f"{size:,}: {parts(path)}; found something like {answered}")
    return "\n".join([table(head, rows), *notes])


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.checkin", description=__doc__)
    parser.add_argument("--contents", type=int, nargs="+", default=list(SIZES), metavar="N")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keeps the stores; removed afterwards where absent")
    given = parser.parse_args()
    if given.work:
        given.work.mkdir(exist_ok=True)
        print(checkin_table(given.work, tuple(given.contents)))
        return
    with tempfile.TemporaryDirectory(prefix="bench") as work:
        print(checkin_table(Path(work), tuple(given.contents)))


if __name__ == "__main__":
    main()
