"""From a rehearsal to the whole: what grows with the documents, what with their pairs, and which settings suit.

Time, disk and memory grow with the documents. A pair is in a sample of share f with probability f², so m matches there
stand for m / f² in all. Cherkasova 2009 §4.1: a window of 20 bytes, large enough that unlike documents share little,
small enough that edits leave most shingles alone; §5: S bytes make S/n features, n = 100 for documents of 1 to 4 kB and
500 for 50 kB, so that about 100 are kept. §2.4 there: features in over 1,000 documents are what makes clustering slow.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from nearkin.forecast.rehearsal import Rehearsal
from nearkin.forecast.survey import Survey
from nearkin.matching.bounded import fits
from nearkin.matching.collected import JOIN_SHARE
from nearkin.scheme.plan import Plan
from nearkin.settings import Settings

HOT = 1000  # contents that have a feature
LEAST_SEEN = 3  # in the sample, for a feature to be called hot: two alike are a pair, not a form

# Measured on this nearkin: what any scan holds, a file's place, a content, and a feature through join and grouping.
START_SECONDS = 0.3
BASE_BYTES = 60 << 20
FILE_BYTES = 700
CONTENT_BYTES = 600
FEATURE_BYTES = 80
SPILL_BYTES = 12  # of a feature, at the most at one time, in the temporary files of a join that does not fit
SEGMENT_BYTES = 12  # of a feature, in the files for the check-in question


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float
    exact: bool = False

    @classmethod
    def counted(cls, value: float) -> "Estimate":
        return cls(value, value, value, exact=True)

    @classmethod
    def within(cls, value: float, error: float) -> "Estimate":
        """Off by so much of it, either way."""
        return cls(value, value / (1 + error), value * (1 + error))


@dataclass(frozen=True)
class Choice:
    """A setting it would choose, and why."""

    option: str
    value: str
    why: str


@dataclass(frozen=True)
class Forecast:
    documents: Estimate
    bytes: Estimate
    seconds: Estimate
    memory: Estimate
    disk: Estimate
    matches: Estimate
    hot_features: Estimate
    sampled: int  # documents of the sample
    choices: tuple[Choice, ...]


def forecast(found: Survey, sample: Rehearsal, settings: Settings) -> Forecast:
    share = sample.documents / max(1, found.documents - len(found.tables)) if sample.documents else 1.0
    scale = 1.0 / share
    spread = _spread(sample)
    size = Estimate.counted(found.bytes) if found.exact else Estimate.within(found.bytes, 0.2)
    counted = _documents(found, sample, scale, spread)
    features = len(sample.features) * scale
    contents = sample.contents * scale
    seconds = START_SECONDS + scale * (sample.seconds_reading + sample.seconds_matching)
    seconds += sample.seconds_unpacking / max(sample.region, 1e-12) + sample.seconds_starting
    cache = min(settings.run.memory // 8, int(sample.lengths.sum() * scale)) if settings.text.keep else 0
    bounded = not fits(int(features), settings.run.memory // JOIN_SHARE)
    joined = settings.run.memory // JOIN_SHARE if bounded else FEATURE_BYTES * features
    memory = BASE_BYTES + FILE_BYTES * len(found.files) + CONTENT_BYTES * contents + joined + cache
    disk = sample.store_bytes * scale + SEGMENT_BYTES * features
    return Forecast(
        documents=counted,
        bytes=size,
        seconds=Estimate.within(seconds, 0.5 + spread),
        memory=Estimate.within(memory, 0.3 + spread),
        disk=Estimate.within(disk, 0.1 + spread),
        matches=_matches(sample.matches, share, sample.region),
        hot_features=_hot(sample, share),
        sampled=sample.documents,
        choices=_choices(found, sample, settings, spilled=SPILL_BYTES * features if bounded else 0.0),
    )


def _documents(found: Survey, sample: Rehearsal, scale: float, spread: float) -> Estimate:
    """Files and rows are counted; what lies in mails and archives only where all of them were looked into."""
    value = found.documents + sample.members * scale
    if found.exact and (not sample.members or sample.share >= 1.0):
        return Estimate.counted(round(value))
    if not found.exact:
        return Estimate.within(value, 0.2)
    error = spread + 1 / sqrt(abs(sample.members))
    inside = Estimate.within(sample.members * scale, error)
    return Estimate(
        value, found.documents + min(inside.low, inside.high), found.documents + max(inside.low, inside.high)
    )


def _spread(sample: Rehearsal) -> float:
    """Twice the standard error of the mean size, as a share of it; none where everything was sampled."""
    if sample.share >= 1.0 or sample.documents < 2 or not sample.sizes.mean():
        return 0.0
    return float(2.0 * sample.sizes.std() / sample.sizes.mean() / sqrt(sample.documents))


def _matches(found: int, share: float, region: float) -> Estimate:
    """Where only a region of the tables was sampled, matches may lie within regions (neighbours are alike) or between
    any two: the first gives the lower end."""
    if share >= 1.0:
        return Estimate.within(found, 0.0)
    low, high = _poisson(found)
    near, far = share**2 / region, share**2
    return Estimate(found / sqrt(near * far), low / near, high / far)


def _hot(sample: Rehearsal, share: float) -> Estimate:
    _, counts = np.unique(sample.features, return_counts=True)
    bar = HOT * min(1.0, share)
    if share >= 1.0:
        return Estimate.within(int((counts > bar).sum()), 0.0)
    bounds = np.array([_poisson(int(count)) for count in range(int(counts.max(initial=0)) + 1)])
    seen = counts >= LEAST_SEEN
    return Estimate(
        int((seen & (counts > bar)).sum()),
        int((seen & (bounds[counts, 0] > bar)).sum()) if len(counts) else 0,
        int((seen & (bounds[counts, 1] > bar)).sum()) if len(counts) else 0,
    )


def _poisson(count: int) -> tuple[float, float]:
    """About 95 %: √ of a Poisson number is nearly normal with standard deviation 1/2."""
    return max(0.0, sqrt(count) - 1.0) ** 2, (sqrt(count + 1.0) + 1.0) ** 2


def _choices(found: Survey, sample: Rehearsal, settings: Settings, *, spilled: float) -> tuple[Choice, ...]:
    """`spilled`: bytes of temporary files that the join will need; 0 where it fits into memory."""
    length = max(1, int(sample.lengths.mean())) if len(sample.lengths) else 1
    rule = Plan(length=length)
    n, entries = rule.rule_modulus or 0, rule.rule_entries or 0
    average = f"documents have {length:,} bytes of text on average"
    chosen = [
        Choice("window", "20", "unlike documents share little, edits leave most shingles alone (Cherkasova 2009 §4.1)"),
        Choice("n", str(n), f"{average}: about {entries:,} features each (Cherkasova 2009 §5)"),
    ]
    kept = len(sample.features) / max(1, sample.contents)
    fitting = "its join needs temporary files" if spilled else "its join fits into --memory"
    chosen.append(Choice("--scheme", settings.scheme, f"keeps {kept:,.0f} features of a document; {fitting}"))
    if spilled:
        why = f"about {spilled / 1e9:,.1f} GB of temporary files beside the store; with more memory there are none"
        chosen.append(Choice("--memory", "larger, if there is", why))
    if found.left_out:
        chosen.append(Choice("--max-size", "larger", f"{found.left_out:,} files would be left unread"))
    return tuple(chosen)
