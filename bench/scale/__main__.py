"""`python -m bench.scale [--quick] [--only growth|peers|join] [--sizes N ...] [--contents N ...] [--memory BYTES]`."""

import argparse
import json
import platform
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from bench.process import cores, held, measure
from bench.scale.family_sizes import IN_FAMILIES, LARGEST
from bench.scale.growth import SIZES, growth_table
from bench.scale.postings import Stream
from bench.scale.side_by_side import DOCUMENTS, peers_table
from bench.table import figure, table

PARTS = ("growth", "peers", "join")
QUICK = (500, 1_000)
CONTENTS = (100_000, 1_000_000)
MEMORY = 1_000_000_000
ABOUT = """GENERATED: {share:.0%} of documents in families, the k-th of C/k documents, 2 to {largest}; members are
edited versions; 20 passages each in 10 % of the documents; texts of 2 KB of random words
CPU s: of all processes and threads, unlike the clock hardly moved by what else runs. peak: proportional set size of
the process tree. store: files of the store at the end. spill: the most on disk beyond that, at any time
"""
JOIN_HEAD = (
    "contents",
    "postings",
    "wall s",
    "CPU s",
    "making s",
    "peak MB",
    "allowed MB",
    "spill MB",
    "pairs",
    "families",
    "made",
)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="bench.scale", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few hundred documents: whether it runs")
    parser.add_argument("--only", choices=PARTS, help="only this table")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="N", help="documents through the whole pipeline")
    parser.add_argument("--peers", type=int, metavar="N", help="documents given to every tool")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="rounds in turn for every tool")
    parser.add_argument("--contents", type=int, nargs="+", metavar="N", help="contents through the join alone")
    parser.add_argument("--memory", type=int, default=MEMORY, metavar="BYTES", help="allowed to the join")
    parser.add_argument("--work", type=Path, metavar="DIR", help="where to put what is made: 10 GB for 1,000,000")
    given = parser.parse_args(arguments)
    wanted = (given.only,) if given.only else PARTS
    print(f"nearkin {version('nearkin')}, Python {platform.python_version()}, {cores()} cores")
    print(ABOUT.format(share=IN_FAMILIES, largest=LARGEST))
    with tempfile.TemporaryDirectory(prefix="bench", dir=given.work) as folder:
        work = Path(folder)
        if "growth" in wanted:
            print("GROWTH: nearkin scan corpus.parquet --text-column text --id-column id, from nothing to families")
            sizes = tuple(given.sizes or (QUICK if given.quick else SIZES))
            print(growth_table(work, sizes), end="\n\n", flush=True)
        if "peers" in wanted:
            documents = given.peers or (QUICK[0] if given.quick else DOCUMENTS)
            print(f"SIDE BY SIDE: {documents:,} texts from Parquet to pairs; best of {given.rounds} in turn")
            print(peers_table(work, documents, rounds=given.rounds), end="\n\n", flush=True)
        if "join" in wanted:
            print("JOIN and union-find alone, on a stream of postings; making s: the part that only made the postings")
            contents = tuple(given.contents or (QUICK if given.quick else CONTENTS))
            print(join_rows(work, contents, given.memory))


def join_rows(work: Path, contents: tuple[int, ...], memory: int) -> str:
    rows = []
    for size in contents:
        folder, stream = work / f"join-{size}", Stream(size)
        folder.mkdir()
        asked = [sys.executable, "-m", "bench.scale.spilled_join", str(size), str(memory), str(folder)]
        run = measure(asked, watch=True, folder=folder)
        found = json.loads(run.output)
        rows.append(
            [
                f"{size:,}",
                f"{stream.size // 8:,}",
                figure(run.seconds),
                figure(run.cpu),
                figure(found["read"]),
                figure(run.peak / 1e6),
                figure(memory / 1e6),
                figure(max(0, run.disk - held(folder)) / 1e6),
                f"{found['pairs']:,}",
                f"{found['families']:,}",
                f"{len(stream.families.sizes):,}",
            ]
        )
        shutil.rmtree(folder)
    return table(JOIN_HEAD, rows, words=0)


if __name__ == "__main__":
    main()
