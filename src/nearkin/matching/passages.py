"""Passages that texts share (docs/decisions/024-passages.md).

- `common_passages`: the common passages of two documents, with their places in the extracted texts. They are found in
  the canonical texts, so that "Turn the LEVER" and "turn — the lever" are one passage, and then looked up in the map
  that says where each canonical character came from. That map takes 8 bytes a character and is made for one text at a
  time.
- `texts_holding`: the contents of a store that hold a stretch of a text, of at least so many bytes. Signatures with all
  the shingles of a text (short documents under `exact` and `mod`) answer by themselves: a stretch as long as the window
  is in both, or no shingle is. A sample may miss it: at modulus 64 a stretch of 100 bytes has 81 shingles and escapes
  28 times in 100. So the kept texts of all other contents are rolled through, a batch at a time: every window of theirs
  is looked up among those of the text. The caller verifies the contents it gets.
- `word_edits`: how many words must be put in, taken out or replaced to make one text of another (Cherkasova 2009 §5).
"""

import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.errors import InputError
from nearkin.matching.candidates import distinct
from nearkin.scheme import Scheme, sign
from nearkin.scheme.mod import Exact, Mod
from nearkin.scheme.shingler import ALL_BITS
from nearkin.store.contents import Contents, present_contents, texts_of
from nearkin.store.signatures import moduli_of
from nearkin.text.canon import Canon

if TYPE_CHECKING:
    from nearkin.matching.feature_index import FeatureIndex

MOST = 2**31 - 4  # bytes of both texts: what an index of 32 bits reaches
LEAST = 20  # characters: the window of shingles, so that what resembles at all has a passage to show

IN_ORDER, MOVED, REPEATED = range(3)  # in one order in both texts; elsewhere in the other; there and here


@dataclass(frozen=True, slots=True, order=True)
class Passage:
    """A passage of two texts, from start to end: in code points of the extracted texts, in bytes of raw ones."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True)
class Spans:
    """Passages in bytes of the canonical texts, as columns, and the kind of each."""

    a_start: NDArray[np.int64]
    a_end: NDArray[np.int64]
    b_start: NDArray[np.int64]
    b_end: NDArray[np.int64]
    kind: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.a_start)


def spans_in(a: bytes, b: bytes, *, raw: bool, least: int = LEAST) -> Spans:
    """The common passages of two canonical texts. Equal texts are one passage, however short."""
    if a == b:
        count = int(bool(a))
        begin, end = np.zeros(count, np.int64), np.full(count, len(a), np.int64)
        return Spans(begin, end, begin, end, np.full(count, IN_ORDER, np.uint8))
    if len(a) + len(b) > MOST:
        raise InputError("The two texts together have over 2 GB, too much to compare; compare parts of them.")
    columns, kind = _native.passages(a, b, least=least, raw=raw)
    a_start, a_end, b_start, b_end = (column.astype(np.int64) for column in columns)
    return Spans(a_start, a_end, b_start, b_end, kind)


def common_passages(a: bytes, b: bytes, canon: Canon, *, least: int = LEAST) -> list[Passage]:
    """The common passages of two extracted texts."""
    return placed(spans_in(canon.apply(a), canon.apply(b), raw=canon.raw, least=least), a, b, canon)


def placed(spans: Spans, a: bytes, b: bytes, canon: Canon) -> list[Passage]:
    """The passages in the extracted texts that the canonical ones were made of."""
    in_a = places(a, canon, spans.a_start, spans.a_end)
    in_b = places(b, canon, spans.b_start, spans.b_end)
    return [Passage(*place_a, *place_b) for place_a, place_b in zip(in_a, in_b, strict=True)]


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
    """Where a passage ends with the marks and invisible characters that follow it."""
    while end < len(text) and unicodedata.category(text[end]) in ("Mn", "Mc", "Me", "Cf"):
        end += 1
    return end


def covered(ranges: Iterable[tuple[int, int]]) -> int:
    """How much lies in at least one of these ranges."""
    total = reached = 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


AT_ONCE = 256  # texts


def features_are_conclusive(scheme: Scheme, least: int) -> bool:
    """Whether signatures of modulus 1 hold every stretch of so many bytes."""
    if not isinstance(scheme, Mod | Exact):
        return False
    shingler = scheme.shingler
    return shingler.unit == "byte" and not shingler.label and shingler.bits == ALL_BITS and shingler.window <= least


def contents_sharing_features(index: "FeatureIndex", text: bytes, scheme: Scheme) -> set[int]:
    """Contents that share a stored feature with a text, at whatever modulus."""
    features = sign(text, scheme.unsampled if isinstance(scheme, Mod) else scheme).features
    _, contents = index.lists(distinct(features))
    return set(contents.tolist())


def contents_to_read(
    connection: sqlite3.Connection, scheme: Scheme, scheme_id: int, shared: set[int] | None, *, quick: bool
) -> list[int]:
    """Contents whose text decides, by digest; `shared`: which share a feature, None where features say nothing."""
    contents: Contents = present_contents(connection, scheme_id)
    if shared is None:
        return contents.numbers
    sampled = moduli_of(connection, scheme_id, contents) > 1
    return [
        content
        for content, is_sample in zip(contents.numbers, sampled.tolist(), strict=True)
        if content in shared or (is_sample and not quick)
    ]


def texts_holding(
    connection: sqlite3.Connection, contents: list[int], text: bytes, canon: Canon, *, window: int, threads: int
) -> Iterator[tuple[int, bytes]]:
    """Each content that very likely holds a window of the text, with its extracted text."""
    for start in range(0, len(contents), AT_ONCE):
        batch = list(texts_of(connection, contents[start : start + AT_ONCE]))
        batch.sort()
        made = canon.apply_all([extracted for _, extracted in batch], threads=threads)
        holding = _native.holding(text, made, window=window, threads=threads)
        yield from (content for content, holds in zip(batch, holding, strict=True) if holds)


MOST_EDITS = 2_000  # edits; the square of it in steps and, four times, in bytes: 0.05 s and 16 MB where it is reached


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of words, in bytes of the texts; an empty range says where words were put in or taken out."""

    a_start: int
    a_end: int
    b_start: int
    b_end: int


@dataclass(frozen=True)
class WordEdits:
    """The changes of words between two texts."""

    distance: int  # in words
    edits: list[Edit]  # neighbours as one, in the order of the texts


def word_edits(a: bytes, b: bytes, *, most: int = MOST_EDITS) -> WordEdits | None:
    """The edits of texts whose words are separated by single spaces, as canonical ones are; None: over `most`."""
    edits = _native.word_edits(a, b, most=most)
    if edits is None:
        return None
    distance, columns = edits
    return WordEdits(distance, [Edit(*places) for places in zip(*(column.tolist() for column in columns), strict=True)])
