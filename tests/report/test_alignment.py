"""Two texts side by side: nothing is lost, and the frame is the longest there is."""

from itertools import combinations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from nearkin.matching.passages import Spans, placed, spans_in
from nearkin.report.alignment import align, in_order
from nearkin.report.side_by_side import rows
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon

CANON = Canon.of(TextSettings())
VOCABULARY = ["Lever", "le\u0301ver", "turn", "12.5", "—", "(left)", "the", "日本", "e-mail", "stop."]

texts = st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join)


@given(st.permutations(range(6)), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_the_frame_is_the_longest_that_keeps_its_order(order: list[int], lengths: list[int]) -> None:
    starts = np.cumsum([0, *lengths])[:-1]
    in_b = [lengths[order.index(at)] for at in range(6)]
    there = np.cumsum([0, *in_b])[:-1][order]
    long = np.array(lengths, np.int64)
    spans = Spans(starts, starts + long, there, there + long)
    frame = in_order(spans)
    assert frame == sorted(frame)
    assert [order[at] for at in frame] == sorted(order[at] for at in frame)
    rising = (
        some
        for size in range(1, 7)
        for some in combinations(range(6), size)
        if [order[at] for at in some] == sorted(order[at] for at in some)
    )
    assert sum(lengths[at] for at in frame) == max(sum(lengths[at] for at in some) for some in rising)


@given(texts, texts, st.integers(1, 12))
@example("Lever (left)", "(left)", 1)
def test_every_word_of_both_texts_is_shown_once_and_in_order(a: str, b: str, least: int) -> None:
    first, second = a.encode(), b.encode()
    spans = spans_in(CANON.apply(first), CANON.apply(second), raw=False, least=least)
    alignment = align(spans, placed(spans, first, second, CANON), first, second, CANON)
    shown = list(rows(alignment, a, b, CANON))
    assert [word.text for row in shown for word in row.a] == a.split()
    assert [word.text for row in shown for word in row.b] == b.split()
    for row in shown:
        if row.block.same:
            one, other = (" ".join(word.text for word in side).encode() for side in (row.a, row.b))
            assert CANON.apply(one) == CANON.apply(other)
