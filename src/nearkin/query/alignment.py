"""Two texts side by side: what stands in both in the same order, what differs between, and what was moved.

Of the common passages those that stand in one order in both texts make the frame; the others were moved, or stand once
more in one of the texts. Overlapping ends are cut, so that every character of either text is in one block.

Where two passages of the frame that overlap are cut apart.

A paragraph put in between two like ones begins and ends as they do, so it may be told to begin at many places: "17. The
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
BACK = 100  # characters before a word that may tell how it begins
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
    """Of spans that rise in both texts, cut where a reader would cut them. `a` and `b` are extracted texts."""
    found = list(_rough(spans, ordered))
    canonical = canon.apply(a), canon.apply(b)
    choices = [
        place
        for at in range(len(found) - 1)
        for place in _choices(at, found[at], found[at + 1], spans, canonical[0], canonical[1])
    ]
    if not choices:
        return found
    told = np.zeros(len(choices), np.int64)
    for text, ends in ((a, [place.a for place in choices]), (b, [place.b for place in choices])):
        told += _beginnings(text, canon, np.array(ends, np.int64))
    best: dict[int, tuple[int, _Place]] = {}
    for place, how in zip(choices, told.tolist(), strict=True):
        if place.after not in best or how >= best[place.after][0]:
            best[place.after] = how, place
    for after, (_, place) in best.items():
        one, other = found[after], found[after + 1]
        begin_a, begin_b = (int(column[other.number]) + place.shift for column in (spans.a_start, spans.b_start))
        found[after] = Piece(one.number, one.a_start, place.a[0], one.b_start, place.b[0])
        found[after + 1] = Piece(other.number, begin_a, other.a_end, begin_b, other.b_end)
    return found


def _rough(spans: Spans, ordered: list[int]) -> Iterator[Piece]:
    """Each less what the one before has."""
    at_a = at_b = 0
    for number in ordered:
        a_start, a_end, b_start, b_end = (
            int(column[number]) for column in (spans.a_start, spans.a_end, spans.b_start, spans.b_end)
        )
        cut = max(0, at_a - a_start, at_b - b_start)
        if a_start + cut < a_end:
            yield Piece(number, a_start + cut, a_end, b_start + cut, b_end)
            at_a, at_b = a_end, b_end


def _choices(after: int, one: Piece, other: Piece, spans: Spans, a: bytes, b: bytes) -> Iterator[_Place]:
    start_a, start_b = int(spans.a_start[other.number]), int(spans.b_start[other.number])
    overlap = other.a_start - start_a
    if overlap == 0:
        return
    length = other.a_end - start_a
    for shift in range(max(0, overlap - FARTHEST), min(overlap + 2, length)):
        begin_a, begin_b = start_a + shift, start_b + shift
        if not _begins_word(a, begin_a) or not _begins_word(b, begin_b):
            continue
        # The first ends before the space, or where it ended anyway.
        back = max(0, overlap - shift + 1)
        end_a, end_b = one.a_end - back, one.b_end - back
        if end_a <= one.a_start or end_a > begin_a or end_b > begin_b:
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
    found = np.zeros(len(ends), np.int64)
    for starts in (first, ends[:, 1]):
        within = np.minimum(starts, len(extracted))
        found += [_beginning(text, place) for place, _ in places(extracted, canon, within, within + 1)]
    return found


def _beginning(text: str, place: int) -> int:
    """3 of a paragraph, 2 of a line, 1 of a sentence, 0 of a word."""
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
    blocks: list[AlignedBlock]
    elsewhere: dict[int, Passage]  # by number among the passages: moved, or there once more
    repeated: frozenset[int] = frozenset()  # the numbers of these latter


def align(spans: Spans, passages: list[Passage], a: bytes, b: bytes, canon: Canon) -> Alignment:
    """Of canonical spans and their places in the extracted texts."""
    ordered = frame(spans)
    cut = pieces(spans, ordered, a, b, canon)
    first = places(a, canon, *_columns([(one.a_start, one.a_end) for one in cut]))
    second = places(b, canon, *_columns([(one.b_start, one.b_end) for one in cut]))
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
    return Alignment(blocks, {at: one for at, one in enumerate(passages) if at not in kept}, repeated)


def _columns(rows: list[tuple[int, int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    columns = np.array(rows, np.int64).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _code_points(text: bytes) -> int:
    return len(text.decode("utf-8", "replace"))


def frame(spans: Spans) -> list[int]:
    """Numbers of the spans that stand in one order in both texts."""
    return np.flatnonzero(spans.kind == IN_ORDER).tolist()
