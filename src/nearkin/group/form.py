"""Form or version? What is left of a family's documents without what they all have in common.

Five hundred invoices and five hundred drafts of one report share as much. Their payload tells them apart: without the
features that most of the family has, a draft still has much in common with the draft before, while two invoices are
unlike. "Most" is relative to the family: a form is one in a store of three thousand documents as in one of millions.
Payloads are compared on the signatures: exactly where these have all shingles, else on their samples.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.group.evidence import Links, Rows
from nearkin.group.family import ContentFamily
from nearkin.matching.candidates import Postings
from nearkin.matching.columns import MatchColumns
from nearkin.model import Kind

LEAST = 5  # members; of fewer nobody can say what most have
MOST = 0.5  # of a family's members have what is common to it
UNLIKE = 0.25  # payloads that resemble each other less are other values in one form, not another version
NEARLY_ALL = 0.8  # of the members must be unlike all they match


@dataclass(frozen=True)
class Payloads:
    """Row i of a family is rows[i]; its payload is the features from offsets[i] to offsets[i + 1]."""

    rows: NDArray[np.int64]
    offsets: NDArray[np.int64]
    features: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: list[int], postings: Postings) -> "Payloads":
        """Samples of unequal modulus are compared at the largest (Broder 1997 §3)."""
        modulus = postings.moduli[rows].max()
        starts, ends = postings.offsets[rows].astype(np.int64), postings.offsets[np.add(rows, 1)].astype(np.int64)
        lists = [postings.features[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        if modulus > 1:
            lists = [one[one % modulus == 0] for one in lists]
        whole = np.concatenate(lists)
        owner = np.repeat(np.arange(len(rows)), [len(one) for one in lists])
        _, at, counts = np.unique(whole, return_inverse=True, return_counts=True)
        left = counts[at] < MOST * len(rows)
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


def tell_forms(families: Iterable[ContentFamily], matches: MatchColumns, postings: Postings) -> NDArray[np.float64]:
    """The payload score of each match inside a family that is large enough, NaN for the others. Families whose members
    are nearly all unlike those they match, but for what most have in common, become same-form."""
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
        scores[links] = _tell(family, matches.a[links], matches.b[links], postings)
    return scores


def forms_in(label: Rows, compared: Links) -> NDArray[np.bool_]:
    """By label, for families that were grouped again: which are forms, by the payload scores that a run has stored.

    They are of what most had in common in the run's own families. A member none of whose payloads was compared may be
    a version of anything, so it is not counted as unlike.
    """
    inside = compared[label[compared.a] == label[compared.b]]
    best = np.full(len(label), -1.0)
    np.maximum.at(best, inside.a, inside.payload)
    np.maximum.at(best, inside.b, inside.payload)
    unlike = np.bincount(label[(best >= 0.0) & (best < UNLIKE)], minlength=len(label))
    members = np.bincount(label, minlength=len(label))
    return (members >= LEAST) & (unlike / np.maximum(members, 1) >= NEARLY_ALL)


def _tell(
    family: ContentFamily, a: NDArray[np.uint32], b: NDArray[np.uint32], postings: Postings
) -> NDArray[np.float64]:
    payloads = Payloads.of(sorted(family.members), postings)
    first, second = np.searchsorted(payloads.rows, a), np.searchsorted(payloads.rows, b)
    scores = payloads.resemblances(first, second)
    best = np.zeros(len(payloads.rows))
    np.maximum.at(best, first, scores)
    np.maximum.at(best, second, scores)
    if np.mean(best < UNLIKE) >= NEARLY_ALL:
        family.kind = Kind.SAME_FORM
    return scores
