"""The join and union-find alone, in a process of its own: `python -m bench.scale.joined CONTENTS MEMORY FOLDER`.

`spilled_join` is the one call to the join that is measured here; everything else is its frame.
"""

import json
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.process import cores
from bench.scale.postings import FEATURES, Batch, Stream
from nearkin import _native
from nearkin.matching.candidates import Postings, find_candidates
from nearkin.scheme import parse_scheme
from nearkin.settings import MatchSettings

SCHEME = "mod:window=20,n=1"
BOUNDED = False  # whether spilled_join keeps to the memory it is given; the table says so


@dataclass(frozen=True)
class Joined:
    pairs: int  # that reach the threshold
    families: int
    members: int
    read: float  # seconds, of which CPU: making the postings is not the join's
    read_cpu: float


def spilled_join(batches: Iterable[Batch], *, contents: int, memory: int, folder: Path) -> tuple[int, int, int]:
    """Pairs, families and their members. All in memory, whatever is allowed: the bounded join takes this place."""
    features = np.empty(contents * FEATURES, np.uint64)
    for batch in batches:
        features[batch.first * FEATURES : batch.first * FEATURES + batch.features.size] = batch.features.ravel()
    postings = Postings(
        np.arange(contents + 1, dtype=np.uint64) * np.uint64(FEATURES),
        features,
        np.ones(len(features), np.uint32),
        np.ones(contents, np.uint64),
    )
    found = find_candidates(postings, parse_scheme(SCHEME), MatchSettings(), threads=cores())
    linked = found.shared >= MatchSettings().threshold * found.united
    of = _native.components(contents, found.a[linked], found.b[linked])
    sizes = np.bincount(of, minlength=contents)
    return int(linked.sum()), int((sizes > 1).sum()), int(sizes[sizes > 1].sum())


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
