"""Certificates against a slow, obvious oracle."""

from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.group.certificate import LONGEST, Certificate, certify
from nearkin.group.keep import completeness
from nearkin.group.windows import WINDOW


def covered(text: bytes, others: list[bytes]) -> list[bool]:
    """By byte: whether it lies in a run of 20 bytes that another text holds."""
    found = [False] * len(text)
    if len(text) < WINDOW:
        return [any(text in other for other in others)] * len(text)
    for start in range(len(text) - WINDOW + 1):
        if any(text[start : start + WINDOW] in other for other in others):
            found[start : start + WINDOW] = [True] * WINDOW
    return [one and not broken for one, broken in zip(found, breaks(text, others), strict=True)]


def breaks(text: bytes, others: list[bytes]) -> list[bool]:
    """Bytes that are in every window of a gap, where the bytes before and after it are in some other text."""
    there = [any(text[at : at + WINDOW] in other for other in others) for at in range(len(text) - WINDOW + 1)]
    found = [False] * len(text)
    for first in range(1, len(there)):
        if there[first - 1] and not there[first] and True in there[first:]:
            gap = range(first, there.index(True, first))
            for at in range(len(text)):
                found[at] |= all(start <= at < start + WINDOW for start in gap)
    return found


def characters(text: str, mask: list[bool]) -> list[bool]:
    found, at = [], 0
    for char in text:
        size = len(char.encode())
        found.append(all(mask[at : at + size]))
        at += size
    return found


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
