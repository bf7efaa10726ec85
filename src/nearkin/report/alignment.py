"""Two texts side by side: what stands in both in the same order, what differs between, and what was moved.

Of the common passages those that stand in one order in both texts make the frame; the others were moved, or stand once
more in one of the texts. Overlapping ends are cut, so that every character of either text is in one block.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.passages import IN_ORDER, Passage, Spans, places
from nearkin.text.canon import Canon


@dataclass(frozen=True)
class Block:
    """Stretches of both extracted texts that belong side by side; either may be empty."""

    same: bool
    a_start: int
    a_end: int
    b_start: int
    b_end: int
    passage: int | None = None  # its number among the passages, of those in order


@dataclass(frozen=True)
class Alignment:
    blocks: list[Block]
    moved: dict[int, Passage]  # by number among the passages


def align(spans: Spans, passages: list[Passage], a: bytes, b: bytes, canon: Canon) -> Alignment:
    """Of canonical spans and their places in the extracted texts."""
    ordered = frame(spans)
    numbers, cut = _disjoint(spans, ordered)
    first = places(a, canon, cut[:, 0], cut[:, 1])
    second = places(b, canon, cut[:, 2], cut[:, 3])
    lengths = [len(text) if canon.raw else _code_points(text) for text in (a, b)]
    blocks: list[Block] = []
    at_a = at_b = 0
    for number, (a_start, a_end), (b_start, b_end) in zip(numbers, first, second, strict=True):
        if a_start > at_a or b_start > at_b:
            blocks.append(Block(False, at_a, a_start, at_b, b_start))
        blocks.append(Block(True, a_start, a_end, b_start, b_end, number))
        at_a, at_b = a_end, b_end
    if lengths[0] > at_a or lengths[1] > at_b:
        blocks.append(Block(False, at_a, lengths[0], at_b, lengths[1]))
    kept = set(ordered)
    return Alignment(blocks, {at: one for at, one in enumerate(passages) if at not in kept})


def _code_points(text: bytes) -> int:
    return len(text.decode("utf-8", "replace"))


def frame(spans: Spans) -> list[int]:
    """Numbers of the spans that stand in one order in both texts."""
    return np.flatnonzero(spans.kind == IN_ORDER).tolist()


def _disjoint(spans: Spans, ordered: list[int]) -> tuple[list[int], NDArray[np.int64]]:
    """Without overlaps, as rows of a_start, a_end, b_start, b_end; numbers of what is left."""
    kept: list[int] = []
    rows: list[tuple[int, int, int, int]] = []
    at_a = at_b = 0
    for number in ordered:
        one = (int(column[number]) for column in (spans.a_start, spans.a_end, spans.b_start, spans.b_end))
        a_start, a_end, b_start, b_end = one
        cut = max(0, at_a - a_start, at_b - b_start)
        if a_start + cut >= a_end:
            continue
        kept.append(number)
        rows.append((a_start + cut, a_end, b_start + cut, b_end))
        at_a, at_b = a_end, b_end
    return kept, np.array(rows, np.int64).reshape(-1, 4)
