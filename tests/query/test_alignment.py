"""Two texts side by side: nothing is lost, and the frame is the longest there is."""

from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from nearkin.matching.passages import placed, spans_in
from nearkin.query.alignment import align, in_order
from nearkin.report.word_marks import joined, rows
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon

CANON = Canon.of(TextSettings())
VOCABULARY = [
    "Lever",
    "le\u0301ver",
    "turn",
    "12.5",
    "—",
    "(left)",
    "the",
    "日本",
    "本。",
    "le本12日",
    "e-mail",
    "stop.",
]

texts = st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join)


@given(st.permutations(range(6)), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_frame_is_the_longest_that_keeps_its_order(order: list[int], lengths: list[int]) -> None:
    lengths = [1000 * long for long in lengths]  # so that what a piece costs decides nothing
    blocks = [chr(ord("a") + at) * long for at, long in enumerate(lengths)]
    a, b = " ".join(blocks).encode(), " ".join(blocks[at] for at in order).encode()
    spans = spans_in(a, b, raw=False)
    kept = [(int(spans.a_start[at]), int(spans.a_end[at])) for at in in_order(spans)]
    rising = (
        sum(lengths[at] for at in some)
        for size in range(1, 7)
        for some in combinations(order, size)
        if list(some) == sorted(some)
    )
    assert sum(len(a[start:end].replace(b" ", b"")) for start, end in kept) == max(rising)


@given(texts, texts, st.integers(1, 12))
@example("Lever (left)", "(left)", 1)
def test_every_word_of_both_texts_is_shown_once_and_in_order(a: str, b: str, least: int) -> None:
    first, second = a.encode(), b.encode()
    spans = spans_in(CANON.apply(first), CANON.apply(second), raw=False, least=least)
    alignment = align(spans, placed(spans, first, second, CANON), first, second, CANON)
    shown = list(rows(alignment, a, b, CANON))
    assert "".join(word.text for row in shown for word in row.a) == "".join(a.split())
    assert "".join(word.text for row in shown for word in row.b) == "".join(b.split())
    for row in shown:
        if row.block.same:
            one, other = (joined(side).encode() for side in (row.a, row.b))
            assert CANON.apply(one) == CANON.apply(other)
