"""How large a sample must be, and what short fingerprints cost (Broder 1997 §4.2): `nearkin schemes --plan`.

Of s sampled features a binomial number X is common, each with probability r. An estimate X/s is good when it is within
ε of r:

    p(s, r, ε) = Σ C(s, k) r^k (1 − r)^(s−k)    over s(r − ε) ≤ k ≤ s(r + ε)

(the paper prints s(r − ε) for the upper end too, a slip). p is not monotone in s: it falls wherever s(r ± ε) is about
to pass an integer, so a single s that is large enough says little, and samples vary in size. The plan is therefore the
smallest s from which on every sample size is large enough.

Fingerprints of few bits (bits = ℓ) cost accuracy: two shingles may have the same one by chance.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, log

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme.min import MOST_FEATURES
from nearkin.scheme.shingler import ALL_BITS, LEAST_BITS, MOST_WINDOW, Shingler
from nearkin.scheme.sketch import MOST_SLOTS
from nearkin.scheme.spec import format_spec
from nearkin.settings import checked

UNIT_BITS = 64  # a unit that is no byte is fingerprinted as a value of eight bytes


@dataclass(frozen=True)
class Collision:
    """Two bounds on what equal fingerprints of unlike shingles do. Both are small where fingerprints are long; a bound
    over 1 says nothing."""

    error: float  # of the resemblance, with probability 99.9 %: |S(A) ∪ S(B)| / 2^(ℓ - 11)
    chance: float  # that two given shingles have the same fingerprint (Rabin): length in bits / 2^(ℓ - 1)


def collision_of(shingler: Shingler, united: int) -> Collision:
    """The bounds for two texts that have `united` distinct shingles together."""
    length = shingler.window * (8 if shingler.unit == "byte" else UNIT_BITS)
    return Collision(united / 2.0 ** (shingler.bits - 11), length / 2.0 ** (shingler.bits - 1))


FEATURE_BYTES = 8
LEAST_ERROR = 0.001  # it needs samples of millions: use `exact` for less
MOST_CONFIDENCE = 0.999999
SMALLEST_MOD_SAMPLE = 10
SHORT, LONG = 100, 500  # Cherkasova 2009's n, for documents of 1 to 4 kB and of 50 kB


def plan_sample(*, error: float = 0.05, resemblance: float = 0.7, confidence: float = 0.99) -> int:
    """The smallest sample that, like all larger ones, estimates a resemblance within the error at the confidence.

    The same holds for containment, where the sample counts the features of the part.
    """
    _check("error", error, LEAST_ERROR, 1.0)
    _check("resemblance", resemblance, 0.0, 1.0)
    _check("confidence", confidence, 0.0, MOST_CONFIDENCE)
    if resemblance in (0.0, 1.0):
        return 1  # every feature gives the same answer
    question = _Question(Fraction(str(float(error))), Fraction(str(float(resemblance))), resemblance)
    # A miss just as probable as allowed is allowed: the last digits of floats must not decide.
    allowed = float(1 - Fraction(str(float(confidence)))) * (1.0 + 1e-12)
    # Hoeffding 1963: from this size on every sample is large enough, whatever the resemblance.
    enough = max(1, ceil(log(2.0 / allowed) / (2.0 * error * error)))
    # The answer follows the largest sample that fails. Halves without a failing one are left out at once, the upper
    # half first: a few thousand sizes around the answer are tried, even where it is in the millions.
    halves = [(1, enough)]
    while halves:
        low, high = halves.pop()
        if question.misses(low, high) <= allowed:
            continue
        if low == high:
            return low + 1
        middle = (low + high) // 2
        halves += [(low, middle), (middle + 1, high)]
    return 1


@dataclass(frozen=True)
class _Question:
    """How probable it is that a sample misses the resemblance by more than the error."""

    error: Fraction  # of the decimals that were given, so that s(r + ε) is an integer where it should be one
    resemblance: Fraction
    probability: float

    def misses(self, low: int, high: int) -> float:
        """An upper bound of the probability of a miss with any sample of `low` to `high` features; exact for one size.

        X grows with the sample, and so do the two ends: too many are most probable with the largest sample against
        the lowest upper end, too few with the smallest against the highest lower end.
        """
        most = floor(low * (self.resemblance + self.error))
        least = max(0, ceil(high * (self.resemblance - self.error)))
        if low == high:
            return _native.binomial_outside(low, self.probability, least=least, most=most)
        too_many = _native.binomial_outside(high, self.probability, least=0, most=most)
        too_few = _native.binomial_outside(low, self.probability, least=least, most=low)
        return too_many + too_few


@dataclass(frozen=True)
class Plan:
    """A sample size, the specs that keep so many features, and the error that fingerprints may add."""

    error: float = 0.05
    resemblance: float = 0.7
    confidence: float = 0.99
    length: int | None = None  # bytes of canonical text of a document, where it is known
    window: int = 20
    bits: int = 64

    def __post_init__(self) -> None:
        _check("window", self.window, 1, MOST_WINDOW)
        _check("bits", self.bits, LEAST_BITS, ALL_BITS)
        if self.length is not None:
            _check("bytes", self.length, 1, 1 << 50)

    @cached_property
    def sample(self) -> int:
        return plan_sample(error=self.error, resemblance=self.resemblance, confidence=self.confidence)

    @property
    def signature_bytes(self) -> int:
        return FEATURE_BYTES * self.sample

    @property
    def shingles(self) -> int | None:
        return None if self.length is None else max(0, self.length - self.window + 1)

    @property
    def smallest(self) -> str | None:
        """The spec of the s smallest: a sample of exactly that size, where both documents have so many shingles.

        None where it is more than the scheme can keep.
        """
        return None if self.sample > MOST_FEATURES else self._spec("min", n=self.sample)

    @property
    def slots(self) -> str | None:
        return None if self.sample > MOST_SLOTS else self._spec("sketch", n=self.sample)

    @property
    def adaptive(self) -> str:
        """The spec of an adaptive modulus. Moduli are powers of two: of `sample` features at least half are kept."""
        return self._spec("mod", sample=max(2 * self.sample, SMALLEST_MOD_SAMPLE), most=64)

    @property
    def modulus(self) -> int | None:
        """The modulus at which a document of this length keeps so many features; the union of two has no fewer."""
        return None if self.shingles is None else max(1, self.shingles // self.sample)

    @property
    def fixed(self) -> str | None:
        return None if self.modulus is None else self._spec("mod", n=self.modulus)

    @property
    def rule_modulus(self) -> int | None:
        """The rule of thumb of Cherkasova 2009: S/n entries, n = 100 for documents of 1 to 4 kB and 500 for 50 kB;
        between them 100 entries are kept."""
        return None if self.length is None else min(LONG, max(SHORT, self.length // 100))

    @property
    def rule(self) -> str | None:
        return None if self.rule_modulus is None else self._spec("mod", n=self.rule_modulus)

    @property
    def rule_entries(self) -> int | None:
        return None if self.length is None or self.rule_modulus is None else self.length // self.rule_modulus

    @property
    def false_equality(self) -> float:
        """Rabin's bound that two given shingles which differ have one fingerprint (Broder 1997 §4.1)."""
        return min(1.0, collision_of(self._shingler, 0).chance)

    @property
    def bias(self) -> float | None:
        """What all false equalities together may add to a resemblance, with probability under 0.1 % more (§4.1)."""
        if self.shingles is None:
            return None
        union = round(2.0 * self.shingles / (1.0 + self.resemblance))
        return min(1.0, collision_of(self._shingler, union).error)

    def _spec(self, name: str, **keys: int) -> str:
        return format_spec(name, window=self.window, **keys, **self._shingler.shared_keys)

    @property
    def _shingler(self) -> Shingler:
        return Shingler(self.window, bits=self.bits)


def _check(name: str, value: float, least: float, most: float) -> None:
    if not least <= checked(name, value, float) <= most:
        raise UsageError(f"--{name} must be between {least:g} and {most:g}, not {value:g}.")
