"""What short fingerprints cost, said and measured."""

import pytest

from nearkin.scheme import parse_scheme, sign
from nearkin.scheme.plan import collision_of
from nearkin.scheme.shingler import Shingler
from oracle.prose import prose


def test_broders_experiment() -> None:
    # Broder 1997 §4.1: sets of about 1,000 shingles, 400 bits each, fingerprints of 40 bits.
    found = collision_of(Shingler(50, bits=40), 2000)
    assert found.error == 2000 / 2**29
    assert found.chance == 400 / 2**39


@pytest.mark.parametrize(("unit", "bits"), [("byte", 8), ("char", 64), ("word", 64), ("line", 64), ("soundex", 64)])
def test_units_are_as_long_as_their_values(unit: str, bits: int) -> None:
    assert collision_of(Shingler(7, unit, bits=32), 1).chance == 7 * bits / 2**31


@pytest.mark.parametrize("bits", [24, 28, 32])
def test_the_bound_holds(bits: int) -> None:
    text = prose(1, 20_000)
    other = text[:12_000] + prose(2, 8000)

    def resemblance(spec: str) -> float:
        found = sign(text, parse_scheme(spec)).resemblance(sign(other, parse_scheme(spec)))
        assert found is not None
        return found.value

    union = len({text[i : i + 20] for i in range(len(text) - 19)} | {other[i : i + 20] for i in range(len(other) - 19)})
    bound = collision_of(Shingler(20, bits=bits), union).error
    for seed in range(5):
        off = abs(resemblance(f"exact:window=20,bits={bits},seed={seed}") - resemblance("exact:window=20"))
        assert off < bound
    assert abs(resemblance("exact:window=20,bits=16") - resemblance("exact:window=20")) > 0.01, "16 bits are too few"
