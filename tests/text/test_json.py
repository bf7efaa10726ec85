"""JSON says the same words, however its strings are written. Python's json is the oracle."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.settings import TextSettings
from nearkin.text.canon import Canon
from nearkin.text.kind import plain_text

CANON = Canon.of(TextSettings())
WHOLE = st.characters(codec="utf-8", min_codepoint=32)  # control characters become spaces
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(WHOLE, max_size=9)
VALUES = st.recursive(
    SCALARS,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(WHOLE, max_size=5), inside, max_size=4),
)
DOCUMENTS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(WHOLE, max_size=5), VALUES, max_size=4)


def undone(value: object, **style: object) -> str:
    return plain_text(json.dumps(value, **style).encode()).decode()  # type: ignore[arg-type]


@given(DOCUMENTS)
def test_escaped_or_not_it_reads_alike(value: object) -> None:
    assert undone(value) == undone(value, ensure_ascii=False)
    lines = (json.dumps(value) + "\n") * 3
    assert plain_text(lines.encode()).decode() == (undone(value) + "\n") * 3


@given(st.lists(st.text(WHOLE, max_size=20), min_size=1))
def test_strings_read_as_they_are(texts: list[str]) -> None:
    meant = "[" + ", ".join(f'"{text}"' for text in texts) + "]"
    assert undone(texts) == meant


def test_words_are_found_again() -> None:
    for text in ("Die Größe der Straße", "Настоящий договор", "契約書 😀", "one\ntwo\tthree"):
        assert CANON.apply(plain_text(json.dumps({"text": text}).encode())) == CANON.apply(f"text {text}".encode())


@pytest.mark.parametrize(
    ("escaped", "read"),
    [
        (r'["\ud83d\ude00 \ud83d \ude00 \ud83dx"]', '["😀 \ufffd \ufffd \ufffdx"]'),
        (r'["\u0000\b\u001b\n\r\t\f\/\"\\\\"]', '["   \n\r\t\f/"\\\\"]'),
        (r' {"\u00e9": [1, -2.5e+3, true, NaN]} ', ' {"é": [1, -2.5e+3, true, NaN]} '),
        (r'[["\u00e9"]][]{}', '[["é"]][]{}'),
        (r'{"cut": ["off \u00e9t\u00', r'{"cut": ["off ét\u00'),
        (r'{"cut": "\u00e9", "o', r'{"cut": "é", "o'),
        (r'["\u00e9", tru', r'["é", tru'),
    ],
)
def test_escapes(escaped: str, read: str) -> None:
    assert plain_text(escaped.replace("\\\\", "\\").encode()).decode() == read.replace("\\\\", "\\")


@pytest.mark.parametrize(
    "text",
    [
        r"words \u00e9",
        r"[section]\npath = C:\new",
        r'["\u00e9",]',
        r'{"a" "\u00e9"}',
        r'{"\x00"}',
        r'["\u00eg"]',
        r'["\u00e9"] and more',
        r'["\u00e9"}',
        r'{a: "\u00e9"}',
        r'"\u00e9"',
        r"[1] Some words \alpha",
        r'["\u00e9" // a comment' + "\n]",
    ],
)
def test_what_is_no_json_stays(text: str) -> None:
    raw = text.replace("\\\\", "\\").encode()
    assert plain_text(raw) == raw


def test_nesting_costs_nothing() -> None:
    deep = b'["\\u00e9",' * 300_000
    assert plain_text(deep) == '["é",'.encode() * 300_000


@given(st.binary(max_size=60))
def test_any_text_will_do(data: bytes) -> None:
    plain_text(b'["\\n' + data)
    plain_text(b"{" + data + b"\\u")
