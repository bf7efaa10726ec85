"""What users of shingling libraries do first: read, strip tags, lower-case, cut 5-word shingles.

A peer is given parts: lists of files, or row groups of a Parquet table, whose texts have no tags to strip.

The regular expression and the join are the fastest of several forms tried. All this runs in as many processes
as there are cores, because nearkin may use every core too.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.process import cores

PERMUTATIONS = 128
BANDS, ROWS = 16, 8  # (1/16)^(1/8) = 0.707, the usual choice of 128 permutations for a threshold of 0.7
THRESHOLD = 0.7
CHUNK = 256
PROCESSES = "PEER_PROCESSES"  # in the environment: how many a peer may use, where not as many as there are cores

Pairs = NDArray[np.int64]
_TAGS = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]+>", re.DOTALL | re.IGNORECASE)


def read_page(file: bytes) -> str:
    with open(file, "rb") as opened:
        return _TAGS.sub(" ", opened.read().decode("utf-8", "replace")).lower()


def shingles(text: str) -> list[str]:
    """5-word shingles; a text of fewer words is one shingle."""
    words = text.split()
    return list(map(" ".join, zip(words, words[1:], words[2:], words[3:], words[4:], strict=False))) or [
        " ".join(words)
    ]


def pool() -> Pool:
    # Forked before anything large is loaded, so that workers stay small, and before a peer has signed
    # anything in this process: a pool forked after rensa had done so did not finish.
    return get_context("fork").Pool(int(os.environ.get(PROCESSES, cores())))


@dataclass(frozen=True)
class RowGroup:
    table: Path
    number: int


Part = list[bytes] | RowGroup


def parts_of(source: Path) -> list[Part]:
    """Of a folder or a table."""
    if source.suffix == ".parquet":
        import pyarrow.parquet as pq

        return [RowGroup(source, number) for number in range(pq.ParquetFile(source).num_row_groups)]
    from bench.folder import Folder  # which makes repositories too: long to import

    files = Folder.of(source).files
    return [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]


def read_pages(part: Part) -> list[str]:
    if isinstance(part, RowGroup):
        import pyarrow.parquet as pq

        rows = pq.ParquetFile(part.table).read_row_group(part.number, columns=["text"], use_threads=False)
        return [str(text).lower() for text in rows["text"].to_pylist()]
    return [read_page(file) for file in part]


def pairs_of(rows: Iterable[Iterable[int]]) -> Pairs:
    """Row i names the documents found similar to document i; each pair once."""
    blocks = []
    for i, row in enumerate(rows):
        others = np.fromiter(row, np.int64)
        others = others[others > i]
        blocks.append(np.stack([np.full(len(others), i, np.int64), others], axis=1))
    return np.concatenate([np.zeros((0, 2), np.int64), *blocks])


def run_peer(find_pairs: Callable[[list[Part]], Pairs], arguments: list[str] | None = None) -> None:
    """Every peer's main: a folder or a table in, an array of pairs out."""
    source, output, *_ = arguments or sys.argv[1:]
    pairs = find_pairs(parts_of(Path(source)))
    with open(output, "wb") as opened:
        np.save(opened, pairs)


def collect(parts: Iterable[Iterable[Any]]) -> list[Any]:
    return [item for part in parts for item in part]
