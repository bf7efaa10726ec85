"""Verification: the exact measure of candidate pairs, on the texts, in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.match_columns import MatchColumns, alike, measured
from nearkin.scheme.shingler import Shingler

# Canonical texts; None where a text was not kept.
TextList = list[bytes | None] | _native.HeldTexts
Texts = Callable[[Sequence[int]], TextList]  # by the rows of their contents
Block = NDArray[np.intp] | slice  # positions of pairs

MOST_SLICES = 256  # of two long texts: each is one pass over them
SLICE = 1 << 25  # shingles that are quickly sorted
# Bytes for each byte of texts that are measured at the same time, with their lists. 17 were measured at the most; where
# units are words or lines mostly under 9, and 23 where all words are of one letter.
TIMES = 20
TIMES_OF_UNITS = 26


@dataclass(frozen=True)
class Corpus:
    """The texts that pairs of contents are measured on, and what that may take."""

    lengths: NDArray[np.int64]  # of each content's canonical text, in bytes
    texts: Texts
    memory: int  # bytes of texts that are measured at the same time (room_for_texts)
    threads: int
    ignored: NDArray[np.uint64] | None = None  # shingles that count nowhere, ascending: of templates (Forman 2005 §4)


def room_for_texts(memory: int, shingler: Shingler | None) -> int:
    """Bytes of texts that may be measured at the same time where all of the work may take so much memory."""
    return memory // (TIMES if shingler is None or shingler.unit == "byte" else TIMES_OF_UNITS)


def verify(
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    corpus: Corpus,
    *,
    shingler: Shingler,
    resemblance: float,
    containment: float,
) -> tuple[MatchColumns, NDArray[np.bool_]]:
    """Measure pairs, and say which could be measured: both texts must have been kept.

    Pairs that reach neither bound may be given up before they are measured to the end.
    """
    parts = [MatchColumns.none()]
    possible = np.zeros(len(a), np.bool_)
    lengths, memory = corpus.lengths, corpus.memory
    for block, rows in blocks(a, b, lengths, memory):
        texts = corpus.texts(rows.tolist())
        position = np.zeros(int(rows[-1]) + 1, np.uint32)
        position[rows] = np.arange(len(rows), dtype=np.uint32)
        here_a, here_b = a[block], b[block]
        first, second = position[here_a], position[here_b]
        given: list[bytes] | _native.HeldTexts
        if isinstance(texts, _native.HeldTexts) or all(texts):
            given = cast("list[bytes] | _native.HeldTexts", texts)
            possible[block] = True
        else:
            given, have = [text or b"" for text in texts], np.array([text is not None for text in texts])
            both = have[first] & have[second]
            possible[block] = both
            here_a, here_b, first, second = here_a[both], here_b[both], first[both], second[both]
        about: dict[str, Any] = {"shingler": shingler.native(), "ignored": corpus.ignored}
        held = int(lengths[rows].sum())
        if held > memory and len(first) and shingler.can_be_sliced:  # one pair, or it would have been cut
            slices = min(max(2 * held // max(memory, 1), held // SLICE) + 1, MOST_SLICES)
            pair = (given[int(side[0])] for side in (first, second))
            counts = _native.measure_long(*pair, slices=slices, **about)
            shared, size_a, size_b, shared_bytes = (np.array([number], np.uint64) for number in counts)
        else:
            shared, size_a, size_b, shared_bytes = _native.verify(
                given,
                first,
                second,
                resemblance=resemblance,
                containment=containment,
                threads=corpus.threads,
                **about,
            )
        parts.append(
            measured(
                here_a,
                here_b,
                shared=shared,
                size_a=size_a,
                size_b=size_b,
                shared_bytes=shared_bytes,
                exact=alike(True, len(here_a)),
            )
        )
    return MatchColumns.join(*parts), possible


def blocks(
    a: NDArray[np.uint32], b: NDArray[np.uint32], lengths: NDArray[np.int64], memory: int
) -> Iterator[tuple[Block, NDArray[np.uint32]]]:
    """Pairs in blocks whose texts together fit into memory, so ordered that texts are loaded again as little as can be;
    and the rows of these texts, ascending.

    Contents that hang together are put side by side and cut into tiles of half the memory; a block is the pairs between
    two tiles.
    """
    rows = _rows_of(a, b, len(lengths))
    if lengths[rows].sum() <= memory:
        if len(a):
            yield slice(None), rows
        return
    label = _native.components(int(rows[-1]) + 1, a, b)
    tile = np.zeros(int(rows[-1]) + 1, np.int64)
    number, size = 0, 0
    for row in rows[np.lexsort((rows, label[rows]))].tolist():
        size += int(lengths[row])
        if size > memory // 2:
            number, size = number + 1, int(lengths[row])
        tile[row] = number
    low, high = np.minimum(tile[a], tile[b]), np.maximum(tile[a], tile[b])
    order = np.lexsort((b, a, high, low))
    ends = np.flatnonzero(np.diff(low[order]) | np.diff(high[order])) + 1
    for block in np.split(order, ends):
        there = _rows_of(a[block], b[block], len(lengths))
        if lengths[there].sum() <= memory:  # all but those with texts larger than a tile
            yield block, there
            continue
        for fitting in _fitting(block, a, b, lengths, memory):
            yield fitting, _rows_of(a[fitting], b[fitting], len(lengths))


def _rows_of(a: NDArray[np.uint32], b: NDArray[np.uint32], contents: int) -> NDArray[np.uint32]:
    """The rows of pairs, each once, in order. Marked, not sorted: of half a million pairs that took 0.1 s."""
    there = np.zeros(contents, np.bool_)
    there[a] = there[b] = True
    return np.flatnonzero(there).astype(np.uint32)


def _fitting(
    block: NDArray[np.intp], a: NDArray[np.uint32], b: NDArray[np.uint32], lengths: NDArray[np.int64], memory: int
) -> Iterator[NDArray[np.intp]]:
    """Cut a block where texts larger than a tile make it too large."""
    start, held, size = 0, set[int](), 0
    for i, pair in enumerate(zip(a[block].tolist(), b[block].tolist(), strict=True)):
        new = [row for row in pair if row not in held]
        size += int(lengths[new].sum())
        if size > memory and i > start:
            yield block[start:i]
            start, held, new = i, set(), list(pair)
            size = int(lengths[new].sum())
        held.update(new)
    yield block[start:]
