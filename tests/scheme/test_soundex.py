"""Soundex against the standard's own examples and the rules written out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin import _native
from oracle.soundex import soundex as by_the_rules


def soundex(word: str) -> str:
    return _native.soundex(word.encode()).decode()


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("Robert", "R163"),
        ("Rupert", "R163"),
        ("Rubin", "R150"),
        ("Ashcraft", "A261"),
        ("Ashcroft", "A261"),
        ("Tymczak", "T522"),
        ("Pfister", "P236"),
        ("Honeyman", "H555"),
        ("Washington", "W252"),
        ("Lee", "L000"),
        ("Gutierrez", "G362"),
        ("Jackson", "J250"),
        ("VanDeusen", "V532"),
        ("a", "A000"),
        ("hw", "H000"),
        ("wh", "W000"),
        ("Lloyd", "L300"),
    ],
)
def test_the_standards_examples(word: str, code: str) -> None:
    assert soundex(word) == soundex(word.lower()) == soundex(word.upper()) == by_the_rules(word) == code


@pytest.mark.parametrize(
    ("word", "same"), [("Müller", "Muller"), ("Øster", "Oster"), ("œuvre", "oeuvre"), ("Łódź", "Lodz"), ("ﬁne", "fine")]
)
def test_marks_and_ligatures_are_taken_apart(word: str, same: str) -> None:
    assert soundex(word) == soundex(same)


@pytest.mark.parametrize("word", ["", "123", "слово", "日本", "-", "ςστ"])
def test_words_without_a_latin_letter_have_no_code(word: str) -> None:
    assert soundex(word) == ""


def test_what_is_no_letter_is_skipped() -> None:
    assert soundex("O'Brien") == soundex("obrien") == "O165"
    assert soundex("4th") == "T000"
    assert _native.soundex(b"Rob\xffert") == b"R163"


@given(st.text("abcdefghijklmnopqrstuvwxyzABCHWé'1łßæ", max_size=12))
def test_any_word(word: str) -> None:
    assert soundex(word) == by_the_rules(word)


@given(st.binary(max_size=30))
def test_any_bytes(word: bytes) -> None:
    assert len(_native.soundex(word)) in (0, 4)
