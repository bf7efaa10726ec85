"""Common passages: against the slow way, and what people expect of them."""

from itertools import pairwise, takewhile

from hypothesis import example, given
from hypothesis import strategies as st

from nearkin import _native
from nearkin.matching.passages import common_passages, word_edits
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon
from oracle.passages import chosen_runs, distance

CANON = Canon.of(TextSettings())
RAW = Canon.of(TextSettings(raw=True))
FRAME = 0

words = st.lists(st.sampled_from(["a", "b", "ab", "ba", "é", "éa", "日本"]), max_size=14).map(" ".join)
letters = st.text("ab", max_size=24)


def placed(a: str, b: str, least: int, *, raw: bool) -> list[tuple[int, int, int, int, int]]:
    encoding = "latin-1" if raw else "utf-8"
    first, second = a.encode(encoding), b.encode(encoding)
    found, kinds = _native.passages(first, second, least=least, raw=raw)
    columns = (column.tolist() for column in (*found, kinds))

    def at(text: bytes, byte: int) -> int:
        return len(text[:byte].decode(encoding))

    return [
        (at(first, a0), at(first, a1), at(second, b0), at(second, b1), kind)
        for a0, a1, b0, b1, kind in zip(*columns, strict=True)
    ]


def judged(a: str, b: str, least: int, *, raw: bool) -> None:
    found = placed(a, b, least, raw=raw)
    assert found == sorted(found, key=lambda one: (one[0], one[2], one[1]))
    assert len({one[:4] for one in found}) == len(found)
    for a0, a1, b0, b1, _ in found:
        assert a[a0:a1] == b[b0:b1]
        assert a1 - a0 >= least
        assert a[a0:a1] == a[a0:a1].strip(None if not raw else "")
        before, after = zip(a[:a0][::-1], b[:b0][::-1], strict=False), zip(a[a1:], b[b1:], strict=False)
        for beyond in (before, after):  # as long as it can be there
            same = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], beyond))
            assert not (same if raw else same.strip(" "))
    frame = [one for one in found if one[4] == FRAME]
    assert all(x < y for one, other in pairwise(frame) for x, y in zip(one[:4], other[:4], strict=True))
    # Which of several places is named is free; whichever it is, nothing long enough of either text is left out.
    for text, other, at in ((a, b, 0), (b, a, 2)):
        covered = {place for one in found for place in range(one[at], one[at + 1])}
        assert not chosen_runs(text, other, least, covered, words=not raw)


@given(words, words, st.integers(1, 5))
@example("a b", "a b a b", 1)
def test_passages_are_those_of_the_slow_way(a: str, b: str, least: int) -> None:
    judged(a, b, least, raw=False)


@st.composite
def repeated(draw: st.DrawFn) -> tuple[str, str]:
    """Texts made of a few phrases, as tables and forms are."""
    phrase = st.lists(st.sampled_from(["a", "b", "ab", "é"]), min_size=1, max_size=6).map(" ".join)
    texts = st.lists(st.sampled_from(draw(st.lists(phrase, min_size=1, max_size=4))), max_size=12).map(" ".join)
    return draw(texts), draw(texts)


@given(repeated(), st.integers(1, 8))
def test_passages_of_texts_that_repeat_themselves(texts: tuple[str, str], least: int) -> None:
    judged(*texts, least, raw=False)


@given(letters, letters, st.integers(1, 5))
@example("a" * 24, "a" * 5, 2)
def test_passages_of_bytes_are_those_of_the_slow_way(a: str, b: str, least: int) -> None:
    judged(a, b, least, raw=True)


@given(st.binary(max_size=40), st.binary(max_size=10), st.binary(max_size=10))
def test_every_byte_may_occur(inside: bytes, before: bytes, after: bytes) -> None:
    every = bytes(range(256))
    first, second = before + every + inside, every + after
    found, _ = _native.passages(first, second, least=200, raw=True)
    a0, a1, b0, b1 = (column.tolist() for column in found)
    assert all(first[s:e] == second[t:f] for s, e, t, f in zip(a0, a1, b0, b1, strict=True))
    assert len(a0) == 1


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_edits_are_as_few_as_can_be_and_make_one_text_of_the_other(a: list[str], b: list[str]) -> None:
    first, second = " ".join(a).encode(), " ".join(b).encode()
    found = word_edits(first, second, most=100)
    assert found is not None
    assert found.distance == distance(a, b)
    made, at = [], 0
    for edit in found.edits:
        made += first[at : edit.a_start].split()
        made += second[edit.b_start : edit.b_end].split()
        at = edit.a_end
    assert made + first[at:].split() == second.split()
    if found.distance:
        assert word_edits(first, second, most=found.distance - 1) is None


MOVED = "Turn the lever to the left, then lift the cover. "
OTHER = "Nobody may open the box while the engine is running! "


def test_moved_blocks_are_found_with_their_places() -> None:
    a, b = f"{MOVED}{OTHER}", f"{OTHER}{MOVED}"
    found = common_passages(a.encode(), b.encode(), CANON, least=20)
    assert [a[one.a_start : one.a_end] for one in found] == [MOVED.strip(" ."), OTHER.strip(" !")]
    assert [b[one.b_start : one.b_end] for one in found] == [MOVED.strip(" ."), OTHER.strip(" !")]


def test_a_block_pasted_twice_is_found_twice() -> None:
    found = common_passages(MOVED.encode(), f"{MOVED}\n\n--- and again: {MOVED}".encode(), CANON, least=20)
    assert [(one.a_start, one.a_end) for one in found] == [(0, 47), (0, 47)]
    assert [one.b_start for one in found] == [0, 66]


def test_places_are_those_of_the_extracted_text() -> None:
    a = "§ 1.  ÉTUDE  de  l\u2019e\u0301te\u0301 — une longue e\u0301tude; fin e\u0301te\u0301"
    b = "Avant. Étude, de l'été: une longue étude. Fin: été"
    (one,) = common_passages(a.encode(), b.encode(), CANON, least=20)
    assert a[one.a_start : one.a_end] == a[6:]
    assert b[one.b_start : one.b_end] == b[7:]


def test_short_noise_is_left_out() -> None:
    assert common_passages(b"one and the same", b"quite another and the rest", CANON, least=20) == []
    assert len(common_passages(b"one and the same", b"quite another and the rest", CANON, least=7)) == 1


def test_raw_places_are_bytes() -> None:
    (one,) = common_passages(b"\x00\xff" + b"-5 " * 9, b"\xfe" + b"-5 " * 9, RAW, least=20)
    assert (one.a_start, one.a_end, one.b_start, one.b_end) == (2, 29, 1, 28)
