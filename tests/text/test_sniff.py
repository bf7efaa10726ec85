"""What bytes are: content first, name second."""

import codecs

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nearkin import _native

PAGE = "<!DOCTYPE html>\n<html><head><title>t</title></head><body>words</body></html>"


def kind(data: bytes, *, named_html: bool = False) -> int:
    return _native.sniff(data, named_html)


def test_nothing_is_empty() -> None:
    assert kind(b"") == _native.EMPTY


@pytest.mark.parametrize(
    "data",
    [
        b"words",
        "Übergröße, слово, 漢字".encode(),
        codecs.BOM_UTF8 + b"words",
        b"{\\rtf1 words}",
        b"RIFF is a word of eight letters",
        b"1 < 2 and <3",
        b"<?xml version='1.0'?><rss><title>news</title></rss>",
        b"<?xml version='1.0'?><!-- a --><title>x</title>",
        b"<svg xmlns='x'></svg>",
        b"<paragraph>",
        b"From: <someone@example.org>",
        b"\x1b[1mcolours\x1b[0m are valid UTF-8",
        b"a line of a log\n" * 4 + b"\0" + b"and another\n" * 4,
        b"a line of a log\n" * 20 + bytes(9000) + b"written after a crash\n" * 20,
        bytes(9000) + b"written after a crash\n" * 20,
    ],
)
def test_text(data: bytes) -> None:
    assert kind(data) == _native.TEXT


@pytest.mark.parametrize(
    "data",
    [
        PAGE.encode(),
        codecs.BOM_UTF8 + PAGE.encode(),
        b"\n\t <!-- a comment > --> <HTML>",
        b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' 'x'><html/>",
        b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>",
        b"<!doctype\nHTML>",
        b"<body bgcolor=white>",
        b"<p>a paragraph",
        b"<H1>Title</H1>",
        b"<div\nclass=a>",
        b"<title>x</title>",
        b"<a href=x>y</a>",
    ],
)
def test_html_by_content(data: bytes) -> None:
    assert kind(data) == _native.HTML
    assert kind(data, named_html=True) == _native.HTML


def test_html_by_name() -> None:
    assert kind(b"words <custom>", named_html=True) == _native.HTML
    assert kind(b"words <custom>") == _native.TEXT
    assert kind(b"words, 1 < 2", named_html=True) == _native.TEXT
    assert kind(b"<?xml version='1.0'?><rss/>", named_html=True) == _native.TEXT
    assert kind(b"<?xml version='1.0'?><div>x</div>", named_html=True) == _native.HTML


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7 words",
        b"PK\x03\x04words",
        b"\x1f\x8b\x08\x00",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"GIF89a;",
        b"RIFF\x01\x02\x03\x04WEBPVP8 ",
        b"\x7fELF\x02",
        bytes.fromhex("d0cf11e0a1b11ae1"),
        b"7z\xbc\xaf\x27\x1c\x00",
        b"\xfd7zXZ\x00",
        b"BZh91AY&SYxx",
        b"\x28\xb5\x2f\xfd\x04",
        b"words with a \x00 in them",
        b"\x01\x02\x03\xff\x04\x05" * 20,
        bytes(1000),
        b"a name\0\0\0\x01\x02 and a name\0\0\0\x03\x04" * 20,
        b"\0\0\1\0\1\0" + b"\xff\xfe\xfd" * 300 + bytes(900),  # an icon
        bytes(range(1, 256)) * 2,
        np.arange(0, 400, dtype="<u2").tobytes(),
        np.arange(0, 400, dtype=">i4").tobytes(),
        (np.sin(np.arange(4000) / 40) * 3000).astype("<i2").tobytes(),
        (np.sin(np.arange(4000) / 40) * 20 + 110).astype("u1").tobytes() + bytes(20),
        b"Rar!\x1a\x07\0" + b"stored words " * 200,
    ],
)
def test_binary(data: bytes) -> None:
    assert kind(data) == _native.BINARY
    assert kind(data, named_html=True) == _native.BINARY


def test_a_nul_far_away_is_forgiven() -> None:
    assert kind(b"words " * 2000 + b"\x00") == _native.TEXT


@pytest.mark.parametrize(
    "data",
    [
        "Größe".encode("latin-1"),
        "<p>Größe".encode("latin-1"),
        "слово".encode("koi8-r"),
        "言葉".encode("shift_jis"),
        *("words".encode(name) for name in ("utf-16", "utf-32", "utf-16-le", "utf-16-be")),
        codecs.BOM_UTF16_BE + "words".encode("utf-16-be"),
        codecs.BOM_UTF32_BE + "words".encode("utf-32-be"),
        b"a line of a log\n" * 10 + "Größe\0 und Maß".encode("latin-1"),
        "言葉".encode("iso-2022-jp"),
        "言葉".encode("iso-2022-kr"),
        "语言".encode("hz"),
    ],
)
def test_text_in_another_encoding(data: bytes) -> None:
    assert kind(data) == _native.OTHER


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1), st.booleans())
def test_utf8_without_nul_is_text_or_html(text: str, named_html: bool) -> None:
    assume_no_magic = "words " + text
    assert kind(assume_no_magic.encode(), named_html=named_html) in (_native.TEXT, _native.HTML)


@given(st.binary(), st.booleans())
def test_any_bytes_have_a_kind(data: bytes, named_html: bool) -> None:
    assert kind(data, named_html=named_html) in range(5)
    if kind(data) in (_native.TEXT, _native.HTML):
        data.decode()


@given(st.binary(min_size=600, max_size=4000))
def test_bytes_by_chance_are_binary(data: bytes) -> None:
    shuffled = np.random.default_rng(len(data)).integers(0, 256, len(data), dtype=np.uint8).tobytes()
    assert kind(b"\1" + shuffled) == _native.BINARY


@example("0000", 2)
@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=3, max_size=80), st.integers(0, 80))
def test_ascii_with_a_nul_is_no_chinese(text: str, at: int) -> None:
    """Two letters of ASCII are one character of UTF-16."""
    data = b"words, " + text[:at].encode() + b"\0" + text[at:].encode()
    assert kind(data, named_html=False) in (_native.TEXT, _native.HTML, _native.BINARY) or b"~{" in data
    assert _native.detect_wide(data) == 0
