"""The forecast of a scan: projections from a rehearsal to the whole, and the settings that suit.

Time, disk and memory grow with the documents. A pair is in a sample of share f with probability f², so m matches there
stand for m / f² in all. Pairs that stars list (see the rehearsal) grow with the documents: m of them stand for m / f.

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

STARS = 1 / 3  # error of the number of pairs that stars list

# Measured: what every scan holds, and what a file's entry, a content, and a feature through join and grouping add.
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
class Projection:
    """A number with the interval that it lies in."""

    value: float
    low: float
    high: float
    exact: bool = False

    @classmethod
    def counted(cls, value: float) -> "Projection":
        return cls(value, value, value, exact=True)

    @classmethod
    def within(cls, value: float, error: float) -> "Projection":
        """A value that may be off by this share of itself, either way."""
        return cls(value, value / (1 + error), value * (1 + error))


@dataclass(frozen=True)
class Advice:
    """A setting that suits the documents, and why."""

    option: str
    value: str
    why: str


@dataclass(frozen=True)
class Forecast:
    """What a scan is expected to take and find."""

    documents: Projection
    bytes: Projection
    seconds: Projection
    memory: Projection
    disk: Projection
    matches: Projection
    hot_features: Projection
    hot_over: int  # a feature in the prefixes of more contents is hot
    sampled: int  # documents of the sample
    choices: tuple[Advice, ...]


def forecast(survey: Survey, sample: Rehearsal, settings: Settings) -> Forecast:
    """Project the sample's numbers to everything the survey counted."""
    share = sample.documents / max(1, survey.documents - len(survey.tables)) if sample.documents else 1.0
    scale = 1.0 / share
    spread = _spread(sample)
    size = Projection.counted(survey.bytes) if survey.measured else Projection.within(survey.bytes, 0.2)
    counted = _documents(survey, sample, scale, spread)
    features = sample.features * scale
    contents = sample.contents * scale
    seconds = START_SECONDS + scale * (sample.seconds_reading + sample.seconds_matching)
    seconds += sample.seconds_unpacking / max(sample.region, 1e-12) + sample.seconds_starting
    cache = min(settings.run.memory // 8, int(sample.lengths.sum() * scale)) if settings.text.keep else 0
    bounded = not fits(int(features), settings.run.memory // JOIN_SHARE)
    join = settings.run.memory // JOIN_SHARE if bounded else FEATURE_BYTES * features
    memory = BASE_BYTES + FILE_BYTES * len(survey.files) + CONTENT_BYTES * contents + join + cache
    disk = Projection.within(sample.store_bytes * scale + SEGMENT_BYTES * features, 0.1 + spread)
    matches = _matches(sample, share)
    # The time and room of the sample's own matches are counted already.
    more, fewest, most = (
        max(0.0, number - scale * sample.pairs.pairs) for number in (matches.value, matches.low, matches.high)
    )
    seconds += MATCH_SECONDS * more
    return Forecast(
        documents=counted,
        bytes=size,
        seconds=Projection.within(seconds, 0.5 + spread),
        memory=Projection.within(memory, 0.3 + spread),
        disk=Projection(
            disk.value + MATCH_BYTES * more, disk.low + MATCH_BYTES * fewest, disk.high + MATCH_BYTES * most
        ),
        matches=matches,
        hot_features=_hot(sample),
        hot_over=settings.match.hot_among(round(contents)),
        sampled=sample.documents,
        choices=_choices(survey, sample, settings, spilled=SPILL_BYTES * features if bounded else 0.0),
    )


def _documents(survey: Survey, sample: Rehearsal, scale: float, spread: float) -> Projection:
    """Project the documents. Files and rows are counted; members of mails and archives only where all were read."""
    value = survey.documents + sample.members * scale
    if survey.exact and (not sample.members or sample.share >= 1.0):
        return Projection.counted(round(value))
    if not survey.exact:
        return Projection.within(value, 0.2)
    error = spread + 1 / sqrt(abs(sample.members))
    inside = Projection.within(sample.members * scale, error)
    return Projection(
        value, survey.documents + min(inside.low, inside.high), survey.documents + max(inside.low, inside.high)
    )


def _spread(sample: Rehearsal) -> float:
    """Return twice the standard error of the mean size, as a share of it; 0 where everything was sampled."""
    if sample.share >= 1.0 or sample.documents < 2 or not sample.sizes.mean():
        return 0.0
    return float(2.0 * sample.sizes.std() / sample.sizes.mean() / sqrt(sample.documents))


def _matches(sample: Rehearsal, share: float) -> Projection:
    """Project the matches. Where only a region of the tables was sampled, matches may lie within regions (neighbours
    are alike) or between any two: the first gives the lower end. The bounds of what is hot widen the interval."""
    pairs = sample.pairs
    if share >= 1.0:
        return Projection.within(pairs.pairs, 0.0)
    low, high = _poisson(pairs.others)
    near, far = share**2 / sample.region, share**2
    stars = Projection.within(pairs.starred / share, STARS)
    whole = [bound.scaled(share) / max(1.0, sample.bounds[0].scaled(share)) for bound in sample.bounds] or [1.0]
    return Projection(
        pairs.others / sqrt(near * far) + stars.value,
        (low / near + stars.low) * min(1.0, *whole),
        (high / far + stars.high) * max(1.0, *whole),
    )


def _hot(sample: Rehearsal) -> Projection:
    features = [sample.pairs.features, *(bound.features for bound in sample.bounds)]
    return Projection(sample.pairs.features, min(features), max(features))


def _poisson(count: int) -> tuple[float, float]:
    """Return an interval of about 95 %: √ of a Poisson number is nearly normal with standard deviation 1/2."""
    return max(0.0, sqrt(count) - 1.0) ** 2, (sqrt(count + 1.0) + 1.0) ** 2


def _choices(survey: Survey, sample: Rehearsal, settings: Settings, *, spilled: float) -> tuple[Advice, ...]:
    """Advise on window, sampling and memory. `spilled`: bytes of temporary files of the join; 0 where it fits."""
    length = max(1, int(sample.lengths.mean())) if len(sample.lengths) else 1
    rule = Plan(length=length)
    n, entries = rule.rule_modulus or 0, rule.rule_entries or 0
    average = f"documents have {length:,} bytes of text on average"
    chosen = [
        Advice("window", "20", "unlike documents share little, edits leave most shingles alone (Cherkasova 2009 §4.1)"),
        Advice("n", str(n), f"{average}: about {entries:,} features each (Cherkasova 2009 §5)"),
    ]
    kept = sample.features / max(1, sample.contents)
    fitting = "its join needs temporary files" if spilled else "its join fits into --memory"
    chosen.append(Advice("--scheme", settings.scheme, f"keeps {kept:,.0f} features of a document; {fitting}"))
    if spilled:
        why = f"about {spilled / 1e9:,.1f} GB of temporary files beside the store; with more memory there are none"
        chosen.append(Advice("--memory", "larger, if there is", why))
    if survey.left_out:
        chosen.append(Advice("--max-size", "larger", f"{survey.left_out:,} files would be left unread"))
    return tuple(chosen)
