"""The windows of texts, 20 bytes in a row each: which are in another text, byte for byte; and how many distinct ones.

All is done within bounds: the windows of large texts are taken part by part, each part a share of them by their hash,
so that a set has at most `MOST` of them (200 MB); texts are then read once more for each part.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.distinct import distinct

WINDOW = 20  # bytes: about three words; shorter runs are in any two texts
MOST = 1 << 23  # windows of a set at a time
BLOCK = 1 << 22  # bytes whose fingerprints are made at a time

Bits = NDArray[np.uint8]  # one bit a window, the first in the highest bit of the first byte
NOTHING = np.zeros(0, np.uint8)


@dataclass(frozen=True, slots=True)
class Held:
    """Of a text's windows those that the kept text has, and those that it or some other text that stays has."""

    kept: Bits
    anywhere: Bits


def held_windows(
    kept: bytes, texts: Sequence[int], load: Callable[[int], bytes], leaving: Set[int] = frozenset()
) -> dict[int, Held]:
    """For each of these texts, of which no two are equal; the others of a text are those that are named here, but for
    such as are leaving: what only these hold is nowhere then."""
    if not texts:
        return {}
    inside: dict[int, Bits] = {}
    parts = -(-len(kept) // MOST) or 1
    for part in range(parts):
        base = _native.WindowSet(window=WINDOW, part=part, parts=parts)
        base.add(kept, owner=0, skip=NOTHING)
        for number in texts:
            found = base.held(load(number), several=False)
            inside[number] = inside[number] | found if part else found
    if len(texts) == 1:
        return {number: Held(bits, bits) for number, bits in inside.items()}
    windows = sum(max(len(load(number)) - WINDOW + 1, 0) for number in texts)
    missing = windows - sum(int(np.bitwise_count(bits).sum()) for bits in inside.values())
    staying = [number for number in texts if number not in leaving]
    anywhere = dict(inside)
    parts = -(-missing // MOST)  # none, where the kept text has all
    for part in range(parts):
        pool = _native.WindowSet(window=WINDOW, part=part, parts=parts)
        for owner, number in enumerate(staying):
            pool.add(load(number), owner=owner, skip=inside[number])
        for number in texts:
            anywhere[number] = anywhere[number] | pool.held(load(number), several=number not in leaving)
    return {number: Held(inside[number], anywhere[number]) for number in texts}


def distinct_prints(text: bytes, modulus: int) -> NDArray[np.uint64]:
    """Fingerprints of a text's windows, sorted, each once; of all, or of those that are divisible by the modulus."""
    found = [np.zeros(0, np.uint64)]
    for start in range(0, max(len(text) - WINDOW + 1, 0), BLOCK):
        prints = _native.fingerprints(text[start : start + BLOCK + WINDOW - 1], WINDOW)
        found.append(prints if modulus == 1 else prints[prints % np.uint64(modulus) == 0])
    return distinct(np.concatenate(found))
