"""Hot features of a sample: what so many have in common there that it would be hot in the whole.

A feature is hot by how many prefixes have it (docs/decisions/019); in a sample of share f those are f times as many, so
the bar is f times as high. Then the sample makes stars where the whole will, and what they list grows with the
documents, not with their pairs. How many of the whole a few of a sample stand for is uncertain: the join is done at the
ends of the interval too, where less and where more is hot.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.candidates import Hot, Postings, find_candidates
from nearkin.scheme import Estimator, Scheme
from nearkin.settings import MatchSettings

Rows = NDArray[np.uint32]

LEAST_SEEN = 3  # in the sample, for a feature to be called hot: two alike are a pair, not a form


@dataclass(frozen=True)
class Joined:
    """Pairs that reach a threshold, or may: those that stars list, and the others."""

    features: int
    starred: int
    others: int

    @classmethod
    def of(cls, a: Rows, b: Rows, hot: Hot) -> "Joined":
        starred = int((np.isin(a, hot.contents) & np.isin(b, hot.contents)).sum())
        return cls(hot.features, starred, len(a) - starred)

    @property
    def pairs(self) -> int:
        return self.starred + self.others

    def scaled(self, share: float) -> float:
        return self.starred / share + self.others / share**2


@dataclass(frozen=True)
class Bars:
    """In how many prefixes of a sample a feature may be, before it is hot."""

    likely: int
    least: int
    most: int

    @classmethod
    def of(cls, settings: MatchSettings, share: float) -> "Bars":
        """√ of a Poisson number is nearly normal with standard deviation 1/2: about 95 %."""
        bar = settings.hot * share
        least, most = max(0.0, sqrt(bar) - 1.0) ** 2 - 1.0, (sqrt(bar) + 1.0) ** 2
        return cls(*(max(LEAST_SEEN - 1, int(one)) for one in (bar, least, most)))


def in_sample(settings: MatchSettings, share: float, contents: int) -> tuple[MatchSettings, Bars | None]:
    """The limits for a sample of this share; None: it is the whole, and nothing is uncertain."""
    if share >= 1.0:
        return settings, None
    whole = settings if settings.hot >= 1 else replace(settings, hot=settings.hot_among(round(contents / share)))
    bars = Bars.of(whole, share)
    return replace(settings, hot=bars.likely), bars


def join_at(postings: Postings, scheme: Scheme, settings: MatchSettings, bars: Bars, threads: int) -> list[Joined]:
    """At each of the bars, by the signatures alone."""
    if scheme.estimator in (Estimator.RANGE, Estimator.COLLISION):
        return []  # they know no hot features
    joined = []
    for bar in (bars.likely, bars.least, bars.most):
        found = find_candidates(postings, scheme, replace(settings, hot=bar), threads=threads)
        joined.append(Joined.of(found.a[found.strong], found.b[found.strong], found.hot))
    return joined
