"""The join and union-find alone, in a process of its own: `python -m bench.scale.spilled_join CONTENTS MEMORY FOLDER`.

`spilled_join` is the one call to the join that is measured here; everything else is its frame.
"""

import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.process import cores
from bench.scale.postings import Batch, Stream
from nearkin import _native
from nearkin.matching.bounded_join import BoundedJoin
from nearkin.matching.candidates import Postings
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings

SCHEME = "mod:window=20,n=1"
BASE = 150 << 20  # bytes that Python, its libraries and a batch take
NO_WEIGHTS, NO_MODULI = np.zeros(0, np.uint32), np.zeros(0, np.uint64)


@dataclass(frozen=True)
class Joined:
    pairs: int  # that reach the threshold
    families: int
    members: int
    read: float  # seconds, of which CPU: making the postings is not the join's
    read_cpu: float


def spilled_join(batches: Iterable[Batch], *, contents: int, memory: int, folder: Path) -> tuple[int, int, int]:
    """Pairs, families and their members. The pairs of a bin are forgotten when they are linked."""
    pairs, parent = 0, np.arange(contents, dtype=np.uint32)
    moduli = np.ones(contents, np.uint64)
    lists = ((batch.rows, Postings(batch.offsets, batch.features.ravel(), NO_WEIGHTS, NO_MODULI)) for batch in batches)
    join = BoundedJoin(parse_scheme(SCHEME), MatchSettings(), folder, memory - BASE, cores())
    for found in join.by_bins(lists, moduli):
        linked = found.shared >= MatchSettings().threshold * found.united
        pairs += int(linked.sum())
        link(parent, found.a[linked], found.b[linked])
    sizes = np.bincount(roots(parent, np.arange(contents)), minlength=contents)
    return pairs, int((sizes > 1).sum()), int(sizes[sizes > 1].sum())


def link(parent: NDArray[np.uint32], a: NDArray[np.uint32], b: NDArray[np.uint32]) -> None:
    """Union-find over the pairs of one bin: larger roots are hung on the smallest they hang together with."""
    ends = roots(parent, np.concatenate([a, b]))
    named, at = np.unique(ends, return_inverse=True)
    first, second = at[: len(a)].astype(np.uint32), at[len(a) :].astype(np.uint32)
    parent[named] = named[_native.components(len(named), first, second)]


def roots(parent: NDArray[np.uint32], rows: NDArray[np.integer]) -> NDArray[np.uint32]:
    found: NDArray[np.uint32] = parent[rows]
    while not np.array_equal(found, above := parent[found]):
        found = above
    return found


class _Timed:
    """How long the stream itself took."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.seconds, self.cpu = stream, 0.0, 0.0

    def __iter__(self) -> "_Timed":
        self._rest = iter(self.stream)
        return self

    def __next__(self) -> Batch:
        started, cpu = time.perf_counter(), time.process_time()
        try:
            return next(self._rest)
        finally:
            self.seconds += time.perf_counter() - started
            self.cpu += time.process_time() - cpu


def main(contents: int, memory: int, folder: Path) -> None:
    timed = _Timed(Stream(contents))
    pairs, families, members = spilled_join(timed, contents=contents, memory=memory, folder=folder)
    print(json.dumps(asdict(Joined(pairs, families, members, timed.seconds, timed.cpu))))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
