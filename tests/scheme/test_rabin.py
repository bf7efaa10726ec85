"""The sliding fingerprint against polynomial division, one window at a time."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from oracle import rabin
from oracle.prose import prose

P = _native.POLYNOMIAL
WINDOWS = st.integers(1, 100)


def slid(text: bytes, window: int) -> list[int]:
    return [int(value) for value in _native.fingerprints(text, window)]


def one_by_one(text: bytes, window: int) -> list[int]:
    return rabin.fingerprints(text, window, P)


def test_the_polynomial_is_irreducible() -> None:
    assert rabin.irreducible(1 << 64 | P)


def test_rabins_test_itself_tells_the_reducible() -> None:
    known = 1 << 64 | 0b11011  # x^64 + x^4 + x^3 + x + 1
    assert rabin.irreducible(known)
    assert not rabin.irreducible(known ^ 1 << 1)
    assert not rabin.irreducible(1 << 64)


@pytest.mark.parametrize("text", [b"", b"\0", b"\0\0", b"\x01", b"\xff" * 9, b"nearkin", bytes(range(256))])
def test_fingerprint_is_the_remainder(text: bytes) -> None:
    assert _native.fingerprint(text) == rabin.fingerprint(text, P)


@given(st.binary(max_size=300))
def test_fingerprint_of_any_text(text: bytes) -> None:
    assert _native.fingerprint(text) == rabin.fingerprint(text, P)


def test_runs_of_zero_bytes_are_told_apart_and_are_not_zero() -> None:
    found = [_native.fingerprint(bytes(length)) for length in range(200)]
    assert 0 not in found
    assert len(set(found)) == len(found)


@given(st.binary(max_size=400), WINDOWS)
def test_sliding_over_any_text(text: bytes, window: int) -> None:
    assert slid(text, window) == one_by_one(text, window)


@given(st.sampled_from([b"\0", b"\xff", b"a", b"ab", b"\0\xff", b"aab"]), st.integers(0, 700), WINDOWS)
def test_sliding_over_runs_and_tiny_alphabets(unit: bytes, times: int, window: int) -> None:
    text = unit * times
    assert slid(text, window) == one_by_one(text, window)


@given(st.integers(0, 99), WINDOWS)
def test_a_text_shorter_than_the_window_is_one_whole_feature(length: int, window: int) -> None:
    text = prose(1, length)
    if length < window:
        assert slid(text, window) == ([rabin.fingerprint(text, P)] if text else [])
    else:
        assert len(slid(text, window)) == length - window + 1


@pytest.mark.parametrize("window", [1, 2, 7, 8, 20, 48, 100])
@pytest.mark.parametrize("around", [4 * 64, 8 * 64, 16 * 64])
def test_lengths_around_where_the_kernel_changes_its_stride(window: int, around: int) -> None:
    text = random.Random(window * around).randbytes(around + window + 8)
    expected = one_by_one(text, window)
    for windows in range(around - 9, around + 10):
        assert slid(text[: windows + window - 1], window) == expected[:windows]


@pytest.mark.parametrize(
    ("seed", "window", "letters"),
    [(1, 20, 256), (2, 48, 256), (3, 1, 256), (4, 20, 1), (5, 100, 2), (6, 20, 26)],
)
def test_a_megabyte_at_sampled_places(seed: int, window: int, letters: int) -> None:
    dice = random.Random(seed)
    size = 1_000_000 + dice.randrange(5000)
    text = bytes(byte % letters for byte in dice.randbytes(size))
    found = _native.fingerprints(text, window)
    count = size - window + 1
    assert len(found) == count
    quarters = [i * (count // 4) + near for i in range(5) for near in range(-3, 4)]
    blocks = [i * 16384 + near for i in range(1, 61) for near in range(-2, 3)]
    places = {0, 1, count - 2, count - 1, *dice.sample(range(count), 400), *quarters, *blocks}
    for place in places:
        if 0 <= place < count:
            assert int(found[place]) == rabin.fingerprint(text[place : place + window], P), place


def test_windows_further_apart_than_the_window_do_not_depend_on_each_other() -> None:
    text = bytearray(prose(7, 5000))
    before = slid(bytes(text), 20)
    text[2500] ^= 1
    after = slid(bytes(text), 20)
    changed = [i for i, (x, y) in enumerate(zip(before, after, strict=True)) if x != y]
    assert changed == list(range(2500 - 19, 2501))
