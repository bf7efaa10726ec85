"""Texts come back as they were kept, empty ones too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.errors import StoreError
from nearkin.store.compression import pack_all, unpack

pytestmark = pytest.mark.usefixtures("either_insert")


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_texts_come_back(texts: list[bytes]) -> None:
    assert [unpack(blob) for blob in pack_all(texts)] == texts


def test_none_but_empty_ones() -> None:
    assert [unpack(blob) for blob in pack_all([b"", b""])] == [b"", b""]


def test_a_damaged_text_is_said() -> None:
    with pytest.raises(StoreError, match="damaged"):
        unpack(b"no zstd")
