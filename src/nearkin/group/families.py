"""Families of contents as columns, whatever view they are of, and the evidence that they are made from.

Links join contents, or say how far two contents are apart. Containments only attach: a content that resembles no other
and has at least so many shingles becomes a part of the family of the content that contains it best. Attaching never
joins two parts or two containers: on a real repository chaining containment grew the largest family from 638 to 1,866
documents.

Everything is kept in columns, so that a million matches are grouped, measured and stored without an object or a Python
loop for each. Rows are in the order of digests: where scores are equal, the smaller row decides, the same way
everywhere.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.score import cosines
from nearkin.matching.verify import Corpus, verify
from nearkin.model import Kind
from nearkin.scheme.shingler import Shingler
from nearkin.settings import MatchSettings

Rows = NDArray[np.uint32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Links:
    """Pairs of rows that resemble each other, each pair once."""

    a: Rows
    b: Rows
    resemblance: Floats
    exact: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, chosen: NDArray[np.bool_] | NDArray[np.intp] | Rows) -> "Links":
        return Links(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


@dataclass(frozen=True)
class Containments:
    """Pairs of rows of which one contains the other, but which do not resemble each other by the threshold."""

    a: Rows
    b: Rows
    a_in_b: Floats  # NaN: unknown
    b_in_a: Floats
    size_a: NDArray[np.int64]
    size_b: NDArray[np.int64]

    def __getitem__(self, chosen: NDArray[np.bool_]) -> "Containments":
        return Containments(**{field.name: getattr(self, field.name)[chosen] for field in fields(self)})


@dataclass(frozen=True)
class Evidence:
    """The links and containments of a store, and the settings that say which of them count."""

    links: Links
    inside: Containments
    settings: MatchSettings

    @classmethod
    def of(cls, matches: MatchColumns, settings: MatchSettings) -> "Evidence":
        links = Links(**{field.name: getattr(matches, field.name) for field in fields(Links)})
        inside = Containments(**{field.name: getattr(matches, field.name) for field in fields(Containments)})
        reached = np.fmax(inside.a_in_b, inside.b_in_a) >= settings.containment
        return cls(links, inside[reached & (links.resemblance < settings.threshold)], settings)

    @property
    def joins(self) -> Links:
        """Links that reach the threshold."""
        return self.links[self.links.resemblance >= self.settings.threshold]

    def without(self, apart: NDArray[np.bool_], apart_inside: NDArray[np.bool_]) -> "Evidence":
        """Leave out the links and containments that people keep apart."""
        return replace(self, links=self.links[~apart], inside=self.inside[~apart_inside])

    def homes(self, degree: NDArray[np.int64]) -> Rows:
        """Return for every part the content whose family it is attached to, and for every other row the row itself.

        A content that resembles another by the threshold is its version, never a part: parts are the same in every
        view.
        """
        inside = self.inside
        return _native.homes(
            (degree == 0).astype(np.uint8),
            inside.a,
            inside.b,
            inside.a_in_b,
            inside.b_in_a,
            inside.size_a,
            inside.size_b,
            share=self.settings.containment,
            size=self.settings.part_shingles,
        )


def degrees(contents: int, joins: Links) -> NDArray[np.int64]:
    """Count the contents that each content resembles."""
    return np.bincount(joins.a, minlength=contents) + np.bincount(joins.b, minlength=contents)


@dataclass
class ContentFamily:
    """A family as rows of contents. One content with copies is a family too."""

    members: list[int]
    parts: list[int] = field(default_factory=list)
    pivot: int = 0
    links: int = 0
    weakest: tuple[int, int, float] | None = None
    weakest_exact: bool = True  # False: its resemblance is an estimate
    mean_resemblance: float | None = None
    mean_exact: bool = True  # False: the mean is of estimates, at least in part
    to_pivot: dict[int, float | None] = field(default_factory=dict)
    estimated: set[int] = field(default_factory=set)  # rows whose to_pivot was not measured on texts
    kind: Kind = Kind.MIXED
    unlisted: int = 0  # pairs of members that were not compared: stars link them
    evaluated: bool = True  # False: not all of its pairs are known, so the view was not applied to it


# Indexed by members (one, two, three or more) and parts (none, one, two or more).
KINDS = (
    (Kind.IDENTICAL, Kind.CONTAINS, Kind.ARCHIVE),
    (Kind.PAIR, Kind.MIXED, Kind.MIXED),
    (Kind.VERSIONS, Kind.MIXED, Kind.MIXED),
)


def kind_of(family: ContentFamily) -> Kind:
    return KINDS[min(len(family.members), 3) - 1][min(len(family.parts), 2)]


@dataclass(frozen=True)
class Tally:
    """Number, sum and minimum of the links that count in a view, by the label of their family."""

    links: NDArray[np.uint64]
    total: Floats  # of their resemblances
    weakest: Rows  # which link; NO_LINK where there is none

    @classmethod
    def of(cls, label: Rows, links: Links, *, chains: bool = False) -> "Tally":
        """Count the links. The weakest link of a chain is one that holds it together, of other families any link."""
        return cls(*_native.tally(label, links.a, links.b, links.resemblance, chains=chains))


@dataclass(frozen=True)
class Partition:
    """All contents in a view. The label of a family is the row of one of its members."""

    label: Rows  # of each row, the family it is a member of; a part is the only member of its own
    home: Rows  # of each row, the row whose family it is attached to as a part, or the row itself
    pivots: Rows  # by label
    counted: Links  # the links that count in this view …
    tally: Tally  # … and their figures
    near: Links  # links that give the resemblance of rows to their pivots
    doubtful: NDArray[np.bool_] | None = None  # rows whose family was not evaluated; None: all were
    forms: NDArray[np.bool_] | None = None  # by label: whether it is a form filled in; None: not determined

    @property
    def owner(self) -> Rows:
        """The label of the family that each row is a member or a part of."""
        return self.label[self.home]

    @property
    def measured(self) -> NDArray[np.bool_]:
        """By label, whether every link that counts was measured on the texts."""
        estimated = self.counted[~self.counted.exact]
        measured = np.ones(len(self.label), np.bool_)
        measured[self.label[estimated.a[self.label[estimated.a] == self.label[estimated.b]]]] = False
        return measured

    def labels(self, copies: NDArray[np.int64]) -> Rows:
        """Labels of the families of two documents and more, ascending."""
        return np.flatnonzero(np.bincount(self.owner, copies, len(copies)) > 1).astype(np.uint32)

    def to_pivot(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the resemblance of each row to its pivot by the links (NaN: unknown), and whether it was measured."""
        pivot, links = self.pivots[self.owner], self.near
        resemblance = np.full(len(pivot), np.nan)
        exact = np.zeros(len(pivot), np.bool_)
        for row, other in ((links.a, links.b), (links.b, links.a)):
            near = pivot[row] == other
            resemblance[row[near]] = links.resemblance[near]
            exact[row[near]] = links.exact[near]
        itself = pivot == np.arange(len(pivot))
        return np.where(itself, 1.0, resemblance), exact | itself


