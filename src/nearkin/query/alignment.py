"""Two texts side by side: what stands in both in the same order, what differs between, and what was moved.

The common passages that stand in one order in both texts make the frame; the others were moved, or stand once more in
one of the texts. Overlapping ends are cut, so that every character of either text is in one block.

A paragraph put in between two like ones begins and ends as they do, so it can be cut from them at many places: "17. The
supplier shall [clean the rooms. 18. The supplier shall] pay". A reader wants whole paragraphs, else whole lines, else
whole sentences, else whole words.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.passages import IN_ORDER, REPEATED, Passage, Spans, places
from nearkin.text.canon import Canon

FARTHEST = 4_000  # bytes of an overlap, from its end, that are looked at
BACK = 100  # characters before a word that may show how it begins
SENTENCE = frozenset(".!?:;。！？؟")


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of the frame, less what overlaps, in bytes of the canonical texts."""

    number: int
    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A word with which the second of two pieces may begin."""

    after: int  # the number of the first among the pieces
    shift: int  # how far the second begins behind its own start
    a: tuple[int, int]  # where what lies between begins and ends in A
    b: tuple[int, int]


def pieces(spans: Spans, ordered: list[int], a: bytes, b: bytes, canon: Canon) -> list[Piece]:
    """Cut spans that rise in both texts where a reader would cut them. `a` and `b` are extracted texts."""
    cut = list(_rough(spans, ordered))
    canonical = canon.apply(a), canon.apply(b)
    choices = [
        place
        for at in range(len(cut) - 1)
        for place in _choices(at, cut[at], cut[at + 1], spans, canonical[0], canonical[1])
    ]
    if not choices:
        return cut
    quality = np.zeros(len(choices), np.int64)
    for text, ends in ((a, [place.a for place in choices]), (b, [place.b for place in choices])):
        quality += _beginnings(text, canon, np.array(ends, np.int64))
    best: dict[int, tuple[int, _Place]] = {}
    for place, good in zip(choices, quality.tolist(), strict=True):
        if place.after not in best or good >= best[place.after][0]:
            best[place.after] = good, place
    for after, (_, place) in best.items():
        first, second = cut[after], cut[after + 1]
        begin_a, begin_b = (int(column[second.number]) + place.shift for column in (spans.a_start, spans.b_start))
        cut[after] = Piece(first.number, first.a_start, place.a[0], first.b_start, place.b[0])
        cut[after + 1] = Piece(second.number, begin_a, second.a_end, begin_b, second.b_end)
    return cut


def _rough(spans: Spans, ordered: list[int]) -> Iterator[Piece]:
    """The spans, each without what the one before it has."""
    at_a = at_b = 0
    for number in ordered:
        a_start, a_end, b_start, b_end = (
            int(column[number]) for column in (spans.a_start, spans.a_end, spans.b_start, spans.b_end)
        )
        cut = max(0, at_a - a_start, at_b - b_start)
        if a_start + cut < a_end:
            yield Piece(number, a_start + cut, a_end, b_start + cut, b_end)
            at_a, at_b = a_end, b_end


def _choices(after: int, first: Piece, second: Piece, spans: Spans, a: bytes, b: bytes) -> Iterator[_Place]:
    start_a, start_b = int(spans.a_start[second.number]), int(spans.b_start[second.number])
    overlap = second.a_start - start_a
    if overlap == 0:
        return
    length = second.a_end - start_a
    for shift in range(max(0, overlap - FARTHEST), min(overlap + 2, length)):
        begin_a, begin_b = start_a + shift, start_b + shift
        if not _begins_word(a, begin_a) or not _begins_word(b, begin_b):
            continue
        # The first ends before the space, or where it ended anyway.
        back = max(0, overlap - shift + 1)
        end_a, end_b = first.a_end - back, first.b_end - back
        if end_a <= first.a_start or end_a > begin_a or end_b > begin_b:
            continue
        if (back and a[end_a : end_a + 1] != b" ") or (end_a < len(a) and a[end_a - 1 : end_a] == b" "):
            continue
        yield _Place(after, shift, (end_a, begin_a), (end_b, begin_b))


def _begins_word(text: bytes, at: int) -> bool:
    return at < len(text) and text[at : at + 1] != b" " and (at == 0 or text[at - 1 : at] in (b" ", b"\n"))


def _beginnings(extracted: bytes, canon: Canon, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How well a text can be cut where stretches of its canonical form begin and end."""
    text = extracted.decode("latin-1" if canon.raw else "utf-8", "replace")
    first = ends[:, 0] + (ends[:, 1] > ends[:, 0])  # past the space
    quality = np.zeros(len(ends), np.int64)
    for starts in (first, ends[:, 1]):
        within = np.minimum(starts, len(extracted))
        quality += [_beginning(text, place) for place, _ in places(extracted, canon, within, within + 1)]
    return quality


def _beginning(text: str, place: int) -> int:
    """What begins at a place: 3 a paragraph, 2 a line, 1 a sentence, 0 a word."""
    between = ""
    for char in reversed(text[max(0, place - BACK) : place]):
        if char.isalnum():
            break
        between += char
    else:
        if place <= BACK:
            return 3
    lines = between.count("\n")
    return min(lines, 2) + 1 if lines else int(not SENTENCE.isdisjoint(between))


@dataclass(frozen=True)
class AlignedBlock:
    """Stretches of both extracted texts that belong side by side; either may be empty."""

    same: bool
    a_start: int
    a_end: int
    b_start: int
    b_end: int
    passage: int | None = None  # its number among the passages, of those in order


@dataclass(frozen=True)
class Alignment:
    """Two texts, cut into blocks that belong side by side."""

    blocks: list[AlignedBlock]
    elsewhere: dict[int, Passage]  # by number among the passages: moved, or there once more
    repeated: frozenset[int] = frozenset()  # the numbers of these latter


def align(spans: Spans, passages: list[Passage], a: bytes, b: bytes, canon: Canon) -> Alignment:
    """Align two extracted texts by the spans that their canonical forms have in common."""
    ordered = in_order(spans)
    cut = pieces(spans, ordered, a, b, canon)
    first = places(a, canon, *_columns([(piece.a_start, piece.a_end) for piece in cut]))
    second = places(b, canon, *_columns([(piece.b_start, piece.b_end) for piece in cut]))
    lengths = [len(text) if canon.raw else _code_points(text) for text in (a, b)]
    blocks: list[AlignedBlock] = []
    at_a = at_b = 0
    for piece, (a_start, a_end), (b_start, b_end) in zip(cut, first, second, strict=True):
        if a_start > at_a or b_start > at_b:
            blocks.append(AlignedBlock(False, at_a, a_start, at_b, b_start))
        blocks.append(AlignedBlock(True, a_start, a_end, b_start, b_end, piece.number))
        at_a, at_b = a_end, b_end
    if lengths[0] > at_a or lengths[1] > at_b:
        blocks.append(AlignedBlock(False, at_a, lengths[0], at_b, lengths[1]))
    kept = set(ordered)
    repeated = frozenset(np.flatnonzero(spans.kind == REPEATED).tolist())
    return Alignment(blocks, {at: passage for at, passage in enumerate(passages) if at not in kept}, repeated)


def _columns(rows: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    columns = np.array(rows, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _code_points(text: bytes) -> int:
    return len(text.decode("utf-8", "replace"))


def in_order(spans: Spans) -> list[int]:
    """Numbers of the spans that stand in one order in both texts."""
    return np.flatnonzero(spans.kind == IN_ORDER).tolist()
