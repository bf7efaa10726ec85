"""Sets of windows against plain sets, whole and in parts; and what folding makes alike."""

import unicodedata
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.group import certificate as windows_module
from nearkin.group.certificate import SPACES, TO_SPACES, WINDOW, Folded, certify, distinct_prints, held_windows
from oracle.certificate import fold
from oracle.certificate import folded as pieces

short = st.lists(st.sampled_from([b"a", b"bb", b"abcabcabcabcabcabcabcabcab", b"\0" * 21]), max_size=9).map(b"".join)


def windows_of(text: bytes) -> list[bytes]:
    return [text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)]


@settings(max_examples=300, deadline=None)
@given(short, st.lists(short, min_size=1, max_size=4, unique=True), st.integers(4, 40), st.sets(st.integers(0, 3)))
def test_as_plain_sets_say(kept: bytes, texts: list[bytes], most: int, leaving: set[int]) -> None:
    with patch.object(windows_module, "MOST", most):  # several parts
        found = held_windows(kept, range(len(texts)), texts.__getitem__, leaving)
    for number, text in enumerate(texts):
        mine = windows_of(text)
        staying = [other for at, other in enumerate(texts) if at != number and at not in leaving]
        others = {one for other in staying for one in windows_of(other)}
        inside = [one in set(windows_of(kept)) for one in mine]
        anywhere = [held or one in others for held, one in zip(inside, mine, strict=True)]
        for bits, wanted in ((found[number].kept, inside), (found[number].anywhere, anywhere)):
            assert np.unpackbits(bits, count=len(mine)).astype(bool).tolist() == wanted


long = st.lists(st.integers(0, 11), min_size=5, max_size=20).map(
    lambda blocks: b"".join(np.random.default_rng(block).bytes(15 + block) for block in blocks)
)


@settings(max_examples=100, deadline=None)
@given(long, long, long)
def test_edited_texts_as_plain_sets_say(kept: bytes, a: bytes, b: bytes) -> None:
    """Blocks of chance, some longer than a window, in any order: with anchors and without."""
    texts = [a] if a == b else [a, b]
    found = held_windows(kept, range(len(texts)), texts.__getitem__)
    for number, text in enumerate(texts):
        others = {one for other in (kept, *texts) if other is not text for one in windows_of(other)}
        for bits, wanted in ((found[number].kept, set(windows_of(kept))), (found[number].anywhere, others)):
            have = np.unpackbits(bits, count=len(windows_of(text))).astype(bool).tolist()
            assert have == [one in wanted for one in windows_of(text)]


@settings(max_examples=100, deadline=None)
@given(long, st.lists(long, max_size=3))
def test_anchors_find_only_what_is_there(kept: bytes, texts: list[bytes]) -> None:
    anchors = _native.Anchors(kept, window=WINDOW)
    there = windows_of(kept)
    met = set()
    for text in texts:
        have = np.unpackbits(anchors.runs(text), count=len(windows_of(text)))
        found = {one for one, bit in zip(windows_of(text), have, strict=True) if bit}
        assert found <= set(there)
        met |= found
    noted = np.unpackbits(anchors.matched(), count=len(there))
    assert {one for one, bit in zip(there, noted, strict=True) if bit} == met


def test_anchors_find_long_runs() -> None:
    text = np.random.default_rng(2).bytes(20_000)
    edited = b"before" + text[100:9000] + b"instead" + text[9100:]
    anchors = _native.Anchors(text, window=WINDOW)
    assert np.bitwise_count(anchors.runs(edited)).sum() == 8900 + 10_900 - 2 * (WINDOW - 1)
    with pytest.raises(ValueError, match="eight bytes"):
        _native.Anchors(text, window=7)


def test_a_set_that_grew() -> None:
    text = np.random.default_rng(1).bytes(60_000)
    nothing = np.zeros(0, np.uint8)
    found = _native.WindowSet(window=WINDOW, part=0, parts=1)
    found.add(text, owner=0, skip=nothing)
    assert len(found) == len(text) - WINDOW + 1
    part = text[1000:]
    assert np.unpackbits(found.owned(part, several=False, skip=nothing), count=len(part) - WINDOW + 1).all()
    assert not found.owned(text[::-1], several=False, skip=nothing).any()
    assert not found.owned(text, several=True, skip=nothing).any()
    found.add_owner(part, owner=1, skip=nothing)
    assert np.bitwise_count(found.owned(text, several=True, skip=nothing)).sum() == len(part) - WINDOW + 1
    found.add_owner(text[::-1], owner=2, skip=nothing)
    assert len(found) == len(text) - WINDOW + 1
    with pytest.raises(ValueError, match="no such part"):
        _native.WindowSet(window=WINDOW, part=1, parts=1)
    for put in (found.add, found.add_owner):
        with pytest.raises(ValueError, match="too many texts"):
            put(text, owner=(1 << 20) - 2, skip=nothing)


def test_what_only_asks_owns_nothing() -> None:
    text, nothing = bytes(range(100)), np.zeros(0, np.uint8)
    found = _native.WindowSet(window=WINDOW, part=0, parts=1)
    found.add(text, owner=None, skip=nothing)
    assert not found.owned(text, several=False, skip=nothing).any()
    found.add_owner(text[50:], owner=0, skip=nothing)
    held = np.unpackbits(found.owned(text, several=False, skip=nothing), count=81).tolist()
    assert held == [0] * 50 + [1] * 31


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
    assert folded.text == fold(text)
    instead, at, there = [], 0, 0  # what was changed, and the rest as it was but for what kind of space it is
    for start, end, long in zip(*(one.tolist() for one in (folded.starts, folded.ends, folded.lengths)), strict=True):
        assert folded.text[there : there + start - at].split() == text.encode()[at:start].split()
        instead.append((text.encode()[start:end].decode(), folded.text[there + start - at :][:long].decode()))
        at, there = end, there + start - at + long
    assert len(folded.text) - there == len(text.encode()) - at
    assert [(a, b) for a, b in instead if b != " "] == [(a, b) for a, b in pieces(text) if a != b and b != " "]
    assert all(a.isspace() for a, b in instead if b == " ")


def test_composed_blocks_are_composed() -> None:
    """In none of them is anything that NFC changes, alone or beside another."""
    sure = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000 and _native.surely_composed(chr(c).encode())]
    assert len(sure) > 30_000
    assert not any(map(unicodedata.combining, sure))
    assert unicodedata.is_normalized("NFC", "".join(sure))
    second = {decomposed[1] for c in map(chr, range(0x110000)) if len(decomposed := canonical(c)) == 2}
    assert not second & set(sure)
    assert not _native.surely_composed(b"\xff")
    assert not _native.surely_composed("e\u0301".encode())


def canonical(char: str) -> list[str]:
    told = unicodedata.decomposition(char)
    return [] if told.startswith("<") else [chr(int(one, 16)) for one in told.split()]


@given(
    st.lists(st.sampled_from([*b" \t\x1c\xc2\x85\xa0\xe1\x9a\x80\xe2\x81\x9f\x8b\xa8\xe3a"]), max_size=30).map(bytes)
)
def test_spaces_are_folded_as_the_pattern_says(text: bytes) -> None:
    plain = text.translate(TO_SPACES)
    folded, starts, ends = _native.fold_spaces(text)
    assert folded == SPACES.sub(b" ", plain)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [one.span() for one in SPACES.finditer(plain)]


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
