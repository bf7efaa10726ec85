"""Many matches at once, as columns. Rows a and b count contents in the order of their digests, a before b.

Payload scores, and what each was counted on: all features of two texts, or samples of them.

A sample of modulus m has every feature that is 0 mod m. So it is known of each of them how many members of a family
have it, and what is left without those that most have is a sample of the same modulus of the whole payload. Its score
is an estimate as that of a resemblance is, with the same interval (Broder 1997 §3). Other samples have no such theory.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.scheme.signature import CONFIDENCE

Floats = NDArray[np.float64]
Column = Callable[[str], NDArray[Any]]  # by its name
AT_ONCE = 8192  # rows given out as Python's objects at the same time
TURNED = {"a_in_b": "b_in_a", "b_in_a": "a_in_b", "size_a": "size_b", "size_b": "size_a"}  # with a and b


@dataclass(frozen=True)
class MatchColumns:
    """Matches, one a row."""

    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    resemblance: Floats
    a_in_b: Floats  # NaN: the measure says nothing of containment
    b_in_a: Floats
    payload: Floats  # NaN: not evaluated
    shared_bytes: NDArray[np.int64]
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]
    exact: NDArray[np.bool_]
    low: Floats  # NaN: no interval
    high: Floats
    payload_sample: Floats  # what the payload was counted on (payload.py); NaN: not evaluated

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "MatchColumns":
        places: NDArray[Any] = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows  # once for all columns
        return MatchColumns(**{field.name: _taken(getattr(self, field.name), places) for field in fields(self)})

    def strong(self, threshold: float, containment: float) -> NDArray[np.bool_]:
        """Which reach a threshold."""
        return (self.resemblance >= threshold) | (np.maximum(self.a_in_b, self.b_in_a) >= containment)

    def by_id(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """As they are stored: content ids for rows, the smaller first, in order."""
        return replace(self, a=ids[self.a].astype(np.uint32), b=ids[self.b].astype(np.uint32)).in_order()

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One by one; what is NaN becomes NULL where it is stored."""
        columns = [getattr(self, field.name) for field in fields(self)]
        for start in range(0, len(self), AT_ONCE):
            yield from zip(*(column[start : start + AT_ONCE].tolist() for column in columns), strict=True)

    @staticmethod
    def stored(columns: Mapping[str, NDArray[Any]]) -> "MatchColumns":
        """As they are stored: a and b are content ids."""
        return MatchColumns(**columns)

    def by_row(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """Rows for content ids: row i is content ids[i]. All of them must be there."""
        order = np.argsort(ids, kind="stable")
        a, b = (order[np.searchsorted(ids, side, sorter=order)].astype(np.uint32) for side in (self.a, self.b))
        return replace(self, a=a, b=b).in_order()

    @staticmethod
    def join(*parts: "MatchColumns") -> "MatchColumns":
        return _in_order(_end_to_end(parts))

    @staticmethod
    def strongest_first(*parts: "MatchColumns", threads: int = 1) -> "MatchColumns":
        """For people: of those that resemble each other equally the ones that contain more, then by their rows."""
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
    """A column of one value, which takes no room and is taken from without looking."""
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
        return MatchColumns(a, b, *(column(field.name) for field in fields(MatchColumns)[2:]))
    return _arranged(column, a, b, np.argsort(keys, kind="stable"))


def _arranged(column: Column, a: NDArray[np.uint32], b: NDArray[np.uint32], order: NDArray[Any]) -> MatchColumns:
    """In this order, each pair with its smaller row first. One column after another, so that few are there twice."""
    places, turn = order.astype(np.intp, copy=False), a > b
    columns: dict[str, NDArray[Any]] = {"a": np.minimum(a, b).take(places), "b": np.maximum(a, b).take(places)}
    for field in fields(MatchColumns)[2:]:
        found = column(field.name)
        if field.name in TURNED and turn.any():
            found = np.where(turn, column(TURNED[field.name]), found)
        columns[field.name] = _taken(found, places)
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
        """Of nothing, where templates left nothing of a text, it is 0."""
        return common / np.maximum(whole, 1).astype(np.float64)

    nothing = alike(np.nan, len(a))
    return MatchColumns(
        a=a,
        b=b,
        resemblance=share(size_a + size_b - shared),
        a_in_b=share(size_a),
        b_in_a=share(size_b),
        payload=nothing,
        shared_bytes=shared_bytes.astype(np.int64),
        size_a=size_a.astype(np.int64),
        size_b=size_b.astype(np.int64),
        exact=exact,
        low=nothing,
        high=nothing,
        payload_sample=nothing,
    )


# As stored beside a score, where it is not the number of sampled features that the two payloads have together.
COMPLETE = 0.0  # all features were counted
UNKNOWN = -1.0  # samples without a sampling theory


@dataclass(frozen=True)
class PayloadScores:
    """Of matches; NaN: not evaluated."""

    scores: NDArray[np.float64]
    samples: NDArray[np.float64]

    @staticmethod
    def none(count: int) -> "PayloadScores":
        return PayloadScores(np.full(count, np.nan), np.full(count, np.nan))


@dataclass(frozen=True)
class Payload:
    """As people are told it."""

    score: float | None = None  # None: not evaluated
    exact: bool | None = None
    low: float | None = None  # of estimates; None where no theory gives an interval
    high: float | None = None

    @staticmethod
    def stored(score: float | None, sample: float | None) -> "Payload":
        """Older stores do not tell the sample: then it is an estimate, and no more is known."""
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
