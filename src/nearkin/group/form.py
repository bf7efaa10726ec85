"""Forms and versions: a form filled in many times is told from versions by the payload of its documents.

Five hundred invoices share as much with each other as five hundred drafts of one report. Their payload, which is what a
document has beyond the features that most of the family have, tells them apart: a draft's payload still has much in
common with the draft before, while those of two invoices are unlike. "Most" is relative to the family, so a form is
recognised in a store of three thousand documents as in one of millions.

In a family of few versions most members have what was added early. Little is left as payload, and that may be unlike.
But a feature that not nearly all versions have is usually in several of them, while the values filled into a form are
usually in one document only.

Some members are examined, each beside the members whose signatures are nearest, whether these pairs were listed or not.
Payloads are compared on the signatures, or on the texts where the signatures have too few features.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.families import ContentFamily, Families, Rows
from nearkin.matching.candidates import Postings
from nearkin.matching.match_columns import COMPLETE, UNKNOWN, MatchColumns, PayloadScores
from nearkin.model import Kind
from nearkin.scheme import Estimator, Scheme

LEAST = 5  # members; in smaller families "most" means nothing
MOST = 0.5  # share of a family's members that have a feature, for it to be common and no payload
NEARLY_ALL = 0.8  # share of the examined members that must be unlike their neighbours
# Share of the features in less than nine tenths of the members that are in several of them: in forms 0 to 0.56, in
# versions mistaken for forms 0.7 to 1.
PARTLY, BUT_FOR_FEW = 2 / 3, 0.9
ASKED = 24  # members of a family that are examined, at the most
BESIDE = 2  # neighbours of each
ASKED_TEXTS = 8  # members examined on their texts, with one neighbour each: a text has ten times as many features
# Features of a payload that are enough. Among many members the nearest by its sample is nearest by luck: more are
# needed.
TELLING_OF_FEW, TELLING_OF_MANY = 4, 32
# Payloads that resemble each other by less are values in a form, not versions. The first limit is for small families:
# of five versions each shares half of its payload with the next. The second is for large ones: there each invoice meets
# one of the same date, which is a third of its payload, and each draft shares nearly all with the draft before.
UNLIKE_OF_FEW, UNLIKE_OF_MANY = 0.25, 0.5
FEW, MANY = 8, 64  # members: the first limit applies up to FEW, the second from MANY on

NO_ROWS = np.zeros(0, np.uint32)

# Returns the complete signatures of some rows, in their order; None where a text was not kept.
Complete = Callable[[list[int]], Postings | None]


def mark_forms(
    families: Families,
    matches: MatchColumns,
    postings: Postings,
    scheme: Scheme,
    complete: Complete,
    *,
    threads: int,
) -> PayloadScores:
    """Mark the families that are forms: nearly all examined members have payloads unlike their neighbours'. Return the
    payload score of each match inside a family that is large enough."""
    large = np.flatnonzero(families.members >= LEAST)
    rows, sizes = large_members(families), families.members[large]
    starts = np.cumsum(sizes) - sizes
    home = np.full(len(postings.moduli), -1, np.int64)
    home[rows] = np.repeat(np.arange(len(large)), sizes)
    place = np.zeros(len(postings.moduli), np.uint32)  # of each row within its family
    place[rows] = np.arange(len(rows)) - np.repeat(starts, sizes)
    inside = np.flatnonzero((home[matches.a] >= 0) & (home[matches.a] == home[matches.b]))
    order = inside[np.argsort(home[matches.a[inside]], kind="stable")]
    asked = [_asked(size) for size in sizes.tolist()]
    payloads = Payloads.of(
        # Only samples are multiples of their modulus; in other schemes every feature counts.
        postings if scheme.sampled else replace(postings, moduli=np.ones_like(postings.moduli)),
        rows,
        sizes,
        pairs=(place[matches.a[order]], place[matches.b[order]]),
        pairs_of=np.bincount(home[matches.a[order]], minlength=len(large)),
        asked=asked,
        threads=threads,
    )
    if not len(large):
        return PayloadScores.none(len(matches))
    number = np.array([len(members) for members in asked])
    first = np.cumsum(number) - number
    unlike = np.array([unlike_among(size) for size in sizes.tolist()])
    share = np.add.reduceat(payloads.best < np.repeat(unlike, number), first, dtype=np.int64) / number
    telling = np.where(sizes < MANY, TELLING_OF_FEW, TELLING_OF_MANY)
    sampled = np.maximum.reduceat(postings.moduli[rows], starts) > 1
    left_out = sampled | _cut(postings, rows, starts, scheme)
    for family in np.flatnonzero((payloads.medians < telling) & sampled).tolist():
        members = rows[starts[family] : starts[family] + sizes[family]]
        examined = slice(first[family], first[family] + number[family])
        nearest = members[payloads.nearest[examined, 0]]
        best = _by_texts(members[asked[family]], nearest, complete, payloads.best[examined])
        share[family] = np.mean(best < unlike[family])
    versions = (sizes < MANY) & (payloads.partly > PARTLY)  # in large families several members share features by chance
    families.forms[large] = ~versions & (share >= NEARLY_ALL)
    payload = PayloadScores.none(len(matches))
    estimated = left_out[home[matches.a[order]]]
    known = ~estimated | (payloads.united > 0)  # a sample without features says nothing
    payload.scores[order[known]] = payloads.scores[known]
    theory = scheme.sampled and not scheme.limit
    counted = np.where(estimated, payloads.united.astype(np.float64) if theory else UNKNOWN, COMPLETE)
    payload.samples[order[known]] = counted[known]
    return payload


def _cut(postings: Postings, rows: NDArray[np.int64], starts: NDArray[np.int64], scheme: Scheme) -> NDArray[np.bool_]:
    """Return by family whether a scheme with a limited number of features has left some out of a signature."""
    if not scheme.limit:
        return np.zeros(len(starts), np.bool_)
    if scheme.estimator is not Estimator.SMALLEST:
        return np.ones(len(starts), np.bool_)
    most = np.maximum.reduceat(postings.offsets[rows + 1] - postings.offsets[rows], starts)
    return most >= np.uint64(scheme.limit)


def large_members(families: Families) -> NDArray[np.int64]:
    """Return the rows of the families that are large enough, one family after another."""
    return families.rows[np.repeat(families.members >= LEAST, families.sizes) & ~families.is_part]


@dataclass(frozen=True)
class Payloads:
    """How alike the members of families are without the features that most members have."""

    scores: NDArray[np.float64]  # payload resemblance of each pair
    united: NDArray[np.uint64]  # features in the union of the two payloads of each pair
    nearest: NDArray[np.uint32]  # neighbours of each examined member, by their place in the family
    best: NDArray[np.float64]  # the highest payload resemblance of each examined member to a neighbour
    medians: NDArray[np.float64]  # by family: median number of features of these payloads
    partly: NDArray[np.float64]  # by family: of the features that not nearly all have, the share that several have

    @classmethod
    def of(
        cls,
        postings: Postings,
        rows: NDArray[np.int64],
        sizes: NDArray[np.int64],
        *,
        pairs: tuple[NDArray[np.uint32], NDArray[np.uint32]],
        pairs_of: NDArray[np.int64],
        asked: list[NDArray[np.uint32]],
        threads: int,
    ) -> "Payloads":
        """Compare payloads. Rows are of families end to end, of these sizes; pairs likewise, `pairs_of` of each family,
        by places within it."""
        scores, united, nearest, best, medians, partly = _native.payloads(
            postings.offsets,
            postings.features,
            postings.moduli,
            rows.astype(np.uint32),
            np.cumsum(sizes, dtype=np.uint64),
            *pairs,
            np.cumsum(pairs_of, dtype=np.uint64),
            np.concatenate([NO_ROWS, *asked]),
            np.cumsum([len(members) for members in asked], dtype=np.uint64),
            most=MOST,
            nearly_all=BUT_FOR_FEW,
            beside=BESIDE,
            threads=threads,
        )
        return cls(scores, united, nearest.reshape(-1, BESIDE), best, medians, partly)


@lru_cache(maxsize=1024)
def _asked(members: int) -> NDArray[np.uint32]:
    """Choose which of so many members are examined. Rows are in the order of digests, which is as good as random."""
    return np.linspace(0, members - 1, min(members, ASKED)).astype(np.uint32)


def _by_texts(
    asked: NDArray[np.int64], nearest: NDArray[np.int64], complete: Complete, best: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compare some examined members with their nearest on the texts; return `best` unchanged where texts are
    missing."""
    few = slice(None, None, math.ceil(len(asked) / ASKED_TEXTS))
    rows = np.array(sorted({*asked[few].tolist(), *nearest[few].tolist()}))  # np.unique imports numpy.ma, for 12 ms
    postings = complete(rows.tolist())
    if postings is None:
        return best
    a, b = (np.searchsorted(rows, side[few]).astype(np.uint32) for side in (asked, nearest))
    size = np.array([len(rows)], np.int64)
    payloads = Payloads.of(
        postings, np.arange(len(rows)), size, pairs=(a, b), pairs_of=np.array([len(a)]), asked=[NO_ROWS], threads=1
    )
    return payloads.scores


def forms_in(label: Rows, filled_in: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return by label which families of another view are forms. A person sees one kind in every view, so these are the
    families whose members nearly all come from forms of the scan (`filled_in`, by row)."""
    members = np.bincount(label, minlength=len(label))
    forms = np.bincount(label[filled_in], minlength=len(label))
    return (members >= LEAST) & (forms / np.maximum(members, 1) >= NEARLY_ALL)


def name_forms(families: Iterable[ContentFamily], filled_in: NDArray[np.bool_]) -> None:
    """Mark the forms among families that are objects, by the same rule."""
    for family in families:
        if len(family.members) >= LEAST and np.mean(filled_in[family.members]) >= NEARLY_ALL:
            family.kind = Kind.SAME_FORM


def unlike_among(members: int) -> float:
    """Return the resemblance below which payloads are unlike, in a family of so many members."""
    grown = math.log(max(members, FEW) / FEW) / math.log(MANY / FEW)
    return UNLIKE_OF_FEW + (UNLIKE_OF_MANY - UNLIKE_OF_FEW) * min(grown, 1.0)
