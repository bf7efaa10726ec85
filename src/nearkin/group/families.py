"""Many families at once, as columns: what a scan finds is grouped, measured and stored without an object for each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Floats, Rows
from nearkin.group.family import KINDS, ContentFamily, Partition
from nearkin.model import Kind

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

KIND_NAMES = np.array([[kind.value for kind in kinds] for kinds in KINDS], object)


@dataclass(frozen=True)
class Families:
    """One after another. Each has its rows, members before parts, both ascending."""

    sizes: Numbers  # rows of each …
    parts: Numbers  # … of which so many are parts
    pivots: Numbers
    links: Numbers
    means: Floats  # of their resemblances; NaN: there are none
    weakest: Floats  # NaN: there is none …
    weakest_a: Numbers  # … and this is no row
    weakest_b: Numbers
    mean_exact: Flags  # whether all that the mean is of was measured
    weakest_exact: Flags
    forms: Flags  # whether it is a form filled in
    unlisted: Numbers
    evaluated: Flags
    rows: Numbers  # of all families, end to end
    to_pivot: Floats  # of each row; NaN: unknown
    estimated: Flags  # of each row: whether that was not measured on texts

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def members(self) -> Numbers:
        """How many each has."""
        return self.sizes - self.parts

    @property
    def starts(self) -> Numbers:
        """Where the rows of each begin."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def is_part(self) -> Flags:
        """By row."""
        return np.arange(len(self.rows)) >= np.repeat(self.starts + self.members, self.sizes)

    @property
    def kinds(self) -> list[str]:
        found = KIND_NAMES[np.minimum(self.members, 3) - 1, np.minimum(self.parts, 2)]
        named: list[str] = np.where(self.forms, Kind.SAME_FORM.value, found).tolist()
        return named

    @classmethod
    def of(cls, partition: Partition, labels: Rows) -> "Families":
        """Those of these labels, in that order."""
        owner, tally = partition.owner, partition.tally
        part = partition.home != np.arange(len(owner))
        place = np.full(len(owner), len(labels), np.int64)
        place[labels] = np.arange(len(labels))
        rows = np.flatnonzero(place[owner] < len(labels))
        rows = rows[np.argsort(2 * place[owner[rows]] + part[rows], kind="stable")]
        sizes = np.bincount(place[owner[rows]], minlength=len(labels))
        parts = np.bincount(owner[part], minlength=len(owner))[labels]
        links = tally.links[labels].astype(np.int64)
        held = tally.weakest[labels]
        linked = held != _native.NO_LINK
        weakest, weakest_a, weakest_b = np.full(len(labels), np.nan), *np.full((2, len(labels)), -1, np.int64)
        link = partition.counted[held[linked]]
        weakest[linked] = link.resemblance
        weakest_a[linked], weakest_b[linked] = np.minimum(link.a, link.b), np.maximum(link.a, link.b)
        weakest_exact = np.ones(len(labels), np.bool_)
        weakest_exact[linked] = link.exact
        to_pivot, exact = partition.to_pivot()
        nobody = np.zeros(len(labels), np.bool_)
        doubtful = nobody if partition.doubtful is None else partition.doubtful[labels]
        return cls(
            sizes=sizes,
            parts=parts,
            pivots=partition.pivots[labels].astype(np.int64),
            links=links + parts,
            means=np.divide(tally.total[labels], links, out=np.full(len(labels), np.nan), where=links > 0),
            weakest=weakest,
            weakest_a=weakest_a,
            weakest_b=weakest_b,
            mean_exact=partition.measured[labels],
            weakest_exact=weakest_exact,
            forms=nobody if partition.forms is None else partition.forms[labels],
            unlisted=np.zeros(len(labels), np.int64),
            evaluated=~doubtful | (sizes - parts == 1),
            rows=rows,
            to_pivot=to_pivot[rows],
            estimated=(~np.isnan(to_pivot) & ~exact)[rows],
        )

    def listed(self) -> list[ContentFamily]:
        """One by one. Of a million the objects take longer than the view."""
        rows: list[int] = self.rows.tolist()
        values: list[float] = self.to_pivot.tolist()
        guessed = set(self.rows[self.estimated].tolist())
        columns = (
            self.starts, self.starts + self.members, self.starts + self.sizes, self.pivots, self.links, self.means,
            self.weakest_a, self.weakest_b, self.weakest, self.weakest_exact, self.mean_exact, self.unlisted,
            self.evaluated,
        )  # fmt: skip
        each = zip(self.kinds, *(column.tolist() for column in columns), strict=True)
        return [
            ContentFamily(
                members=rows[first:middle],
                parts=rows[middle:last],
                pivot=pivot,
                links=links,
                weakest=(a, b, weakest) if a >= 0 else None,
                weakest_exact=weakest_exact,
                mean_resemblance=mean if mean == mean else None,
                mean_exact=mean_exact,
                to_pivot={rows[at]: values[at] for at in range(first, last) if values[at] == values[at]},
                estimated=guessed.intersection(rows[first:last]) if guessed else set(),
                kind=Kind(kind),
                unlisted=unlisted,
                evaluated=evaluated,
            )
            for (
                kind, first, middle, last, pivot, links, mean, a, b, weakest, weakest_exact, mean_exact, unlisted,
                evaluated,
            ) in each
        ]  # fmt: skip


def families_in(partition: Partition, labels: Rows) -> list[ContentFamily]:
    """The families of these labels, in that order."""
    return Families.of(partition, labels).listed()
