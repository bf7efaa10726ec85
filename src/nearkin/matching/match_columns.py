"""Many matches at once, as columns, and the payload scores of matches.

Rows a and b count contents in the order of their digests, a before b.

A payload score is counted on all features of two texts, or on samples of them. A sample of modulus m has every feature
that is 0 mod m. So it is known of each of them how many members of a family have it, and what is left without those
that most have is a sample of the same modulus of the whole payload. Its score is an estimate as that of a resemblance
is, with the same interval (Broder 1997 §3). Other samples have no such theory.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.model import MATCH, mirrored
from nearkin.scheme.signature import CONFIDENCE

Floats = NDArray[np.float64]
Column = Callable[[str], NDArray[Any]]  # by its name
AT_ONCE = 8192  # rows given out as Python's objects at the same time
COLUMNS = tuple(MATCH.dtypes)
NULLABLE = [name for name in COLUMNS if MATCH[name].nullable]
SCORES = [name for name in COLUMNS if name not in ("a", "b")]
TURNED = {name: mirrored(name) for name in SCORES if mirrored(name) != name}  # which change places with a and b


class MatchColumns:
    """Matches, one a row: an array for each column of a stored match (nearkin.model.Match), under its name.

    NaN stands for what is not known. Columns that may be NULL need not be given: they are NaN then.
    """

    def __init__(self, **columns: NDArray[Any]) -> None:
        unknown = alike(np.nan, len(columns["a"]))
        columns = {**dict.fromkeys(NULLABLE, unknown), **columns}
        if columns.keys() != set(COLUMNS):
            raise TypeError(f"not the columns of a match: {sorted(columns.keys() ^ set(COLUMNS))}")
        vars(self).update({name: columns[name] for name in COLUMNS})

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Tell type checkers what the columns are; what is asked for here is none."""
        raise AttributeError(name)

    def replace(self, **columns: NDArray[Any]) -> "MatchColumns":
        """The same with these columns instead."""
        return MatchColumns(**{**vars(self), **columns})

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "MatchColumns":
        places: NDArray[Any] = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows  # once for all columns
        return MatchColumns(**{name: _taken(column, places) for name, column in vars(self).items()})

    def strong(self, threshold: float, containment: float) -> NDArray[np.bool_]:
        """Which matches reach a threshold."""
        contained = np.maximum(self.a_in_b, self.b_in_a)
        reached: NDArray[np.bool_] = (self.resemblance >= threshold) | (contained >= containment)
        return reached

    def by_id(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """Turn rows into content ids, as matches are stored: the smaller first, in order."""
        return self.replace(a=ids[self.a].astype(np.uint32), b=ids[self.b].astype(np.uint32)).in_order()

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The matches one by one; NaN becomes NULL where it is stored."""
        columns = [*vars(self).values()]
        for start in range(0, len(self), AT_ONCE):
            yield from zip(*(column[start : start + AT_ONCE].tolist() for column in columns), strict=True)

    @staticmethod
    def stored(columns: Mapping[str, NDArray[Any]]) -> "MatchColumns":
        """Take stored columns, whose a and b are content ids."""
        return MatchColumns(**columns)

    def by_row(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """Turn content ids into rows: row i is content ids[i]. All of them must be there."""
        order = np.argsort(ids, kind="stable")
        a, b = (order[np.searchsorted(ids, side, sorter=order)].astype(np.uint32) for side in (self.a, self.b))
        return self.replace(a=a, b=b).in_order()

    @staticmethod
    def join(*parts: "MatchColumns") -> "MatchColumns":
        return _in_order(_end_to_end(parts))

    @staticmethod
    def strongest_first(*parts: "MatchColumns", threads: int = 1) -> "MatchColumns":
        """The order for people: by resemblance, then by how much one contains of the other, then by rows."""
        column = _end_to_end(parts)
        contained = np.fmax(np.fmax(column("a_in_b"), column("b_in_a")), 0.0)
        a, b = _rows(column)
        order = _native.strongest_first(a, b, column("resemblance"), contained, threads=threads)
        return _arranged(column, a, b, order)

    @staticmethod
    def none() -> "MatchColumns":
        rows, zero = np.zeros(0, np.uint32), np.zeros(0, np.uint64)
        exact = np.zeros(0, np.bool_)
        return measured(rows, rows, shared=zero, size_a=zero, size_b=zero, shared_bytes=zero, exact=exact)

    def in_order(self) -> "MatchColumns":
        """Each pair with its smaller row first, pairs sorted."""
        return _in_order(partial(getattr, self))


def alike(value: Any, count: int) -> NDArray[Any]:
    """A column of one value, which takes no room; taking rows of it reads nothing."""
    return np.broadcast_to(np.asarray(value), count)


def _is_alike(column: NDArray[Any]) -> bool:
    return column.strides == (0,)


def _taken(column: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    return alike(column[0], len(places)) if _is_alike(column) and len(column) else column.take(places)


def _end_to_end(parts: tuple[MatchColumns, ...]) -> Column:
    some = [part for part in parts if len(part)] or [MatchColumns.none()]
    if len(some) == 1:
        return partial(getattr, some[0])

    def joined(name: str) -> NDArray[Any]:
        columns = [getattr(part, name) for part in some]
        firsts = np.array([column[0] for column in columns])
        if all(map(_is_alike, columns)) and np.array_equal(firsts, alike(firsts[0], len(some)), equal_nan=True):
            return alike(firsts[0], sum(map(len, columns)))
        return np.concatenate(columns)

    return joined


def _rows(column: Column) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    return column("a").astype(np.uint32, copy=False), column("b").astype(np.uint32, copy=False)


def _in_order(column: Column) -> MatchColumns:
    a, b = _rows(column)
    keys = np.minimum(a, b).astype(np.uint64) << np.uint64(32) | np.maximum(a, b)
    if (a <= b).all() and (keys[1:] >= keys[:-1]).all():
        return MatchColumns(a=a, b=b, **{name: column(name) for name in SCORES})
    return _arranged(column, a, b, np.argsort(keys, kind="stable"))


def _arranged(column: Column, a: NDArray[np.uint32], b: NDArray[np.uint32], order: NDArray[Any]) -> MatchColumns:
    """Put matches in this order, each with its smaller row first; one column after another, so that few exist twice."""
    places, turn = order.astype(np.intp, copy=False), a > b
    columns: dict[str, NDArray[Any]] = {"a": np.minimum(a, b).take(places), "b": np.maximum(a, b).take(places)}
    for name in SCORES:
        values = column(name)
        if name in TURNED and turn.any():
            values = np.where(turn, column(TURNED[name]), values)
        columns[name] = _taken(values, places)
    return MatchColumns(**columns)


def measured(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    *,
    shared: NDArray[np.uint64],
    size_a: NDArray[np.uint64],
    size_b: NDArray[np.uint64],
    shared_bytes: NDArray[np.uint64],
    exact: NDArray[np.bool_],
) -> MatchColumns:
    """Scores from counts: |A ∩ B| / |A ∪ B|, |A ∩ B| / |A|, |A ∩ B| / |B| (Broder 1997 §2)."""
    common = shared.astype(np.float64)

    def share(whole: NDArray[np.uint64]) -> Floats:
        """The share of a whole in common; 0 where templates left nothing of a text."""
        return common / np.maximum(whole, 1).astype(np.float64)

    return MatchColumns(
        a=a,
        b=b,
        resemblance=share(size_a + size_b - shared),
        a_in_b=share(size_a),
        b_in_a=share(size_b),
        shared_bytes=shared_bytes.astype(np.int64),
        size_a=size_a.astype(np.int64),
        size_b=size_b.astype(np.int64),
        exact=exact,
    )


# As stored beside a score, where it is not the number of sampled features that the two payloads have together.
COMPLETE = 0.0  # all features were counted
UNKNOWN = -1.0  # samples without a sampling theory


@dataclass(frozen=True)
class PayloadScores:
    """The payload scores of matches and the samples they were counted on; NaN: not evaluated."""

    scores: NDArray[np.float64]
    samples: NDArray[np.float64]

    @staticmethod
    def none(count: int) -> "PayloadScores":
        return PayloadScores(np.full(count, np.nan), np.full(count, np.nan))


@dataclass(frozen=True)
class Payload:
    """The payload of a match as listings show it."""

    score: float | None = None  # None: not evaluated
    exact: bool | None = None
    low: float | None = None  # of estimates; None where no theory gives an interval
    high: float | None = None

    @staticmethod
    def stored(score: float | None, sample: float | None) -> "Payload":
        """Make it of what is stored. Older stores lack the sample: then it is an estimate, and no more is known."""
        if score is None:
            return Payload()
        if sample is None or sample == UNKNOWN:
            return Payload(score, exact=False)
        if sample == COMPLETE:
            return Payload(score, exact=True)
        return Payload(score, False, *_interval(round(score * sample), int(sample)))


@lru_cache(maxsize=1 << 14)  # there are far fewer than matches
def _interval(shared: int, united: int) -> tuple[float, float]:
    k, n = np.array([shared], np.uint64), np.array([united], np.uint64)
    low, high = _native.intervals(k, n, confidence=CONFIDENCE)
    return float(low[0]), float(high[0])
