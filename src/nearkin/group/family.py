"""Families: the chain view (Forman 2005 §2.3 step 5: union-find over the matches), with parts attached.

Resemblance joins. Containment only attaches: a content that resembles no other, of at least so many shingles, becomes
a part of the family of the content that contains it best. Attaching never joins two parts or two containers: on a
real repository chaining containment grew the largest family from 638 to 1,866 documents.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import Hot
from nearkin.matching.columns import MatchColumns
from nearkin.model import Kind
from nearkin.settings import MatchSettings


@dataclass
class ContentFamily:
    """A family as rows of contents. `copies` counts documents, so that one content with copies is a family too."""

    members: list[int]
    parts: list[int] = field(default_factory=list)
    pivot: int = 0
    links: int = 0
    weakest: tuple[int, int, float] | None = None
    mean_resemblance: float | None = None
    to_pivot: dict[int, float | None] = field(default_factory=dict)
    estimated: set[int] = field(default_factory=set)  # rows whose to_pivot was not measured on texts
    kind: Kind = Kind.MIXED
    unlisted: int = 0  # pairs of members that nobody compared: stars have linked them


def chain(
    matches: MatchColumns,
    lengths: NDArray[np.int64],
    copies: NDArray[np.int64],
    settings: MatchSettings,
) -> list[ContentFamily]:
    """Group contents. Rows are in order of digests, so smaller rows break ties the same way everywhere."""
    joins = matches[matches.resemblance >= settings.threshold]
    core = linked(len(lengths), joins)
    sizes = np.bincount(core, minlength=len(lengths))
    home = _attach(matches, core, sizes, settings)

    families: dict[int, ContentFamily] = {}
    grouped = np.flatnonzero(sizes[core] > 1)
    for row in np.union1d(grouped, np.fromiter(home.values(), np.int64, len(home))).tolist():
        families.setdefault(int(core[row]), ContentFamily([])).members.append(row)
    for part, container in home.items():
        families[int(core[container])].parts.append(part)
    for row in np.flatnonzero((copies > 1) & (sizes[core] == 1)).tolist():
        if row not in families and row not in home:
            families[row] = ContentFamily([row])
    degree = np.bincount(joins.a, minlength=len(lengths)) + np.bincount(joins.b, minlength=len(lengths))
    for family in families.values():
        # Most linked, then longest, then first by digest.
        family.pivot = min(family.members, key=lambda row: (-degree[row], -lengths[row], row))
        family.kind = kind_of(family)
        family.to_pivot[family.pivot] = 1.0
    _measure_links(families, joins, core, home)
    _measure_to_pivot(families, matches, core, home)
    return list(families.values())


def linked(contents: int, joins: MatchColumns) -> NDArray[np.uint32]:
    """For every content a label that all have which hang together."""
    return _native.components(contents, joins.a, joins.b)


def count_unlisted(families: Iterable[ContentFamily], matches: MatchColumns, hot: Hot) -> None:
    """How many pairs of each family's members were never compared: those of starred contents that are no match."""
    if not len(hot.contents):
        return
    size = int(max(hot.contents[-1], matches.b.max(initial=0))) + 1
    starred = np.zeros(size, np.bool_)
    starred[hot.contents] = True
    both = matches[starred[matches.a] & starred[matches.b]]
    listed = np.bincount(both.a, minlength=size)
    for family in families:
        inside = [row for row in family.members if row < size and starred[row]]
        if len(inside) > 1:
            family.unlisted = max(0, len(inside) * (len(inside) - 1) // 2 - int(listed[inside].sum()))


def kind_of(family: ContentFamily) -> Kind:
    match len(family.members), len(family.parts):
        case 1, 0:
            return Kind.IDENTICAL
        case 2, 0:
            return Kind.PAIR
        case _, 0:
            return Kind.VERSIONS
        case 1, 1:
            return Kind.CONTAINS
        case 1, _:
            return Kind.ARCHIVE
        case _:
            return Kind.MIXED


def _attach(
    matches: MatchColumns,
    core: NDArray[np.uint32],
    sizes: NDArray[np.int64],
    settings: MatchSettings,
) -> dict[int, int]:
    """For every part the content in whose family it belongs."""
    best: dict[int, tuple[float, int, int]] = {}
    # One size for each content: where texts are not kept every match estimates its own, and three contents could each
    # be larger than the next.
    size_of = np.zeros(len(core), np.int64)
    np.maximum.at(size_of, matches.a, matches.size_a)
    np.maximum.at(size_of, matches.b, matches.size_b)
    for part, whole, share in ((matches.a, matches.b, matches.a_in_b), (matches.b, matches.a, matches.b_in_a)):
        wanted = (share >= settings.containment) & (size_of[part] >= settings.part_shingles)
        # The container is the larger; of two alike the one with the larger row, so that no two contain each other.
        wanted &= (size_of[whole] > size_of[part]) | ((size_of[whole] == size_of[part]) & (whole > part))
        wanted &= sizes[core[part]] == 1
        containers = whole[wanted]
        for p, w, s, size in zip(
            part[wanted].tolist(),
            containers.tolist(),
            share[wanted].tolist(),
            size_of[containers].tolist(),
            strict=True,
        ):
            offer = (s, -size, -w)  # contained best, in the smallest container
            if p not in best or offer > best[p]:
                best[p] = offer
    home = {part: -offer[2] for part, offer in best.items()}
    # A part of a part belongs where its container belongs.
    for row in home:
        container = home[row]
        while container in home:
            container = home[container]
        home[row] = container
    return home


def _measure_links(
    families: dict[int, ContentFamily], joins: MatchColumns, core: NDArray[np.uint32], home: dict[int, int]
) -> None:
    """Count links, average them, and name the weakest of those that hold the family together.

    That is the last link a union-find needs when it takes the strongest first: weaker ones join what hangs together
    already.
    """
    totals: dict[int, float] = defaultdict(float)
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while (above := parent.setdefault(node, node)) != node:
            parent[node] = parent.setdefault(above, above)
            node = above
        return node

    order = np.lexsort((joins.b, joins.a, -joins.resemblance))
    columns = (joins.a[order].tolist(), joins.b[order].tolist(), joins.resemblance[order].tolist())
    for a, b, resemblance in zip(*columns, strict=True):
        label = int(core[a])
        family = families[label]
        family.links += 1
        totals[label] += resemblance
        first, second = root(a), root(b)
        if first != second:
            parent[second] = first
            family.weakest = (a, b, resemblance)
    for label, total in totals.items():
        families[label].mean_resemblance = total / families[label].links
    for container in home.values():
        families[int(core[container])].links += 1


def _measure_to_pivot(
    families: dict[int, ContentFamily], matches: MatchColumns, core: NDArray[np.uint32], home: dict[int, int]
) -> None:
    """What the stored matches say of each row and its pivot; pairs without a match stay unknown here."""
    pivots = {family.pivot for family in families.values()}
    is_pivot = np.isin(matches.a, list(pivots)) | np.isin(matches.b, list(pivots))
    near = matches[is_pivot & matches.exact]
    for a, b, resemblance in zip(near.a.tolist(), near.b.tolist(), near.resemblance.tolist(), strict=True):
        for pivot, other in ((a, b), (b, a)):
            if pivot in pivots:
                owner = int(core[home.get(other, other)])
                if owner in families and families[owner].pivot == pivot:
                    families[owner].to_pivot[other] = resemblance
