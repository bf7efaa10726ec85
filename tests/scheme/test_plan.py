"""Sample sizes against sums of integers; and what they mean as specs."""

from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from nearkin import _native
from nearkin.errors import UsageError
from nearkin.scheme import parse_scheme, sign
from nearkin.scheme.plan import Plan, plan_sample
from oracle import plan as oracle
from oracle.prose import prose


@given(st.integers(1, 60), st.integers(1, 99), st.integers(0, 62), st.integers(0, 62))
def test_tails_are_sums_of_their_terms(n: int, percent: int, least: int, most: int) -> None:
    if least > most + 1:
        least, most = most, least
    found = _native.binomial_outside(n, percent / 100, least=least, most=most)
    assert found == pytest.approx(float(oracle.outside(n, Fraction(percent, 100), least, most)), rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("n", [1000, 100_000, 4_000_000])
@pytest.mark.parametrize("p", [0.001, 0.3, 0.5, 0.7, 0.999])
@pytest.mark.parametrize("away", [0.5, 2.6, 6.0])
def test_tails_of_large_samples(n: int, p: float, away: float) -> None:
    spread = away * (n * p * (1 - p)) ** 0.5
    least, most = max(0, int(n * p - spread)), int(n * p + spread)
    expected = binom.cdf(least - 1, n, p) + binom.sf(most, n, p)
    assert _native.binomial_outside(n, p, least=least, most=most) == pytest.approx(expected, rel=1e-6)


@settings(max_examples=40, deadline=None)
@example(error=30, percent=20, confidence="0.8")  # just as probable as it must be
@given(st.integers(8, 60), st.integers(1, 99), st.sampled_from(["0.5", "0.8", "0.9", "0.95", "0.99"]))
def test_the_sample_is_the_smallest_from_which_on_all_will_do(error: int, percent: int, confidence: str) -> None:
    expected = oracle.sample(Fraction(error, 100), Fraction(percent, 100), Fraction(confidence))
    found = plan_sample(error=error / 100, resemblance=percent / 100, confidence=float(confidence))
    assert found == expected


def test_a_smaller_sample_may_do_by_luck() -> None:
    """Why it is the smallest from which on: 20 samples are enough where 21 are not."""
    r, error = Fraction(7, 10), Fraction(1, 20)
    assert oracle.inside(20, r, error) > Fraction(1, 2) > oracle.inside(21, r, error)
    assert plan_sample(error=0.05, resemblance=0.7, confidence=0.5) > 21


def test_what_the_paper_says_of_100_and_200_samples() -> None:
    """§4.2: "100 samples seems reasonable and 200 seems more than enough"."""
    assert plan_sample(error=0.1, resemblance=0.7, confidence=0.95) <= 100
    assert plan_sample(error=0.1, resemblance=0.7, confidence=0.99) <= 200


def test_worse_where_resemblance_is_near_a_half() -> None:
    sizes = [plan_sample(resemblance=r) for r in (0.5, 0.7, 0.9, 0.99)]
    assert sizes == sorted(sizes, reverse=True)
    assert plan_sample(resemblance=1.0) == plan_sample(resemblance=0.0) == 1


def test_samples_of_millions() -> None:
    size = plan_sample(error=0.001)
    assert abs(size - 2.5758**2 * 0.21 / 0.001**2) < 5000
    assert _misses(size - 1, 0.7, 0.001) > 0.01 >= _misses(size, 0.7, 0.001)


def _misses(s: int, r: float, error: float) -> float:
    least, most = -(-s * round(1000 * (r - error)) // 1000), s * round(1000 * (r + error)) // 1000
    return float(binom.cdf(least - 1, s, r) + binom.sf(most, s, r))


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"error": 0.0}, "error must be between 0.001 and 1, not 0."),
        ({"error": float("nan")}, "error must be between 0.001 and 1, not nan."),
        ({"resemblance": 1.1}, "resemblance must be between 0 and 1, not 1.1."),
        ({"confidence": 1.0}, "confidence must be between 0 and 0.999999, not 1."),
    ],
)
def test_impossible_questions_are_refused(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan_sample(**wrong)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("wrong", [{"window": 0}, {"bits": 65}, {"length": 0}])
def test_impossible_plans_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Plan(**wrong)


@pytest.mark.parametrize("length", [100, 1000, 4000, 20_000, 300_000])
def test_the_specs_keep_as_much_as_was_planned(length: int) -> None:
    plan = Plan(error=0.1, length=length)
    text = prose(3, length)
    everything = len(sign(text, parse_scheme("exact:window=20")))
    assert plan.fixed is not None
    for spec in (plan.adaptive, plan.fixed):
        kept = len(sign(text, parse_scheme(spec)))
        assert kept >= min(everything, 0.7 * plan.sample), spec


def test_cherkasovas_rule_of_thumb() -> None:
    rules = {length: (plan.rule_modulus, plan.rule_entries) for length in (1000, 4000, 20_000, 50_000, 10**6)
             for plan in (Plan(length=length),)}  # fmt: skip
    assert rules == {1000: (100, 10), 4000: (100, 40), 20_000: (200, 100), 50_000: (500, 100), 10**6: (500, 2000)}
    assert Plan().rule is None


def test_false_equalities() -> None:
    """Broder 1997 §4.1, whose experiment had 1,000 shingles of 400 bits in fingerprints of 40."""
    plan = Plan(length=1049, window=50, bits=40, resemblance=1.0)
    assert plan.false_equality == 400 / 2**39
    assert plan.bias == 1000 / 2**29
    assert Plan(bits=64).bias is None
    assert Plan(bits=16, length=10**6).bias == 1.0


@pytest.mark.parametrize("error", [0.001, 0.01, 0.05, 0.3])
@pytest.mark.parametrize("bits", [16, 40, 64])
def test_specs_can_be_used_as_they_are_printed(error: float, bits: int) -> None:
    plan = Plan(error=error, resemblance=0.5, length=50_000, bits=bits)
    for spec in (plan.smallest, plan.slots, plan.adaptive, plan.fixed, plan.rule):
        if spec is not None:
            shingler = parse_scheme(spec).shingler
            assert shingler is not None
            assert (shingler.bits, parse_scheme(spec).spec) == (bits, spec)
    assert (plan.slots is None) == (plan.sample > 4096)
    assert (plan.smallest is None) == (plan.sample > 1 << 20)
