"""SHA-256, with and without the processor's instructions, and UTF-8 against Python's own."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native


def is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.binary(max_size=600), st.booleans())
def test_sha256_is_hashlib_s(data: bytes, portable: bool) -> None:
    assert _native.sha256(data, portable) == hashlib.sha256(data).digest()


@pytest.mark.parametrize("portable", [False, True])
def test_sha256_at_block_edges(portable: bool) -> None:
    for size in [*range(260), 1023, 1024, 1025, 100_000]:
        data = bytes(i * 7 % 256 for i in range(size))
        assert _native.sha256(data, portable) == hashlib.sha256(data).digest(), size


@given(st.lists(st.integers(0, 500), max_size=9), st.binary(min_size=500, max_size=500), st.booleans())
def test_digests_of_many_are_those_of_each(sizes: list[int], data: bytes, portable: bool) -> None:
    several = [data[:size] for size in sizes]
    assert _native.sha256_all(several, portable) == [hashlib.sha256(one).digest() for one in several]


@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(lambda t: t.encode("utf-8", "replace"))))
def test_valid_utf8_is_what_python_decodes(data: bytes) -> None:
    assert _native.valid_utf8(data) == is_utf8(data)


@given(st.text(max_size=60), st.integers(0, 200), st.binary(min_size=1, max_size=4))
def test_one_bad_spot_in_a_long_text_is_found(text: str, at: int, spot: bytes) -> None:
    data = text.encode("utf-8", "replace") + b"plain " * 20
    data = data[:at] + spot + data[at:]
    assert _native.valid_utf8(data) == is_utf8(data)


@pytest.mark.parametrize(
    "data",
    [
        b"\xc0\x80",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf",
    ],
)
def test_overlong_surrogate_and_too_large_are_refused(data: bytes) -> None:
    assert not _native.valid_utf8(data)
    assert not _native.valid_utf8(b"x" * 40 + data)


def test_every_short_sequence() -> None:
    for lead in range(0x80, 0x100):
        for second in (0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0):
            for tail in (b"", b"\x80", b"\xbf\xbf", b"\x80\xc0", b"\x41"):
                data = bytes([lead, second]) + tail
                assert _native.valid_utf8(data) == is_utf8(data), data


@given(st.text(max_size=100).map(lambda t: t.encode("utf-8", "replace").decode()))
def test_code_points_are_counted(text: str) -> None:
    assert _native.count_code_points(text.encode()) == len(text)
