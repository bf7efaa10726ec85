"""`python -m bench [--corpus DIR] [--quick] [--only kernels|scan|formats|recall|checkin|rescan] [--million]`."""

import argparse
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path

from bench.checkin import SIZES, checkin_table
from bench.folder import Folder, generate
from bench.formats import formats_table, plain_line
from bench.joins import join_table
from bench.kernels import kernel_table
from bench.peer_comparison import contest
from bench.process import cores
from bench.recall import recall
from bench.rescan import SIZES as RESCAN_SIZES
from bench.rescan import rescan_table
from bench.schemes import scheme_table
from bench.sketches import sketch_table
from bench.speed import Clock
from bench.truth import Truth

QUICK, JUDGED, GENERATED = 3_000, 10_000, 5_000
PARTS = ("kernels", "scan", "formats", "recall", "checkin", "rescan")
NOTES = """
Pairs are judged among {contents:,} contents. prec. and recall: against exact resemblance ≥ 0.7 of 20-byte
shingles of canonical text, nearkin's measure. 5w: against exact Jaccard ≥ 0.7 of 5-word shingles, the
peers' measure. Documents of the same canonical text are one content: pairs of them count for nobody.
Peers read, strip tags and cut shingles in as many processes as there are cores, "alone" in one; 128
permutations, LSH at 0.7."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="folder of documents; generated where absent")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK:,} documents and one round")
    parser.add_argument("--only", choices=PARTS, help="only this table")
    parser.add_argument("--million", action="store_true", help="also 1,000,000 contents: 6 GB of disk, half an hour")
    given = parser.parse_args(arguments)
    wanted = (given.only,) if given.only else PARTS
    print(f"nearkin {version('nearkin')}, Python {platform.python_version()}, {cores()} cores")
    with tempfile.TemporaryDirectory(prefix="bench") as work:
        folder = _folder(given.corpus, Path(work), quick=given.quick)
        size = folder.warm()
        sort = "generated documents" if folder.generated else "documents"
        print(f"{len(folder.documents):,} {sort}, {size / 1e6:,.0f} MB\n")
        truth = Truth.of(folder, most=JUDGED)
        if "kernels" in wanted:
            _kernels(folder, truth)
        if "scan" in wanted:
            _scan(folder, truth, Path(work), rounds=1 if given.quick else 3)
        if "formats" in wanted:
            print("FORMATS: generated pages of 25,000 characters read and signed, best of several rounds in turn")
            print(formats_table(Path(work), rounds=1 if given.quick else 3))
            print(plain_line(Path(work)), end="\n\n")
        if "recall" in wanted:
            _recall(folder, Path(work))
        if "checkin" in wanted:
            sizes = (*(SIZES[:1] if given.quick else SIZES), *([1_000_000] if given.million else []))
            print("CHECK of texts of 6 KB against generated stores, warm in one process, cold as a command")
            print(checkin_table(Path(work), sizes))
        if "rescan" in wanted:
            sizes = (*(RESCAN_SIZES[:1] if given.quick else RESCAN_SIZES), *([1_000_000] if given.million else []))
            print("RESCAN: a scan from nothing, again unchanged, and with 100 files changed, new, moved or gone")
            print(rescan_table(Path(work), sizes))


def _folder(corpus: Path | None, work: Path, *, quick: bool) -> Folder:
    if corpus is None:
        return generate(work / "generated", documents=QUICK if quick else GENERATED)
    folder = Folder.of(corpus)
    return folder.copy_part(QUICK, work / "part") if quick else folder


def _kernels(folder: Folder, truth: Truth) -> None:
    clock = Clock()
    shown = kernel_table(clock, None if folder.generated else folder)
    print(f"KERNELS beside memcpy on one core ({clock}); share: median of {clock.rounds} rounds in turn")
    tables = (shown, scheme_table(clock, truth), sketch_table(clock), join_table(clock, truth))
    print(*tables, sep="\n\n", end="\n\n")


def _scan(folder: Folder, truth: Truth, work: Path, *, rounds: int) -> None:
    print(f"SCAN of the folder, page cache warm; best of {rounds} rounds in turn, memory watched in the first")
    print(contest(folder, truth, work, rounds=rounds))
    print(NOTES.format(contents=len(truth.texts)))
    if folder.generated:
        print("Ratio to the fastest peer not comparable: generated repository.")
    print()


def _recall(folder: Folder, work: Path) -> None:
    part = folder.copy_part(JUDGED, work / "judged")
    print(f"RECALL of nearkin scan on {len(part.documents):,} documents against every exact pair (r ≥ 0.7)")
    print(recall(part, work))


if __name__ == "__main__":
    main()
