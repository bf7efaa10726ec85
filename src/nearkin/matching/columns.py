"""Many matches at once, as columns. Rows a and b count contents in the order of their digests, a before b."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin.store.results import MatchRow

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MatchColumns:
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

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "MatchColumns":
        return MatchColumns(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def strong(self, threshold: float, containment: float) -> NDArray[np.bool_]:
        """Which reach a threshold."""
        return (self.resemblance >= threshold) | (np.maximum(self.a_in_b, self.b_in_a) >= containment)

    def by_id(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """As they are stored: content ids for rows, the smaller first, in order."""
        return replace(self, a=ids[self.a].astype(np.uint32), b=ids[self.b].astype(np.uint32)).in_order()

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """One by one; what is NaN becomes NULL where it is stored."""
        return zip(*(getattr(self, field.name).tolist() for field in fields(self)), strict=True)

    @staticmethod
    def stored(rows: list[MatchRow]) -> "MatchColumns":
        """As they are stored: a and b are content ids."""
        columns = list(zip(*rows, strict=True)) or [()] * len(fields(MatchColumns))
        types: dict[str, Any] = {"a": np.uint32, "b": np.uint32, "exact": np.bool_}
        types |= dict.fromkeys(("shared_bytes", "size_a", "size_b"), np.int64)
        named = zip(fields(MatchColumns), columns, strict=True)
        arrays: dict[str, Any] = {f.name: np.array(column, types.get(f.name, np.float64)) for f, column in named}
        return MatchColumns(**arrays)

    def by_row(self, ids: NDArray[np.int64]) -> "MatchColumns":
        """Rows for content ids: row i is content ids[i]. All of them must be there."""
        order = np.argsort(ids, kind="stable")
        a, b = (order[np.searchsorted(ids, side, sorter=order)].astype(np.uint32) for side in (self.a, self.b))
        return replace(self, a=a, b=b).in_order()

    @staticmethod
    def join(*parts: "MatchColumns") -> "MatchColumns":
        names = [field.name for field in fields(MatchColumns)]
        whole = MatchColumns(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
        return whole.in_order()

    @staticmethod
    def none() -> "MatchColumns":
        rows, zero = np.zeros(0, np.uint32), np.zeros(0, np.uint64)
        exact = np.zeros(0, np.bool_)
        return measured(rows, rows, shared=zero, size_a=zero, size_b=zero, shared_bytes=zero, exact=exact)

    def in_order(self) -> "MatchColumns":
        """Each pair with its smaller row first, pairs sorted."""
        turn = self.a > self.b
        turned = replace(
            self,
            a=np.where(turn, self.b, self.a),
            b=np.where(turn, self.a, self.b),
            a_in_b=np.where(turn, self.b_in_a, self.a_in_b),
            b_in_a=np.where(turn, self.a_in_b, self.b_in_a),
            size_a=np.where(turn, self.size_b, self.size_a),
            size_b=np.where(turn, self.size_a, self.size_b),
        )
        return turned[np.lexsort((turned.b, turned.a))]


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
        return np.divide(common, whole, out=np.zeros(len(a)), where=whole > 0)

    nothing = np.full(len(a), np.nan)
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
    )
