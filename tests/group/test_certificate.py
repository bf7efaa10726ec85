"""Certificates against a slow, obvious oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin import _native
from nearkin.group.certificate import LONGEST, WINDOW, Certificate, certify, completeness, distinct_prints
from oracle.certificate import certificate, characters, covered

pieces = st.sampled_from(
    ["-5 degrees below zero, ", "5 degrees above it", "é" * 11, "ein längerer Satz über Öl. ", "x", "abc " * 6]
)
texts = st.lists(pieces, max_size=6).map("".join)


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(texts, min_size=1, max_size=4))
def test_as_the_oracle_says(kept: str, others: list[str]) -> None:
    data = [other.encode() for other in others]
    found = certify(kept.encode(), range(len(data)), data.__getitem__)
    for number, text in enumerate(others):
        rest = [one for one in data if one != data[number] and len(data[number]) >= WINDOW]
        equal = data[number] == kept.encode()
        inside = [True] * len(text) if equal else characters(text, covered(data[number], [kept.encode()]))
        lonely = characters(text, covered(data[number], [kept.encode(), *rest]))
        one = found[number]
        assert one.characters == len(text)
        assert one.contained == sum(inside)
        alone = [not (here or there) for here, there in zip(inside, lonely, strict=True)]
        assert one.residue == (0 if equal else sum(alone))
        shown = "".join(text[passage.start : passage.end] for passage in one.passages)
        assert len(shown) == one.residue
        assert all(text[passage.start : passage.end] == passage.text for passage in one.passages)


spaced = st.lists(
    st.sampled_from(
        [
            "It was agreed that ",
            "the money\n  be paid",
            "u\u0308ber dem Öl\u00a0",
            "a\u3000\n",
            " ",
            "year. ",
            "e\u0301",
            "x" * 19,
        ]
    ),
    max_size=7,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(spaced, st.lists(spaced, min_size=1, max_size=3, unique=True))
def test_spacing_as_the_oracle_says(kept: str, texts: list[str]) -> None:
    found = certify(kept.encode(), range(len(texts)), [text.encode() for text in texts].__getitem__)
    for number, text in enumerate(texts):
        if text != kept:
            others = [one for one in texts if one not in (text, kept)]
            one = found[number]
            assert (one.missing, one.respaced, one.residue) == certificate(text, kept, others)
            shown = "".join(text[passage.start : passage.end] for passage in one.passages)
            assert len(shown) == one.residue


def test_a_sign_is_text() -> None:
    kept, other = b"The temperature was 5 degrees in all.", b"The temperature was -5 degrees in all."
    found = certify(kept, [0], lambda _: other)[0]
    assert found.missing > 0
    assert "-5" in found.passages[0].text


def test_a_word_that_was_left_out_is_seen() -> None:
    """All its words are in the kept text, but not in a row."""
    kept, other = (
        b"On Monday the committee did not approve the budget.",
        b"On Monday the committee did approve the budget.",
    )
    found = certify(kept, [0], lambda _: other)[0]
    assert 0 < found.missing <= 4
    assert found.share < 1.0


def test_copies_do_not_vouch_for_each_other() -> None:
    """If both go, their text is gone: equal texts are one."""
    text = b"What only these two say, word for word."
    found = certify(b"nothing of the kind", [0, 1], lambda _: text)
    assert found[0] == found[1]
    assert found[0].residue == len(text)


def test_long_residue_is_counted_in_full_and_shown_in_part() -> None:
    found = certify(b"", [0], lambda _: b"z" * (LONGEST + 5))[0]
    assert (found.residue, len(found.passages[0].text), found.all_listed) == (LONGEST + 5, LONGEST, False)


def test_nothing_is_contained_whole() -> None:
    assert certify(b"some text", [0], lambda _: b"")[0] == Certificate(0, 0, 0)
    assert Certificate(0, 0, 0).share == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, min_size=2, max_size=5))
def test_completeness_is_the_share_of_the_others_windows(given_texts: list[str]) -> None:
    data = [text.encode() for text in given_texts]
    windows = [{text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)} for text in data]
    found = completeness(range(len(data)), data.__getitem__, 1)
    for number, mine in enumerate(windows):
        others = [one for at, one in enumerate(windows) if at != number]
        all_of = sum(map(len, others))
        assert found[number] == (100 * sum(len(mine & one) for one in others) // all_of if all_of else 0)


@pytest.mark.parametrize("modulus", [1, 3, 8])
def test_completeness_of_long_texts_and_of_samples(modulus: int) -> None:
    """Tables that grew, windows that a text has twice, and of all windows those that a modulus divides."""
    blocks = [np.random.default_rng(seed).bytes(7000) for seed in range(5)]
    data = [b"".join(blocks[at] for at in some) for some in ((0, 1, 0), (1, 2, 3, 4), (0, 4), ())]
    sets = [set(distinct_prints(text, modulus).tolist()) for text in data]
    counts = _native.WindowCounts(window=WINDOW, modulus=modulus)
    for text in data:
        counts.add(text)
    own, shared = counts.shares()
    assert own.tolist() == [len(one) for one in sets]
    assert shared.tolist() == [
        sum(len(one & other) for at, other in enumerate(sets) if at != number) for number, one in enumerate(sets)
    ]
    with pytest.raises(ValueError, match="at least one"):
        _native.WindowCounts(window=WINDOW, modulus=0)
