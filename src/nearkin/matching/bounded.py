"""Candidates of a collection whose signatures do not fit into memory: the same ones, by way of temporary files.

Forman 2005 §2.5 and §2.6; how, native/kernels/bounded_join.hpp tells.
"""

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import EngineError
from nearkin.matching.candidates import Candidates, Hot, Postings, asked, candidates_of, strongest
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings

# Rows of some contents and their lists; every row of the collection comes once.
Batches = Iterable[tuple[NDArray[np.uint32], Postings]]
# How much of the work is done, of how much.
Progress = Callable[[int, int], None]

POSTING_BYTES = 72  # of a join in memory, for each posting
AT_ONCE = 16  # parts of a stage


def fits(postings: int, memory: int) -> bool:
    return postings * POSTING_BYTES <= memory


def can_be_bounded(scheme: Scheme) -> bool:
    """`fuzzy` and `si` have a few numbers a text, joined in other ways."""
    return scheme.estimator in (Estimator.OVERLAP, Estimator.SMALLEST, Estimator.SLOTS)


def find_candidates_bounded(
    batches: Batches,
    moduli: NDArray[np.uint64],
    scheme: Scheme,
    settings: MatchSettings,
    *,
    folder: Path,
    memory: int,
    threads: int,
    progress: Progress = lambda done, of: None,
) -> Candidates:
    """`moduli`: of every row. Temporary files are in `folder`, and have no names there."""
    with _explained(folder):
        parts = list(
            candidates_by_bins(
                batches, moduli, scheme, settings, folder=folder, memory=memory, threads=threads, progress=progress
            )
        )
    stars = parts[0].hot
    found = _together(parts)
    order = np.lexsort((found.b, found.a))
    found = _of(found, order)
    weak = np.flatnonzero(~found.strong)
    resemblance = found.shared[weak] / found.united[weak]
    keep = found.strong.copy()
    keep[weak[strongest(found.a[weak], found.b[weak], resemblance, settings.weak_matches)]] = True
    return replace(_of(found, np.flatnonzero(keep)), hot=stars)


def candidates_by_bins(
    batches: Batches,
    moduli: NDArray[np.uint64],
    scheme: Scheme,
    settings: MatchSettings,
    *,
    folder: Path,
    memory: int,
    threads: int,
    progress: Progress = lambda done, of: None,
) -> Iterator[Candidates]:
    """The stars' first, then those of each bin and of each two bins that meet. Every pair is in one of them only; of
    the weak ones each bin gives at least those that are to be kept."""
    join = _native.BoundedJoin(
        str(folder),
        moduli,
        weighted=scheme.measure == "bytes",
        memory=memory,
        threads=threads,
        **asked(moduli, scheme, settings),
    )
    stages = [join.Stage.COUNT, join.Stage.ORDER, join.Stage.LINK, join.Stage.REACH, join.Stage.DEAL]
    work = _Work(progress, contents=len(moduli), stages=len(stages))
    for rows, lists in batches:
        join.add(rows, lists.offsets, lists.features, lists.weights)
        work.read(len(rows))
    for stage in stages:
        for start in range(0, join.PARTS, AT_ONCE):
            join.work(stage, start, min(start + AT_ONCE, join.PARTS))
            work.stage(AT_ONCE / join.PARTS)
    yield candidates_of(join.stars())
    pairs = join.pairs()
    for number, (one, other) in enumerate(pairs, 1):
        yield candidates_of(join.join(one, other))
        work.joined(number, len(pairs))


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
    """How far it is, in thousandths. Reading takes about a fifth of the time, the stages a half, the bins the rest."""

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


def _together(parts: list[Candidates]) -> Candidates:
    columns = {name: np.concatenate([getattr(one, name) for one in parts]) for name in _COLUMNS}
    return Candidates(**columns, hot=Hot(np.zeros(0, np.uint32)))


def _of(found: Candidates, rows: NDArray[np.intp]) -> Candidates:
    return Candidates(**{name: getattr(found, name)[rows] for name in _COLUMNS}, hot=found.hot)
