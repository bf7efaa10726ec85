import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.engine.worker_protocol import LENGTHS, BrokenFrameError, packed, unpack_from

HEADERS = st.dictionaries(st.text(max_size=8), st.none() | st.integers() | st.text(max_size=8), max_size=4)


@given(st.lists(st.tuples(HEADERS, st.binary(max_size=50)), max_size=5))
def test_what_goes_in_comes_out(frames: list[tuple[dict[str, object], bytes]]) -> None:
    stream = io.BytesIO(b"".join(b"".join(packed(*frame)) for frame in frames))
    assert [unpack_from(stream.read, longest=50) for _ in frames] == frames
    assert unpack_from(stream.read, longest=50) is None


@given(st.integers(1, 1000))
def test_a_cut_frame_is_an_end_too_early(cut: int) -> None:
    whole = b"".join(packed({"kind": "end"}, b"x" * 40))
    with pytest.raises(EOFError):
        unpack_from(io.BytesIO(whole[: cut % len(whole) or 1]).read, longest=50)


def test_long_ones_and_no_ones_are_refused_before_they_are_read() -> None:
    for whole in (
        LENGTHS.pack(2, 51) + b"{}",
        LENGTHS.pack(1 << 31, 0),
        LENGTHS.pack(3, 0) + b"{}}",
        LENGTHS.pack(1, 0) + b"1",
    ):
        with pytest.raises(BrokenFrameError):
            unpack_from(io.BytesIO(whole).read, longest=50)
    assert LENGTHS.size == struct.calcsize("<IQ")
