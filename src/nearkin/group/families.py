"""What families are made of: links that join or tell a distance, and containments that attach parts.

Columns, so that a million matches are grouped without a loop in Python. Rows are in order of digests: where scores are
equal the smaller row decides, the same way everywhere.

Many families at once, as columns: what a scan finds is grouped, measured and stored without an object for each.

Families, whatever view they are of: members, parts attached to them, and what holds them together.

Resemblance joins. Containment only attaches: a content that resembles no other, of at least so many shingles, becomes
a part of the family of the content that contains it best. Attaching never joins two parts or two containers: on a
real repository chaining containment grew the largest family from 638 to 1,866 documents.

How far each document of a family is from its pivot, measured where no match says it.
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
    """Pairs of rows of which one lies in the other, but which do not resemble each other by the threshold."""

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
        """Those that reach the threshold."""
        return self.links[self.links.resemblance >= self.settings.threshold]

    def without(self, apart: NDArray[np.bool_], apart_inside: NDArray[np.bool_]) -> "Evidence":
        return replace(self, links=self.links[~apart], inside=self.inside[~apart_inside])

    def homes(self, degree: NDArray[np.int64]) -> Rows:
        """For every part the content in whose family it belongs; for all others they themselves.

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
    """How many others each content resembles."""
    return np.bincount(joins.a, minlength=contents) + np.bincount(joins.b, minlength=contents)


@dataclass
class ContentFamily:
    """A family as rows of contents. `copies` counts documents, so that one content with copies is a family too."""

    members: list[int]
    parts: list[int] = field(default_factory=list)
    pivot: int = 0
    links: int = 0
    weakest: tuple[int, int, float] | None = None
    weakest_exact: bool = True  # False: its resemblance is an estimate
    mean_resemblance: float | None = None
    mean_exact: bool = True  # False: some of the resemblances that it is of are estimates
    to_pivot: dict[int, float | None] = field(default_factory=dict)
    estimated: set[int] = field(default_factory=set)  # rows whose to_pivot was not measured on texts
    kind: Kind = Kind.MIXED
    unlisted: int = 0  # pairs of members that nobody compared: stars have linked them
    evaluated: bool = True  # False: not all of its pairs are known, so the view could not be made of it


# By members, three and more alike, and parts, two and more alike.
KINDS = (
    (Kind.IDENTICAL, Kind.CONTAINS, Kind.ARCHIVE),
    (Kind.PAIR, Kind.MIXED, Kind.MIXED),
    (Kind.VERSIONS, Kind.MIXED, Kind.MIXED),
)


def kind_of(family: ContentFamily) -> Kind:
    return KINDS[min(len(family.members), 3) - 1][min(len(family.parts), 2)]


@dataclass(frozen=True)
class Tally:
    """Of the links that count in a view, by the label of their family."""

    links: NDArray[np.uint64]
    total: Floats  # of their resemblances
    weakest: Rows  # which link; NO_LINK where there is none

    @classmethod
    def of(cls, label: Rows, links: Links, *, chains: bool = False) -> "Tally":
        """Chains are as weak as the weakest link that holds them together, others as the weakest of all."""
        return cls(*_native.tally(label, links.a, links.b, links.resemblance, chains=chains))


@dataclass(frozen=True)
class Partition:
    """All contents in a view. A family's label is one of its members."""

    label: Rows  # of each row, the family it is a member of; a part is alone in one
    home: Rows  # of each row, the one in whose family it is a part, or itself
    pivots: Rows  # by label
    counted: Links  # the links that hold families together in this view …
    tally: Tally  # … and what they come to
    near: Links  # that tell how far rows are from their pivots
    doubtful: NDArray[np.bool_] | None = None  # rows whose family could not be evaluated; None: all could
    forms: NDArray[np.bool_] | None = None  # by label: whether it is a form filled in; None: nobody asked

    @property
    def owner(self) -> Rows:
        """The family of each row, as a member or a part."""
        return self.label[self.home]

    @property
    def measured(self) -> NDArray[np.bool_]:
        """By label: whether every link that counts there was measured on the texts."""
        guessed = self.counted[~self.counted.exact]
        found = np.ones(len(self.label), np.bool_)
        found[self.label[guessed.a[self.label[guessed.a] == self.label[guessed.b]]]] = False
        return found

    def labels(self, copies: NDArray[np.int64]) -> Rows:
        """Of families of two documents and more, ascending."""
        return np.flatnonzero(np.bincount(self.owner, copies, len(copies)) > 1).astype(np.uint32)

    def to_pivot(self) -> tuple[Floats, NDArray[np.bool_]]:
        """What links say of each row and its pivot, and whether that was measured; NaN: nothing."""
        pivot, links = self.pivots[self.owner], self.near
        found = np.full(len(pivot), np.nan)
        exact = np.zeros(len(pivot), np.bool_)
        for row, other in ((links.a, links.b), (links.b, links.a)):
            near = pivot[row] == other
            found[row[near]] = links.resemblance[near]
            exact[row[near]] = links.exact[near]
        itself = pivot == np.arange(len(pivot))
        return np.where(itself, 1.0, found), exact | itself


def first_of(label: Rows, *keys: NDArray[np.int64]) -> Rows:
    """For each label the row with the smallest keys, the first of equal ones; for what is no label, itself."""
    columns: list[NDArray[Any]] = [*keys[::-1], label]  # the last one counts most
    order = np.lexsort(columns)
    labels = label[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = labels[1:] != labels[:-1]
    found = np.arange(len(label), dtype=np.uint32)
    found[labels[first]] = order[first]
    return found


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


def measure_to_pivot(families: Families, corpus: Corpus, shingler: Shingler | None) -> None:
    """Measure the pairs of pivot and row that were never candidates: their resemblance is below the threshold."""
    unknown = np.flatnonzero(np.isnan(families.to_pivot))
    pivots = np.repeat(families.pivots, families.sizes)[unknown]
    families.to_pivot[unknown] = _resemblances(families.rows[unknown], pivots, corpus, shingler)


def complete_to_pivot(families: list[ContentFamily], corpus: Corpus, shingler: Shingler | None) -> None:
    """The same of families that are told one by one."""
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
    """Of each row and its pivot; NaN where a text was not kept."""
    keys = np.minimum(rows, pivots) << 32 | np.maximum(rows, pivots)
    order = np.argsort(keys)
    a, b = (side[order].astype(np.uint32) for side in (keys >> 32, keys & 0xFFFFFFFF))
    a, b, scores = measured_pairs(a, b, corpus, shingler)
    found = np.full(len(rows), np.nan)
    found[order[np.searchsorted(keys[order], a.astype(np.int64) << 32 | b)]] = scores
    return found


def measured_pairs(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    corpus: Corpus,
    shingler: Shingler | None,  # None: their cosine is measured
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Those of the pairs whose texts were both kept, with their scores."""
    if shingler is None:
        scores = cosines(a, b, corpus)
        known = scores == scores
        return a[known], b[known], scores[known]
    found, _ = verify(a, b, corpus, shingler=shingler, resemblance=0.0, containment=0.0)
    return found.a, found.b, found.resemblance
