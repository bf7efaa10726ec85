"""Sets of windows against plain sets, whole and in parts; and what folding makes alike."""

import unicodedata
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.group import windows as windows_module
from nearkin.group.certificate import certify
from nearkin.group.folded import Folded
from nearkin.group.windows import WINDOW, distinct_prints, held_windows

short = st.lists(st.sampled_from([b"a", b"bb", b"abcabcabcabcabcabcabcabcab", b"\0" * 21]), max_size=9).map(b"".join)


def windows_of(text: bytes) -> list[bytes]:
    return [text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)]


@settings(max_examples=150, deadline=None)
@given(short, st.lists(short, min_size=1, max_size=4, unique=True), st.integers(4, 40))
def test_as_plain_sets_say(kept: bytes, texts: list[bytes], most: int) -> None:
    with patch.object(windows_module, "MOST", most):  # several parts
        found = held_windows(kept, range(len(texts)), texts.__getitem__)
    for number, text in enumerate(texts):
        mine = windows_of(text)
        others = {one for other in texts if other is not text for one in windows_of(other)}
        inside = [one in set(windows_of(kept)) for one in mine]
        anywhere = [held or one in others for held, one in zip(inside, mine, strict=True)]
        for bits, wanted in ((found[number].kept, inside), (found[number].anywhere, anywhere)):
            assert np.unpackbits(bits, count=len(mine)).astype(bool).tolist() == wanted


def test_a_set_that_grew() -> None:
    text = np.random.default_rng(1).bytes(60_000)
    found = _native.WindowSet(window=WINDOW, part=0, parts=1)
    found.add(text, owner=0, skip=np.zeros(0, np.uint8))
    assert len(found) == len(text) - WINDOW + 1
    assert np.unpackbits(found.held(text[1000:], several=False), count=len(text) - 1000 - WINDOW + 1).all()
    assert not found.held(text[::-1], several=False).any()
    assert not found.held(text, several=True).any()
    with pytest.raises(ValueError, match="no such part"):
        _native.WindowSet(window=WINDOW, part=1, parts=1)
    with pytest.raises(ValueError, match="too many texts"):
        found.add(text, owner=(1 << 20) - 2, skip=np.zeros(0, np.uint8))


@given(short, st.integers(1, 5), st.integers(1, 50))
def test_distinct_prints_are_the_same_in_blocks(text: bytes, modulus: int, block: int) -> None:
    every = set(_native.fingerprints(text, WINDOW).tolist()) if len(text) >= WINDOW else set()
    with patch.object(windows_module, "BLOCK", block):
        found = distinct_prints(text, modulus).tolist()
    assert found == sorted(one for one in every if one % modulus == 0)


letters = st.text(st.sampled_from("ab é\u0301\u00a0\n\t\u3000öo\u0308-5가\u1100\u1161"), max_size=30)


@settings(max_examples=300, deadline=None)
@given(letters)
def test_folding_is_composing_and_spacing(text: str) -> None:
    folded = Folded.of(text.encode())
    words = [unicodedata.normalize("NFC", word) for word in text.split()]
    assert folded.text.decode().split() == words
    assert "  " not in folded.text.decode()
    back = folded.back(np.ones(len(folded.text), np.bool_))
    assert back.all()
    assert len(back) == len(text.encode())
    assert not folded.back(np.zeros(len(folded.text), np.bool_)).any()


def test_bytes_that_are_no_text_fold_too() -> None:
    assert Folded.of(b"\xff\xfe  e\xcc\x81\n\n\x80").text == b"\xff\xfe \xc3\xa9 \x80"


def test_folding_a_long_word_takes_no_quadratic_time() -> None:
    long = b"a" * 1_000_000
    assert (
        Folded.of(b"e\xcc\x81 " + long + b" " + long + b"e\xcc\x81").text
        == b"\xc3\xa9 " + long + b" " + long + b"\xc3\xa9"
    )


LINES = "It was agreed that the money be paid back within a year, and not a day later."


def test_other_line_breaks_are_said_apart() -> None:
    kept, other = LINES.encode(), LINES.replace("the money", "the\n  money").encode()
    found = certify(kept, [0], lambda _: other)[0]
    assert found.missing > 0
    assert (found.respaced, found.residue) == (found.missing, 0)
    assert found.share < 1.0  # exactly


def test_other_unicode_forms_are_said_apart() -> None:
    kept = "Das Öl über der Tür, das wir gestern dort gesehen haben."
    other = unicodedata.normalize("NFD", kept)
    found = certify(kept.encode(), [0], lambda _: other.encode())[0]
    assert (found.respaced, found.residue) == (found.missing, 0)
    assert found.missing > 0


def test_what_is_new_is_lost_text_whatever_the_lines() -> None:
    kept, other = LINES.encode(), LINES.replace(" ", "\n").replace("year", "decade").encode()
    found = certify(kept, [0], lambda _: other)[0]
    assert 0 < found.residue < found.missing
    assert found.respaced + found.residue == found.missing
    assert "decade" in found.passages[0].text


def test_signs_and_case_are_no_spacing() -> None:
    kept = b"The temperature was\n5 degrees in all, as the REPORT says."
    for other in (b"The temperature was -5 degrees in all, as the REPORT says.", kept.replace(b"REPORT", b"report")):
        assert certify(kept, [0], lambda _, other=other: other)[0].residue > 0  # type: ignore[misc]


def test_raw_bytes_are_not_folded() -> None:
    kept, other = LINES.encode(), LINES.replace(" ", "\n").encode()
    found = certify(kept, [0], lambda _: other, raw=True)[0]
    assert found.respaced == 0
    assert found.residue == found.missing
