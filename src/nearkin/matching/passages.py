"""Common passages of two documents, with their places in the extracted texts (docs/decisions/024-passages.md).

They are found in the canonical texts, so that "Turn the LEVER" and "turn — the lever" are one passage, and then looked
up in the map that says where each canonical character came from. That map takes 8 bytes a character and is made for
one text at a time.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import InputError
from nearkin.text.canon import Canon

MOST = 2**31 - 4  # bytes of both texts: what an index of 32 bits reaches
LEAST = 20  # characters: the window of shingles, so that what resembles at all has a passage to show

IN_ORDER, MOVED, REPEATED = range(3)  # in one order in both texts; elsewhere in the other; there and here


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """From start to end, in code points of the extracted texts; in bytes where these are raw."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True)
class Spans:
    """The same in bytes of the canonical texts, as columns, and what each is."""

    a_start: NDArray[np.int64]
    a_end: NDArray[np.int64]
    b_start: NDArray[np.int64]
    b_end: NDArray[np.int64]
    kind: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.a_start)


def spans_in(a: bytes, b: bytes, *, raw: bool, least: int = LEAST) -> Spans:
    """Of canonical texts. Equal ones are one passage, however short."""
    if a == b:
        one = int(bool(a))
        begin, end = np.zeros(one, np.int64), np.full(one, len(a), np.int64)
        return Spans(begin, end, begin, end, np.full(one, IN_ORDER, np.uint8))
    if len(a) + len(b) > MOST:
        raise InputError("The two texts together have over 2 GB, too much to compare; compare parts of them.")
    found, kind = _native.passages(a, b, least=least, raw=raw)
    a_start, a_end, b_start, b_end = (column.astype(np.int64) for column in found)
    return Spans(a_start, a_end, b_start, b_end, kind)


def common_passages(a: bytes, b: bytes, canon: Canon, *, least: int = LEAST) -> list[Passage]:
    """Of extracted texts."""
    return placed(spans_in(canon.apply(a), canon.apply(b), raw=canon.raw, least=least), a, b, canon)


def placed(spans: Spans, a: bytes, b: bytes, canon: Canon) -> list[Passage]:
    """In the extracted texts these canonical ones were made of."""
    first = places(a, canon, spans.a_start, spans.a_end)
    second = places(b, canon, spans.b_start, spans.b_end)
    return [Passage(*one, *other) for one, other in zip(first, second, strict=True)]


def places(extracted: bytes, canon: Canon, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Where stretches of a canonical text lie in the extracted one. They begin and end with no space."""
    if canon.raw or not len(starts):
        return list(zip(starts.tolist(), ends.tolist(), strict=True))
    canonical, origin = canon.apply_map(extracted)
    # Up to where the next character came from: marks and what is invisible belong to the character before.
    last = origin[np.maximum(ends, 1) - 1].astype(np.int64) + 1
    after = origin[np.minimum(ends, len(origin) - 1)].astype(np.int64)
    empty = starts == ends
    begin = np.where(starts < len(origin), origin[np.minimum(starts, len(origin) - 1)].astype(np.int64), last)
    stop = np.where(empty, begin, np.where(ends < len(origin), np.maximum(after, last), last))
    if (at_end := (ends == len(canonical)) & ~empty).any():
        text = extracted.decode("utf-8", "replace")
        stop[at_end] = _with_marks(text, int(last[at_end][0]))
    return list(zip(begin.tolist(), stop.tolist(), strict=True))


def _with_marks(text: str, end: int) -> int:
    while end < len(text) and unicodedata.category(text[end]) in ("Mn", "Mc", "Me", "Cf"):
        end += 1
    return end


def covered(ranges: Iterable[tuple[int, int]]) -> int:
    """How much lies in at least one of these."""
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
