"""The join of a collection whose signatures do not fit into memory: the same candidates, with temporary files.

It follows Forman 2005 §2.5 and §2.6; native/kernels/join/bounded_join.hpp explains the stages.
"""

import errno
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import EngineError
from nearkin.matching.candidates import NOT_HOT, Candidates, Hot, Postings, candidates_of, join_options, strongest
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings

# Rows of some contents, and their lists. Every row of the collection comes once.
Batches = Iterable[tuple[NDArray[np.uint32], Postings]]
# Called with the work done so far and the work in all.
Progress = Callable[[int, int], None]

POSTING_BYTES = 72  # that a join in memory takes for each posting
AT_ONCE = 16  # parts of a stage between two reports of progress
WAIT = 1 << 20  # weak candidates gathered before the weakest are dropped: 41 MB


def fits(postings: int, memory: int) -> bool:
    """Test whether so many postings can be joined in memory."""
    return postings * POSTING_BYTES <= memory


def can_be_bounded(scheme: Scheme) -> bool:
    """Test whether a scheme's lists can be joined in bins. `fuzzy` and `si` have a few numbers a text, and no lists."""
    return scheme.estimator in (Estimator.OVERLAP, Estimator.SMALLEST, Estimator.SLOTS)


@dataclass(frozen=True)
class BoundedJoin:
    """A join with temporary files, which lie in `folder` and have no names there."""

    scheme: Scheme
    settings: MatchSettings
    folder: Path
    memory: int  # bytes
    threads: int
    progress: Progress = lambda done, of: None

    def candidates(self, batches: Batches, moduli: NDArray[np.uint64]) -> Candidates:
        """Return the candidates as the join in memory does. `moduli` are those of every row."""
        with _explained(self.folder), closing(self.by_bins(batches, moduli)) as parts:
            stars = next(parts)
            gathered = _Gathered(self.settings.weak_matches)
            gathered.add(stars)
            for part in parts:
                gathered.add(part)
        return gathered.in_order(stars.hot)

    def by_bins(self, batches: Batches, moduli: NDArray[np.uint64]) -> Generator[Candidates, None, None]:
        """Yield the candidates of the stars, then those of each bin and of each two bins that meet.

        A pair that a star has linked may come from a bin again. Each bin gives at least those weak pairs that are kept.
        """
        join = _native.BoundedJoin(
            str(self.folder),
            moduli,
            join_options(moduli, self.scheme, self.settings, threads=self.threads),
            weighted=self.scheme.measure == "bytes",
            memory=self.memory,
        )
        try:
            stages = [join.Stage.COUNT, join.Stage.ORDER, join.Stage.LINK, join.Stage.REACH, join.Stage.DISTRIBUTE]
            work = _Work(self.progress, contents=len(moduli), stages=len(stages))
            for rows, lists in batches:
                join.add(rows, lists.offsets, lists.features, lists.weights)
                work.read(len(rows))
            for stage in stages:
                for start in range(0, join.PARTS, AT_ONCE):
                    join.work(stage, start, min(start + AT_ONCE, join.PARTS))
                    work.stage(AT_ONCE / join.PARTS)
            yield candidates_of(join.stars())
            pairs = join.pairs()
            for number, (first_bin, second_bin) in enumerate(pairs, 1):
                yield candidates_of(join.join(first_bin, second_bin))
                work.joined(number, len(pairs))
        finally:
            del join  # closes its files, even if somebody keeps an exception and thereby this frame


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            what = f"There is no room left in {folder} for the temporary files of a join that does not fit into memory"
            raise EngineError(f"{what}; free some, or give it more memory with --memory.") from error
        what = f"Temporary files cannot be written in {folder}, the folder of the store"
        raise EngineError(f"{what}: {(error.strerror or str(error)).lower()}.") from error


class _Work:
    """Reports progress in thousandths: reading takes about a fifth of the time, the stages half, the bins the rest."""

    def __init__(self, progress: Progress, *, contents: int, stages: int) -> None:
        self._progress = progress
        self._contents = max(contents, 1)
        self._stages = stages
        self._done = 0.0

    def read(self, rows: int) -> None:
        self._more(200 * rows / self._contents)

    def stage(self, share: float) -> None:
        self._more(500 * share / self._stages)

    def joined(self, number: int, of: int) -> None:
        self._progress(700 + 300 * number // of, 1000)

    def _more(self, thousandths: float) -> None:
        self._done += thousandths
        self._progress(int(self._done), 1000)


_COLUMNS = [field.name for field in fields(Candidates) if field.name != "hot"]


class _Gathered:
    """Gathers the candidates of all bins.

    Each content keeps its strongest weak pairs. A pair that is not among the strongest so far never will be, so the
    weakest are dropped whenever there are twice as many as were left: no more than about twice of what is kept is held.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._strong: list[Candidates] = []
        self._weak: list[Candidates] = []
        self._waiting, self._room = 0, WAIT

    def add(self, part: Candidates) -> None:
        self._strong.append(_rows(part, np.flatnonzero(part.strong)))
        self._weak.append(_rows(part, np.flatnonzero(~part.strong)))
        self._waiting += len(self._weak[-1].a)
        if self._waiting > self._room:
            self._drop_weakest()

    def _drop_weakest(self) -> None:
        weak = _concatenated(self._weak)
        self._weak.clear()
        resemblance = weak.shared / weak.united
        self._weak.append(_rows(weak, np.flatnonzero(strongest(weak.a, weak.b, resemblance, self._most))))
        self._waiting = len(self._weak[0].a)
        self._room = max(WAIT, 2 * self._waiting)

    def in_order(self, hot: Hot) -> Candidates:
        self._drop_weakest()
        gathered = _concatenated(self._strong + self._weak)
        order = np.lexsort((gathered.b, gathered.a))
        a, b = gathered.a[order], gathered.b[order]
        again = (a[1:] == a[:-1]) & (b[1:] == b[:-1])  # linked by a star, and found in a bin as well
        return replace(_rows(gathered, order[np.append(True, ~again)[: len(order)]]), hot=hot)


def _concatenated(parts: list[Candidates]) -> Candidates:
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    return Candidates(**columns, hot=NOT_HOT)


def _rows(candidates: Candidates, rows: NDArray[np.intp]) -> Candidates:
    return Candidates(**{name: getattr(candidates, name)[rows] for name in _COLUMNS}, hot=NOT_HOT)
