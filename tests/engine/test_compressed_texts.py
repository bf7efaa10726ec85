"""Compressed texts on their way into a store are read where Python holds them."""

import os
from pathlib import Path

import pytest

from nearkin import _native
from nearkin.engine.threads import recipe
from nearkin.scheme import parse_scheme
from nearkin.settings import DEFAULT_SCHEME, TextSettings
from nearkin.text.canon import Canon


def batch_of(folder: Path, **files: str) -> _native.Batch:
    for name, text in files.items():
        (folder / name).write_text(text)
    how = recipe(parse_scheme(DEFAULT_SCHEME), Canon.of(TextSettings()), max_size=1 << 20)
    return _native.ingest_files(os.fsencode(folder) + b"/", [name.encode() for name in files], how)


def test_their_memory_is_held_as_long_as_they_are(tmp_path: Path) -> None:
    batch = batch_of(tmp_path, a="some text", b="", c="another text")
    texts = [bytearray(b"packed a"), bytearray(b"packed c")]
    packed = _native.packed(batch, False, texts, b"nothing")
    with pytest.raises(BufferError):
        texts[0].extend(bytes(1 << 20))  # it would move
    assert [*packed] == [b"packed a", b"nothing", b"packed c"]
    assert packed.bytes == len(b"packed anothingpacked c")
    del packed
    texts[0].extend(b" again")


@pytest.mark.parametrize("given", [0, 1, 3])
def test_there_is_one_for_each_text(tmp_path: Path, given: int) -> None:
    batch = batch_of(tmp_path, a="some text", b="", c="another text")
    assert _native.text_places(batch, False).tolist() == [0, 9, 9, 12]
    with pytest.raises(ValueError, match="a packed text for each"):
        _native.packed(batch, False, [b"x"] * given, b"nothing")
