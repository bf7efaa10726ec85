"""Estimators are unbiased and intervals hold as often as they say (Broder 1997, Theorem 1 and §4.2).

Two texts of known resemblance are made once; every seed is another permutation of their shingles, so every seed is
an independent estimate. Seeds are fixed: what passes once passes always.
"""

import random

import numpy as np
import pytest
from scipy.stats import binom

from nearkin.scheme import parse_scheme, sign
from oracle.prose import prose
from oracle.shingles import resemblance

SPECS = [
    "mod:window=20,n=16",
    "mod:window=20,sample=100,most=64",
    "min:window=20,n=50",
    "min:window=20,n=50,mod=4",
    "mod:window=4,n=3,unit=word",
    "min:window=4,n=50,unit=word,label=yes",
    "min:window=20,n=50,bits=40",
]


def pair(size: int, cut: int) -> tuple[bytes, bytes]:
    text = prose(size, size)
    return text, text[:cut] + prose(size + 1, size - cut)


def trial(spec: str, *, trials: int, size: int = 2000) -> None:
    exact = parse_scheme(_all_of(spec))
    for at, share in enumerate((0.1, 0.5, 0.9)):
        a, b = pair(size + at, int(share * size))
        truth = sign(a, exact).resemblance(sign(b, exact))
        assert truth is not None
        assert truth.exact
        if "unit" not in spec:
            assert truth.value == resemblance(a, b, 20)
        errors, held, wide = [], 0, 0.0
        for seed in range(1, trials + 1):
            scheme = parse_scheme(f"{spec},seed={seed}")
            found = sign(a, scheme).resemblance(sign(b, scheme))
            assert found is not None
            assert not found.exact
            assert found.low is not None
            assert found.high is not None
            errors.append(found.value - truth.value)
            held += found.low <= truth.value <= found.high
            wide += found.high - found.low
        spread = float(np.std(errors))
        assert spread > 0.005, "estimates that never stray are not estimates"
        # Five standard errors of the mean: once in two million for an unbiased estimator.
        assert abs(float(np.mean(errors))) < 5 * spread / trials**0.5
        assert held >= binom.ppf(1e-6, trials, 0.99)
        assert wide / trials < 0.6, "an interval that says nothing always holds"


@pytest.mark.parametrize("spec", [spec for spec in SPECS if parse_scheme(spec).contains])
def test_containment_is_unbiased_and_its_intervals_hold(spec: str) -> None:
    trials = 400
    exact = parse_scheme(_all_of(spec))
    whole = prose(1, 3000)
    part = whole[500:1500] + prose(2, 400)
    for a, b in ((part, whole), (whole, part)):
        truth = sign(a, exact).containment(sign(b, exact))
        assert truth is not None
        errors, held = [], 0
        for seed in range(1, trials + 1):
            scheme = parse_scheme(f"{spec},seed={seed}")
            found = sign(a, scheme).containment(sign(b, scheme))
            assert found is not None
            assert found.low is not None
            assert found.high is not None
            errors.append(found.value - truth.value)
            held += found.low <= truth.value <= found.high
        assert abs(float(np.mean(errors))) < 5 * float(np.std(errors)) / trials**0.5
        assert held >= binom.ppf(1e-6, trials, 0.99)


def _all_of(spec: str) -> str:
    """The scheme that leaves nothing out of the same shingles."""
    _, _, keys = spec.partition(":")
    kept = [key for key in keys.split(",") if key.split("=")[0] in ("window", "unit", "label")]
    return "exact:" + ",".join(kept)


@pytest.mark.parametrize("spec", SPECS)
def test_estimates_are_unbiased_and_intervals_hold(spec: str) -> None:
    trial(spec, trials=400)


@pytest.mark.soak
@pytest.mark.parametrize("spec", SPECS)
def test_estimates_of_many_trials(spec: str) -> None:
    trial(spec, trials=10_000)


@pytest.mark.parametrize("spec", ["mod:window=20,n=16", "min:window=20,n=50"])
def test_estimates_over_many_pairs(spec: str) -> None:
    """The same over pairs of every resemblance, each signed once as users do: without a seed."""
    scheme = parse_scheme(spec)
    dice = random.Random(1)
    errors, held, trials = [], 0, 600
    for seed in range(trials):
        size = dice.randint(1500, 2500)
        text = prose(seed, size)
        cut = dice.randint(size // 10, size)
        other = text[:cut] + prose(seed + 10_000, size - cut)
        truth = resemblance(text, other, 20)
        found = sign(text, scheme).resemblance(sign(other, scheme))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        errors.append(found.value - truth)
        held += found.low <= truth <= found.high
    assert abs(float(np.mean(errors))) < 5 * float(np.std(errors)) / trials**0.5
    assert held >= binom.ppf(1e-6, trials, 0.99)
