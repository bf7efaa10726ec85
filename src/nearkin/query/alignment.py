"""Two texts side by side: what stands in both in the same order, what differs between, and what was moved.

Of the common passages those that stand in one order in both texts make the frame; the others were moved, or stand once
more in one of the texts. Overlapping ends are cut, so that every character of either text is in one block.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.passages import IN_ORDER, REPEATED, Passage, Spans, places
from nearkin.report.cut import pieces
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
    elsewhere: dict[int, Passage]  # by number among the passages: moved, or there once more
    repeated: frozenset[int] = frozenset()  # the numbers of these latter


def align(spans: Spans, passages: list[Passage], a: bytes, b: bytes, canon: Canon) -> Alignment:
    """Of canonical spans and their places in the extracted texts."""
    ordered = frame(spans)
    cut = pieces(spans, ordered, a, b, canon)
    first = places(a, canon, *_columns([(one.a_start, one.a_end) for one in cut]))
    second = places(b, canon, *_columns([(one.b_start, one.b_end) for one in cut]))
    lengths = [len(text) if canon.raw else _code_points(text) for text in (a, b)]
    blocks: list[Block] = []
    at_a = at_b = 0
    for piece, (a_start, a_end), (b_start, b_end) in zip(cut, first, second, strict=True):
        if a_start > at_a or b_start > at_b:
            blocks.append(Block(False, at_a, a_start, at_b, b_start))
        blocks.append(Block(True, a_start, a_end, b_start, b_end, piece.number))
        at_a, at_b = a_end, b_end
    if lengths[0] > at_a or lengths[1] > at_b:
        blocks.append(Block(False, at_a, lengths[0], at_b, lengths[1]))
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
