"""What texts have in common: the shingles of all of them, or of most, as passages of text (Forman 2005 §4)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.distinct import distinct
from nearkin.matching.template import NOTHING, Features, among
from nearkin.scheme.shingler import Shingler


def common_features(lists: Iterable[Features], count: int, tolerance: float) -> Features:
    """Those that at least this share of `count` lists have, ascending.

    One that can no longer be in enough of them is forgotten at once, so that memory is a few lists, not all.
    """
    needed = max(1, ceil(tolerance * count - 1e-9))
    features, counts = NOTHING, np.zeros(0, np.int64)
    for at, one in enumerate(lists):
        mine = distinct(one)
        if at + needed > count:  # what comes now comes too late
            counts += among(features, mine)
        else:
            features, back = np.unique(np.concatenate([features, mine]), return_inverse=True)
            counts = np.bincount(back, np.concatenate([counts, np.ones(len(mine), np.int64)])).astype(np.int64)
        left = counts + (count - at - 1) >= needed
        features, counts = features[left], counts[left]
    return features


def passages_with(texts: Iterable[bytes], wanted: Features, shingler: Shingler) -> list[bytes]:
    """Passages of these texts that have all wanted shingles and no other, taken from as few texts as will do."""
    native = shingler.native()
    missing = wanted
    found: list[bytes] = []
    for text in texts:
        if not len(missing):
            break
        offsets, shingles, _ = native.placed(text)
        inside = among(shingles, wanted)
        new = among(shingles, missing)
        for first, last in _runs(inside):
            if new[first : last + 1].any():
                end = _end(text, int(offsets[last]), int(shingles[last]), shingler)
                found.append(text[int(offsets[first]) : end])
        missing = missing[~among(missing, distinct(shingles))]
    return list(dict.fromkeys(found))


def _runs(inside: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))


def _end(text: bytes, offset: int, shingle: int, shingler: Shingler) -> int:
    """Where a shingle ends. Of words, lines and characters only the kernel knows: the shortest text that has it."""
    if shingler.unit == "byte":
        return min(offset + shingler.window, len(text))
    native, single = shingler.native(), replace(shingler, window=1).native()

    def reaches(end: int) -> bool:
        piece = text[offset:end]
        return single.count(piece) >= shingler.window and int(native.placed(piece)[1][0]) == shingle

    return _least(reaches, offset + 1, len(text), step=8 * shingler.window)


def _least(reaches: Callable[[int], bool], low: int, high: int, *, step: int) -> int:
    """The least number in a range that reaches, where all larger ones do or the highest is all there is."""
    far = low
    while far < high and not reaches(far):
        low, far, step = far, min(high, far + step), 2 * step
    while low < far:
        middle = (low + far) // 2
        if reaches(middle):
            far = middle
        else:
            low = middle + 1
    return far