def first_of(label: Rows, *keys: NDArray[np.int64]) -> Rows:
    """Return for each label the row with the smallest keys, the first of equal ones; for any other row the row
    itself."""
    columns: list[NDArray[Any]] = [*keys[::-1], label]  # lexsort sorts by the last column first
    order = np.lexsort(columns)
    labels = label[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = labels[1:] != labels[:-1]
    chosen = np.arange(len(label), dtype=np.uint32)
    chosen[labels[first]] = order[first]
    return chosen


Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

KIND_NAMES = np.array([[kind.value for kind in kinds] for kinds in KINDS], object)


@dataclass(frozen=True)
class Families:
    """Families in columns, one after another. The rows of each are its members, then its parts, both ascending."""

    sizes: Numbers  # rows of each …
    parts: Numbers  # … of which so many are parts
    pivots: Numbers
    links: Numbers
    means: Floats  # mean resemblance of the links; NaN: there are none
    weakest: Floats  # resemblance of the weakest link; NaN: there is none …
    weakest_a: Numbers  # … and then this is -1
    weakest_b: Numbers
    mean_exact: Flags  # whether all links of the mean were measured
    weakest_exact: Flags
    forms: Flags  # whether it is a form filled in
    unlisted: Numbers
    evaluated: Flags
    rows: Numbers  # of all families, end to end
    to_pivot: Floats  # of each row; NaN: unknown
    estimated: Flags  # of each row: whether to_pivot was not measured on texts

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def members(self) -> Numbers:
        """Number of members of each family."""
        return self.sizes - self.parts

    @property
    def starts(self) -> Numbers:
        """Index in `rows` where each family begins."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def is_part(self) -> Flags:
        """Whether each of `rows` is a part."""
        return np.arange(len(self.rows)) >= np.repeat(self.starts + self.members, self.sizes)

    @property
    def kinds(self) -> list[str]:
        by_size = KIND_NAMES[np.minimum(self.members, 3) - 1, np.minimum(self.parts, 2)]
        kinds: list[str] = np.where(self.forms, Kind.SAME_FORM.value, by_size).tolist()
        return kinds

    @classmethod
    def of(cls, partition: Partition, labels: Rows) -> "Families":
        """Collect the families of these labels, in that order."""
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
        none = np.zeros(len(labels), np.bool_)
        doubtful = none if partition.doubtful is None else partition.doubtful[labels]
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
            forms=none if partition.forms is None else partition.forms[labels],
            unlisted=np.zeros(len(labels), np.int64),
            evaluated=~doubtful | (sizes - parts == 1),
            rows=rows,
            to_pivot=to_pivot[rows],
            estimated=(~np.isnan(to_pivot) & ~exact)[rows],
        )

    def listed(self) -> list[ContentFamily]:
        """Return each family as an object. For a million families this takes longer than the view itself."""
        rows: list[int] = self.rows.tolist()
        values: list[float] = self.to_pivot.tolist()
        estimated = set(self.rows[self.estimated].tolist())
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
                estimated=estimated.intersection(rows[first:last]) if estimated else set(),
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
    """Return the families of these labels as objects, in that order."""
    return Families.of(partition, labels).listed()


def measure_to_pivot(families: Families, corpus: Corpus, shingler: Shingler | None) -> None:
    """Measure on the texts the pairs of pivot and row that were no candidates, as they are below the threshold."""
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    families.to_pivot[unknown] = _resemblances(families.rows[unknown], pivots, corpus, shingler)


def complete_to_pivot(families: list[ContentFamily], corpus: Corpus, shingler: Shingler | None) -> None:
    """Measure the same pairs for families that are objects."""
    unknown = [
        (row, family)
        for family in families
        for row in (*family.members, *family.parts)
        if row not in family.to_pivot and row != family.pivot
    ]
    rows = np.array([row for row, _ in unknown], np.int64)
    pivots = np.array([family.pivot for _, family in unknown], np.int64)
    scores = _resemblances(rows, pivots, corpus, shingler).tolist()
    for (row, family), score in zip(unknown, scores, strict=True):
        if score == score:
            family.to_pivot[row] = score


def _resemblances(
    rows: NDArray[np.int64], pivots: NDArray[np.int64], corpus: Corpus, shingler: Shingler | None
) -> NDArray[np.float64]:
    """Return the resemblance of each row to its pivot; NaN where a text was not kept."""
    keys = np.minimum(rows, pivots) << 32 | np.maximum(rows, pivots)
    order = np.argsort(keys)
    a, b = (side[order].astype(np.uint32) for side in (keys >> 32, keys & 0xFFFFFFFF))
    a, b, scores = measured_pairs(a, b, corpus, shingler)
    resemblances = np.full(len(rows), np.nan)
    resemblances[order[np.searchsorted(keys[order], a.astype(np.int64) << 32 | b)]] = scores
    return resemblances


def measured_pairs(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    corpus: Corpus,
    shingler: Shingler | None,  # None: their cosine is measured
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Return the pairs whose texts were both kept, with their scores."""
    if shingler is None:
        scores = cosines(a, b, corpus)
        known = scores == scores
        return a[known], b[known], scores[known]
    verified, _ = verify(a, b, corpus, shingler=shingler, resemblance=0.0, containment=0.0)
    return verified.a, verified.b, verified.resemblance
