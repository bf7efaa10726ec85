"""The four schemes of Cherkasova 2009 beside the exact resemblance, on texts with known edits (§3 to §5)."""

import random
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from nearkin.scheme import parse_scheme, sign
from oracle.prose import prose

PAIRS = 60
EDITS = (2, 14, 35)  # in 4,000 bytes
SPECS = {name: f"{name}:window=20,n=100" for name in ("mod", "min", "sketch", "bsw")}


def edited(text: bytes, edits: int, seed: int) -> bytes:
    """Words put in, taken out or replaced at random places; in each text edits of one kind."""
    dice = random.Random(seed)
    words = text.split(b" ")
    for _ in range(edits):
        at = dice.randrange(len(words))
        words[at : at + (seed % 3 > 0)] = [[b"a"], [], [b"renamed"]][seed % 3]
    return b" ".join(words)


@cache
def measured(spec: str, edits: int) -> NDArray[np.float64]:
    scheme = parse_scheme(spec)
    found = []
    for seed in range(PAIRS):
        text = prose(seed, 4000)
        estimate = sign(text, scheme).resemblance(sign(edited(text, edits, seed), scheme))
        assert estimate is not None
        found.append(estimate.value)
    return np.array(found)


def errors(name: str, edits: int) -> NDArray[np.float64]:
    return measured(SPECS[name], edits) - measured("exact:window=20", edits)


def test_edits_lower_the_resemblance_as_far_as_meant() -> None:
    assert [round(float(measured("exact:window=20", edits).mean()), 1) for edits in EDITS] == [1.0, 0.9, 0.7]


@pytest.mark.parametrize("edits", EDITS)
@pytest.mark.parametrize(("name", "most"), [("mod", 0.07), ("min", 0.05), ("sketch", 0.05)])
def test_samples_stray_to_both_sides_and_not_far(name: str, most: float, edits: int) -> None:
    found = errors(name, edits)
    assert np.abs(found).mean() < most
    assert abs(found.mean()) < 4.5 * found.std() / np.sqrt(PAIRS) + 1e-9
    assert found.std() > 0


@pytest.mark.parametrize("edits", EDITS)
def test_bsw_reports_the_changes_larger_than_they_are(edits: int) -> None:
    """Figure 7: bsw reflects more of the edits. A name stays with a probability of r, so r / (2 - r) are in common."""
    exact = measured("exact:window=20", edits)
    found = measured(SPECS["bsw"], edits)
    assert found.mean() < exact.mean()
    assert found.mean() == pytest.approx((exact / (2 - exact)).mean(), abs=0.04)


def test_more_features_stray_less() -> None:
    """Figure 6: Sketch_10 misses all differences, or sees too many, where Sketch_100 does not."""
    exact = measured("exact:window=20", 14)
    spread = [float(np.abs(measured(f"sketch:window=20,n={n}", 14) - exact).mean()) for n in (10, 100, 1000)]
    assert spread[0] > 2 * spread[1] > 4 * spread[2]
    assert (measured("sketch:window=20,n=10", 2) == 1.0).sum() > PAIRS / 2


def test_a_larger_window_sees_more_of_an_edit() -> None:
    """Figure 2."""
    for name in ("mod", "sketch", "bsw"):
        narrow, wide = (measured(f"{name}:window={window},n=20", 14).mean() for window in (5, 80))
        assert narrow - wide > 0.3
