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
Load = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Held:
    """Of a text's windows those that the kept text has, and those that it or some other text that stays has."""

    kept: Bits
    anywhere: Bits


def held_windows(kept: bytes, texts: Sequence[int], load: Load, leaving: Set[int] = frozenset()) -> dict[int, Held]:
    """For each of these texts, of which no two are equal; the others of a text are those that are named here, but for
    such as are leaving: what only these hold is nowhere then."""
    if not texts:
        return {}
    windows = {number: max(len(load(number)) - WINDOW + 1, 0) for number in texts}
    inside = _inside(kept, windows, load)
    lacking = {number: bits for number, bits in inside.items() if _set(bits) < windows[number]}
    anywhere = _anywhere(lacking, windows, load, leaving) if len(lacking) > 1 else {}
    return {number: Held(bits, anywhere.get(number, bits)) for number, bits in inside.items()}


def _inside(kept: bytes, windows: dict[int, int], load: Load) -> dict[int, Bits]:
    """Windows that the kept text has. Most lie in long runs; the others are looked up one by one: in a set of all its
    windows, or, where they are few, in a set of theirs through which it is run."""
    anchors = _native.Anchors(kept, window=WINDOW)
    found = {number: anchors.runs(load(number)) for number in windows}
    asking = {number: runs for number, runs in found.items() if _set(runs) < windows[number]}
    left = sum(windows[number] - _set(runs) for number, runs in asking.items())
    few = 2 * left < len(kept)  # to put a window into a set costs as much as to look up several
    parts = -(-(left if few else len(kept)) // MOST) if left else 0
    for part in range(parts):
        room = 0 if few else len(kept) // parts
        some = _native.WindowSet(window=WINDOW, part=part, parts=parts, room=room)
        if few:
            for number, runs in asking.items():
                some.add(load(number), owner=None, skip=runs)
            some.note(kept, owner=0, skip=NOTHING)
        else:
            some.add(kept, owner=0, skip=NOTHING)
        for number, runs in asking.items():
            found[number] = found[number] | some.held(load(number), several=False, skip=runs)
    return found


def _anywhere(inside: dict[int, Bits], windows: dict[int, int], load: Load, leaving: Set[int]) -> dict[int, Bits]:
    """Windows that the kept text has, or another of these texts that stays. Much of what the kept text lacks lies in
    runs along the one that has most of it; the rest is looked up in a set of all, or, where it is little, in a set of
    its own through which all are run."""
    staying = [number for number in inside if number not in leaving]
    if not staying:
        return inside
    most = max(staying, key=lambda number: windows[number] - _set(inside[number]))
    anchors = _native.Anchors(load(most), window=WINDOW)
    known = {number: inside[number] | anchors.runs(load(number)) for number in staying if number != most}
    known[most] = inside[most] | anchors.met()
    known |= {number: inside[number] | anchors.runs(load(number)) for number in inside if number in leaving}
    asking = {number: bits for number, bits in known.items() if _set(bits) < windows[number]}
    left = sum(windows[number] - _set(bits) for number, bits in asking.items())
    lacking = sum(windows[number] - _set(inside[number]) for number in staying)
    few = 2 * left < lacking
    found = dict(known)
    parts = -(-(left if few else lacking) // MOST) if left else 0
    for part in range(parts):
        pool = _native.WindowSet(window=WINDOW, part=part, parts=parts)
        if few:
            for number, bits in asking.items():
                pool.add(load(number), owner=None, skip=bits)
        for owner, number in enumerate(staying):
            (pool.note if few else pool.add)(load(number), owner=owner, skip=inside[number])
        for number, bits in asking.items():
            found[number] = found[number] | pool.held(load(number), several=number not in leaving, skip=bits)
    return found


def _set(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())


def distinct_prints(text: bytes, modulus: int) -> NDArray[np.uint64]:
    """Fingerprints of a text's windows, sorted, each once; of all, or of those that are divisible by the modulus."""
    found = [np.zeros(0, np.uint64)]
    for start in range(0, max(len(text) - WINDOW + 1, 0), BLOCK):
        prints = _native.fingerprints(text[start : start + BLOCK + WINDOW - 1], WINDOW)
        found.append(prints if modulus == 1 else prints[prints % np.uint64(modulus) == 0])
    return distinct(np.concatenate(found))
