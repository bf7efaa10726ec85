"""From a rehearsal to the whole: what grows with the documents, what with their pairs, and which settings suit.

Time, disk and memory grow with the documents. A pair is in a sample of share f with probability f², so m matches there
stand for m / f² in all, but for those that stars list (nearkin.forecast.hot): for m / f.

Cherkasova 2009 §4.1: a window of 20 bytes, large enough that unlike documents share little, small enough that edits
leave most shingles alone; §5: S bytes make S/n features, n = 100 for documents of 1 to 4 kB and 500 for 50 kB, so that
about 100 are kept. §2.4 there: features in over 1,000 documents are what makes clustering slow.
"""

from dataclasses import dataclass
from math import sqrt

from nearkin.forecast.rehearsal import Rehearsal
from nearkin.forecast.survey import Survey
from nearkin.matching.bounded_join import fits
from nearkin.matching.matcher import JOIN_SHARE
from nearkin.scheme.plan import Plan
from nearkin.settings import Settings

STARS = 1 / 3  # how far what stars list of each content may be off

# Measured on this nearkin: what any scan holds, a file's place, a content, and a feature through join and grouping.
START_SECONDS = 0.3
BASE_BYTES = 60 << 20
FILE_BYTES = 700
CONTENT_BYTES = 600
FEATURE_BYTES = 80
SPILL_BYTES = 12  # of a feature, at the most at one time, in the temporary files of a join that does not fit
SEGMENT_BYTES = 12  # of a feature, in the files for the check-in question
# Of a match, where there are more than grow with the documents: 146 to 165 bytes in two collections of millions.
MATCH_BYTES = 150
MATCH_SECONDS = 10e-6


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
    hot_over: int  # contents with a feature in their prefix, for it to be hot
    sampled: int  # documents of the sample
    choices: tuple[Choice, ...]


def forecast(found: Survey, sample: Rehearsal, settings: Settings) -> Forecast:
    share = sample.documents / max(1, found.documents - len(found.tables)) if sample.documents else 1.0
    scale = 1.0 / share
    spread = _spread(sample)
    size = Estimate.counted(found.bytes) if found.measured else Estimate.within(found.bytes, 0.2)
    counted = _documents(found, sample, scale, spread)
    features = sample.features * scale
    contents = sample.contents * scale
    seconds = START_SECONDS + scale * (sample.seconds_reading + sample.seconds_matching)
    seconds += sample.seconds_unpacking / max(sample.region, 1e-12) + sample.seconds_starting
    cache = min(settings.run.memory // 8, int(sample.lengths.sum() * scale)) if settings.text.keep else 0
    bounded = not fits(int(features), settings.run.memory // JOIN_SHARE)
    joined = settings.run.memory // JOIN_SHARE if bounded else FEATURE_BYTES * features
    memory = BASE_BYTES + FILE_BYTES * len(found.files) + CONTENT_BYTES * contents + joined + cache
    disk = Estimate.within(sample.store_bytes * scale + SEGMENT_BYTES * features, 0.1 + spread)
    matches = _matches(sample, share)
    # Those of the sample have had their time and room.
    more, fewest, most = (
        max(0.0, one - scale * sample.found.pairs) for one in (matches.value, matches.low, matches.high)
    )
    seconds += MATCH_SECONDS * more
    return Forecast(
        documents=counted,
        bytes=size,
        seconds=Estimate.within(seconds, 0.5 + spread),
        memory=Estimate.within(memory, 0.3 + spread),
        disk=Estimate(disk.value + MATCH_BYTES * more, disk.low + MATCH_BYTES * fewest, disk.high + MATCH_BYTES * most),
        matches=matches,
        hot_features=_hot(sample),
        hot_over=settings.match.hot_among(round(contents)),
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


def _matches(sample: Rehearsal, share: float) -> Estimate:
    """Where only a region of the tables was sampled, matches may lie within regions (neighbours are alike) or between
    any two: the first gives the lower end. What is hot may be more or less than it seems."""
    found = sample.found
    if share >= 1.0:
        return Estimate.within(found.pairs, 0.0)
    low, high = _poisson(found.others)
    near, far = share**2 / sample.region, share**2
    stars = Estimate.within(found.starred / share, STARS)
    whole = [joined.scaled(share) / max(1.0, sample.bounds[0].scaled(share)) for joined in sample.bounds] or [1.0]
    return Estimate(
        found.others / sqrt(near * far) + stars.value,
        (low / near + stars.low) * min(1.0, *whole),
        (high / far + stars.high) * max(1.0, *whole),
    )


def _hot(sample: Rehearsal) -> Estimate:
    features = [sample.found.features, *(joined.features for joined in sample.bounds)]
    return Estimate(sample.found.features, min(features), max(features))


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
    kept = sample.features / max(1, sample.contents)
    fitting = "its join needs temporary files" if spilled else "its join fits into --memory"
    chosen.append(Choice("--scheme", settings.scheme, f"keeps {kept:,.0f} features of a document; {fitting}"))
    if spilled:
        why = f"about {spilled / 1e9:,.1f} GB of temporary files beside the store; with more memory there are none"
        chosen.append(Choice("--memory", "larger, if there is", why))
    if found.left_out:
        chosen.append(Choice("--max-size", "larger", f"{found.left_out:,} files would be left unread"))
    return tuple(chosen)
