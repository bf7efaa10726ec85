"""Form or version? What is left of a family's documents without what they all have in common.

Five hundred invoices and five hundred drafts of one report share as much. Their payload tells them apart: without the
features that most of the family has, a draft still has much in common with the draft before, while two invoices are
unlike. "Most" is relative to the family: a form is one in a store of three thousand documents as in one of millions.

Some members are asked, each beside those that its signature has most in common with, whichever pairs were listed. Their
payloads are compared on the signatures; where these have too few features to tell, on the texts.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Rows
from nearkin.group.family import ContentFamily
from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns
from nearkin.matching.template import among
from nearkin.model import Kind

LEAST = 5  # members; of fewer nobody can say what most have
MOST = 0.5  # of a family's members have what is common to it
NEARLY_ALL = 0.8  # of those asked must be unlike all they are put beside
ASKED = 24  # members of a family, at the most
BESIDE = 2  # the nearest of each
ASKED_TEXTS = 8  # members whose text is looked at, each beside the nearest: a text has ten times as many features
# Features of a payload that tell enough. Among many the nearest by its sample is nearest by luck: more are needed.
TELLING_OF_FEW, TELLING_OF_MANY = 4, 32
AT_ONCE = 1 << 20  # pairs whose signatures are compared in one go
# Payloads that resemble each other less are other values in one form, not another version. It is the former in small
# families: of five versions each shares half of its payload with the next. It is the latter in large ones: there each
# invoice finds one of the same date, which is a third of it, and each draft shares nearly all with the draft before.
UNLIKE_OF_FEW, UNLIKE_OF_MANY = 0.25, 0.5
FEW, MANY = 8, 64  # members up to which, and from which on

# Complete signatures of some rows, in their order; None where a text was not kept.
Complete = Callable[[list[int]], Postings | None]


@dataclass(frozen=True)
class Payloads:
    """Row i of a family is rows[i]; its payload is the features from offsets[i] to offsets[i + 1]."""

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    features: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: list[int], postings: Postings) -> "Payloads":
        lists = _lists(rows, postings)
        whole = np.concatenate(lists)
        owner = np.repeat(np.arange(len(rows)), [len(one) for one in lists])
        left = ~among(whole, _repeated(whole, math.ceil(MOST * len(rows))))
        sizes = np.bincount(owner[left], minlength=len(rows))
        return cls(np.array(rows, np.int64), np.concatenate([[0], np.cumsum(sizes)]), whole[left])

    def resemblances(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> NDArray[np.float64]:
        """Of the payloads of its a-th and b-th rows; of two that have none, 1: nothing sets them apart."""
        sizes = np.diff(self.offsets)
        lists = self.offsets.astype(np.uint64), self.features
        shared = _native.shared(*lists, a.astype(np.uint32), b.astype(np.uint32), threads=1)
        united = sizes[a] + sizes[b] - shared.astype(np.int64)
        scores: NDArray[np.float64] = np.where(united > 0, shared / np.maximum(united, 1), 1.0)
        return scores


def tell_forms(
    families: Iterable[ContentFamily], matches: MatchColumns, postings: Postings, complete: Complete
) -> NDArray[np.float64]:
    """The payload score of each match inside a family that is large enough, NaN for the others. Families whose members
    are nearly all unlike each other, but for what most have in common, become same-form."""
    scores = np.full(len(matches), np.nan)
    home = np.full(len(postings.moduli), -1, np.int64)
    large = [family for family in families if len(family.members) >= LEAST]
    for number, family in enumerate(large):
        home[family.members] = number
    inside = np.flatnonzero((home[matches.a] >= 0) & (home[matches.a] == home[matches.b]))
    order = inside[np.argsort(home[matches.a[inside]], kind="stable")]
    bounds = np.searchsorted(home[matches.a[order]], np.arange(len(large) + 1))
    for number, family in enumerate(large):
        links = order[bounds[number] : bounds[number + 1]]
        payloads = Payloads.of(sorted(family.members), postings)
        first, second = (np.searchsorted(payloads.rows, side[links]) for side in (matches.a, matches.b))
        scores[links] = payloads.resemblances(first, second)
        if _is_form(payloads, postings, complete):
            family.kind = Kind.SAME_FORM
    return scores


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


def _is_form(payloads: Payloads, postings: Postings, complete: Complete) -> bool:
    members = len(payloads.rows)
    # Rows are in the order of digests: as good as dice.
    asked = np.unique(np.linspace(0, members - 1, min(members, ASKED)).astype(np.intp))
    beside = _nearest(payloads.rows, asked, postings)
    first, second = np.repeat(asked, beside.shape[1]), beside.ravel()
    scores = payloads.resemblances(first, second)
    sampled = postings.moduli[payloads.rows].max() > 1
    best = scores.reshape(beside.shape).max(axis=1)
    telling = TELLING_OF_FEW if members < MANY else TELLING_OF_MANY
    if sampled and np.median(np.diff(payloads.offsets)[asked]) < telling:
        few = slice(None, None, math.ceil(len(asked) / ASKED_TEXTS))
        first, second = asked[few], beside[few, 0]
        some = np.unique(np.concatenate([first, second]))
        whole = complete(payloads.rows[some].tolist())
        if whole is not None:
            at = (np.searchsorted(some, side) for side in (first, second))
            best = Payloads.of(list(range(len(some))), whole).resemblances(*at)
    return bool(np.mean(best < unlike_among(members)) >= NEARLY_ALL)


def _nearest(rows: NDArray[np.int64], asked: NDArray[np.intp], postings: Postings) -> NDArray[np.intp]:
    """Of each of those asked, which others of the rows have most in common with it; by position."""
    lists = _lists(rows.tolist(), postings)
    sizes = np.array([len(one) for one in lists])
    offsets, features = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64), np.concatenate(lists)
    found = []
    for some in np.array_split(asked, 1 + len(asked) * len(rows) // AT_ONCE):
        first, second = np.repeat(some, len(rows)), np.tile(np.arange(len(rows)), len(some))
        shared = _native.shared(offsets, features, first.astype(np.uint32), second.astype(np.uint32), threads=1)
        alike = shared / np.maximum(sizes[first] + sizes[second] - shared.astype(np.int64), 1)
        alike[first == second] = -1.0
        found.append(np.argsort(-alike.reshape(len(some), len(rows)), axis=1, kind="stable")[:, :BESIDE])
    return np.concatenate(found)


def _lists(rows: list[int], postings: Postings) -> list[NDArray[np.uint64]]:
    """Samples of unequal modulus are compared at the largest (Broder 1997 §3)."""
    modulus = postings.moduli[rows].max()
    starts, ends = postings.offsets[rows].astype(np.int64), postings.offsets[np.add(rows, 1)].astype(np.int64)
    lists = [postings.features[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    return [one[one % modulus == 0] for one in lists] if modulus > 1 else lists


def _repeated(features: NDArray[np.uint64], least: int) -> NDArray[np.uint64]:
    """Ascending, those that occur at least so often."""
    ordered = np.sort(features)
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[starts[np.diff(np.append(starts, len(ordered))) >= least]]
