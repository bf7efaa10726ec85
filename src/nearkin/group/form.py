"""Form or version? What is left of a family's documents without what they all have in common.

Five hundred invoices and five hundred drafts of one report share as much. Their payload tells them apart: without the
features that most of the family has, a draft still has much in common with the draft before, while two invoices are
unlike. "Most" is relative to the family: a form is one in a store of three thousand documents as in one of millions.

Of a few versions most have what was added early: little is left as payload, and that may be unlike. But whatever is not
in nearly all of them is then mostly in several, where what is filled into a form is each one's own.

Some members are asked, each beside those that its signature has most in common with, whichever pairs were listed. Their
payloads are compared on the signatures; where these have too few features to tell, on the texts.
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

LEAST = 5  # members; of fewer nobody can say what most have
MOST = 0.5  # of a family's members have what is common to it
NEARLY_ALL = 0.8  # of those asked must be unlike all they are put beside
# Of what less than nine tenths have, what several have: in forms 0 to 0.56, in versions taken for forms 0.7 to 1.
PARTLY, BUT_FOR_FEW = 2 / 3, 0.9
ASKED = 24  # members of a family, at the most
BESIDE = 2  # the nearest of each
ASKED_TEXTS = 8  # members whose text is looked at, each beside the nearest: a text has ten times as many features
# Features of a payload that tell enough. Among many the nearest by its sample is nearest by luck: more are needed.
TELLING_OF_FEW, TELLING_OF_MANY = 4, 32
# Payloads that resemble each other less are other values in one form, not another version. It is the former in small
# families: of five versions each shares half of its payload with the next. It is the latter in large ones: there each
# invoice finds one of the same date, which is a third of it, and each draft shares nearly all with the draft before.
UNLIKE_OF_FEW, UNLIKE_OF_MANY = 0.25, 0.5
FEW, MANY = 8, 64  # members up to which, and from which on

NOBODY = np.zeros(0, np.uint32)

# Complete signatures of some rows, in their order; None where a text was not kept.
Complete = Callable[[list[int]], Postings | None]


def tell_forms(
    families: Families,
    matches: MatchColumns,
    postings: Postings,
    scheme: Scheme,
    complete: Complete,
    *,
    threads: int,
) -> PayloadScores:
    """The payload score of each match inside a family that is large enough. Families whose members are nearly all
    unlike each other, but for what most have in common, become same-form."""
    large = np.flatnonzero(families.members >= LEAST)
    rows, sizes = large_members(families), families.members[large]
    starts = np.cumsum(sizes) - sizes
    home = np.full(len(postings.moduli), -1, np.int64)
    home[rows] = np.repeat(np.arange(len(large)), sizes)
    place = np.zeros(len(postings.moduli), np.uint32)  # in the family
    place[rows] = np.arange(len(rows)) - np.repeat(starts, sizes)
    inside = np.flatnonzero((home[matches.a] >= 0) & (home[matches.a] == home[matches.b]))
    order = inside[np.argsort(home[matches.a[inside]], kind="stable")]
    asked = [_asked(size) for size in sizes.tolist()]
    found = Payloads.of(
        # Only samples of a theory are multiples of their modulus: of others every feature counts.
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
    number = np.array([len(one) for one in asked])
    first = np.cumsum(number) - number
    unlike = np.array([unlike_among(size) for size in sizes.tolist()])
    share = np.add.reduceat(found.best < np.repeat(unlike, number), first, dtype=np.int64) / number
    telling = np.where(sizes < MANY, TELLING_OF_FEW, TELLING_OF_MANY)
    sampled = np.maximum.reduceat(postings.moduli[rows], starts) > 1
    left_out = sampled | _cut(postings, rows, starts, scheme)
    for one in np.flatnonzero((found.medians < telling) & sampled).tolist():
        own, those = rows[starts[one] : starts[one] + sizes[one]], slice(first[one], first[one] + number[one])
        best = _by_texts(own[asked[one]], own[found.nearest[those, 0]], complete, found.best[those])
        share[one] = np.mean(best < unlike[one])
    versions = (sizes < MANY) & (found.partly > PARTLY)  # among many several have the same by chance
    families.forms[large] = ~versions & (share >= NEARLY_ALL)
    payload = PayloadScores.none(len(matches))
    estimated = left_out[home[matches.a[order]]]
    known = ~estimated | (found.united > 0)  # of no feature at all a sample says nothing
    payload.scores[order[known]] = found.scores[known]
    theory = scheme.sampled and not scheme.limit
    counted = np.where(estimated, found.united.astype(np.float64) if theory else UNKNOWN, COMPLETE)
    payload.samples[order[known]] = counted[known]
    return payload


def _cut(postings: Postings, rows: NDArray[np.int64], starts: NDArray[np.int64], scheme: Scheme) -> NDArray[np.bool_]:
    """By family, under schemes of so many features: whether some were left out, as the text has more."""
    if not scheme.limit:
        return np.zeros(len(starts), np.bool_)
    if scheme.estimator is not Estimator.SMALLEST:
        return np.ones(len(starts), np.bool_)
    most = np.maximum.reduceat(postings.offsets[rows + 1] - postings.offsets[rows], starts)
    return most >= np.uint64(scheme.limit)


def large_members(families: Families) -> NDArray[np.int64]:
    """Rows of the families that are large enough, one after another."""
    return families.rows[np.repeat(families.members >= LEAST, families.sizes) & ~families.is_part]


@dataclass(frozen=True)
class Payloads:
    """How alike families are without what most of their members have."""

    scores: NDArray[np.float64]  # of pairs
    united: NDArray[np.uint64]  # features that the two payloads have together
    nearest: NDArray[np.uint32]  # of those asked, by their place in the family
    best: NDArray[np.float64]  # of each of these the most its payload resembles one of those
    medians: NDArray[np.float64]  # by family: features of these payloads
    partly: NDArray[np.float64]  # by family: of what not nearly all have, the share that several have

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
        """Of families end to end, of these sizes; pairs likewise, so many of each, by their places in it."""
        scores, united, nearest, best, medians, partly = _native.payloads(
            postings.offsets,
            postings.features,
            postings.moduli,
            rows.astype(np.uint32),
            np.cumsum(sizes, dtype=np.uint64),
            *pairs,
            np.cumsum(pairs_of, dtype=np.uint64),
            np.concatenate([NOBODY, *asked]),
            np.cumsum([len(one) for one in asked], dtype=np.uint64),
            most=MOST,
            nearly_all=BUT_FOR_FEW,
            beside=BESIDE,
            threads=threads,
        )
        return cls(scores, united, nearest.reshape(-1, BESIDE), best, medians, partly)


@lru_cache(maxsize=1024)
def _asked(members: int) -> NDArray[np.uint32]:
    """Some of so many. Rows are in the order of digests: as good as dice."""
    return np.linspace(0, members - 1, min(members, ASKED)).astype(np.uint32)


def _by_texts(
    asked: NDArray[np.int64], nearest: NDArray[np.int64], complete: Complete, best: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same of some of those asked, each beside the nearest; as it was where there are no texts."""
    few = slice(None, None, math.ceil(len(asked) / ASKED_TEXTS))
    some = np.array(sorted({*asked[few].tolist(), *nearest[few].tolist()}))  # np.unique imports numpy.ma, for 12 ms
    whole = complete(some.tolist())
    if whole is None:
        return best
    a, b = (np.searchsorted(some, side[few]).astype(np.uint32) for side in (asked, nearest))
    one = np.array([len(some)], np.int64)
    found = Payloads.of(
        whole, np.arange(len(some)), one, pairs=(a, b), pairs_of=np.array([len(a)]), asked=[NOBODY], threads=1
    )
    return found.scores


def forms_in(label: Rows, filled_in: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """By label, for families that were grouped again: which are forms. A person sees one kind in every view, so these
    are the ones whose members nearly all come from families that were told to be (`filled_in`, by row)."""
    members = np.bincount(label, minlength=len(label))
    forms = np.bincount(label[filled_in], minlength=len(label))
    return (members >= LEAST) & (forms / np.maximum(members, 1) >= NEARLY_ALL)


def name_forms(families: Iterable[ContentFamily], filled_in: NDArray[np.bool_]) -> None:
    """The same for families that are told one by one."""
    for family in families:
        if len(family.members) >= LEAST and np.mean(filled_in[family.members]) >= NEARLY_ALL:
            family.kind = Kind.SAME_FORM


def unlike_among(members: int) -> float:
    """Below which resemblance payloads are unlike, in a family of so many."""
    grown = math.log(max(members, FEW) / FEW) / math.log(MANY / FEW)
    return UNLIKE_OF_FEW + (UNLIKE_OF_MANY - UNLIKE_OF_FEW) * min(grown, 1.0)
