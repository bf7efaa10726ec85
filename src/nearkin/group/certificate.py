"""What a document would take with it: how much of its text lies in the one that is kept, exactly, and what does not.

Measured on the extracted text, byte for byte: in canonical text "-5" is "5", and nothing may be removed on that ground.
A character is *contained* if it lies in a run of at least 20 bytes that the kept text holds too. Where two such runs
meet and the kept text goes on otherwise ("did approve" beside "did not approve"), the characters around the break are
missing: so nothing is missing if, and only if, the kept text holds every 20 bytes in a row of this one. A text under
20 bytes is contained if the kept one holds it whole.

What is missing is of three kinds. *Respaced* lies in the kept text but for spacing, line breaks and Unicode forms: to a
reader it is there. *Residue* is in no other text that stays of the family, not even so. The rest is in another one.

Windows are compared byte by byte, so that none is taken for another.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nearkin.group.folded import Folded
from nearkin.group.windows import WINDOW, Bits, Held, held_windows

LISTED = 100  # passages of residue that are listed with their text …
LONGEST = 2000  # … and characters of each; their number and places are told in full
REMEMBERED = 1 << 26  # bytes of texts that are kept at hand, for they are read several times

Mask = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Passage:
    """In code points of the extracted text, or in bytes where it was taken raw."""

    start: int
    end: int
    text: str  # its beginning, where it is long


@dataclass(frozen=True, slots=True)
class Certificate:
    characters: int
    contained: int  # of them lie in the kept text
    residue: int  # of them lie in no other text of the family that stays, whatever its spacing
    passages: tuple[Passage, ...] = ()  # the residue; the first ones
    all_listed: bool = True
    respaced: int = 0  # of those that are not contained: they are, but for spacing and Unicode forms

    @property
    def share(self) -> float:
        return self.contained / self.characters if self.characters else 1.0

    @property
    def missing(self) -> int:
        """Characters that the kept text does not hold."""
        return self.characters - self.contained


class UncertifiedError(Exception):
    """Texts that sets of windows do not take, in words: over 1,048,574 distinct ones, or one of over 4 GB."""


def certify(
    kept: bytes,
    texts: Sequence[int],
    load: Callable[[int], bytes],
    *,
    raw: bool = False,
    leaving: Set[int] = frozenset(),
) -> dict[int, Certificate]:
    """For each of these texts. Equal ones are one: they share their fate. Those that are `leaving` vouch for nobody."""
    load = _remembering(load)
    same: dict[bytes, int] = {sha256(kept).digest(): -1}
    first = {number: same.setdefault(sha256(load(number)).digest(), number) for number in texts}
    distinct = [number for number in texts if first[number] == number]
    gone = frozenset(distinct) - {first[number] for number in texts if number not in leaving}
    exactly = _held(kept, distinct, load, gone)
    lacking = [] if raw else [number for number in distinct if _lacks(load(number), kept, exactly[number])]
    plain = Folded.of(kept).text
    to_readers = _held(plain, lacking, _remembering(lambda number: Folded.of(load(number)).text), gone)
    found: dict[int, Certificate] = {}
    for number in texts:
        if first[number] == number:
            text = load(number)
            folded = (Folded.of(text), plain, to_readers[number]) if number in to_readers else None
            found[number] = _certificate(text, kept, exactly[number], folded, raw=raw)
        elif first[number] == -1:
            whole = int(_starts(kept, raw=raw).sum())
            found[number] = Certificate(whole, whole, 0)
        else:
            found[number] = found[first[number]]
    return found


def _held(kept: bytes, texts: Sequence[int], load: Callable[[int], bytes], leaving: Set[int]) -> dict[int, Held]:
    try:
        return held_windows(kept, texts, load, leaving)
    except ValueError as why:
        raise UncertifiedError(str(why)) from why


def _remembering(load: Callable[[int], bytes]) -> Callable[[int], bytes]:
    kept: dict[int, bytes] = {}
    room = REMEMBERED

    def remembered(number: int) -> bytes:
        nonlocal room
        if number in kept:
            return kept[number]
        text = load(number)
        if len(text) <= room:
            room -= len(text)
            kept[number] = text
        return text

    return remembered


def _lacks(text: bytes, kept: bytes, held: Held) -> bool:
    if len(text) < WINDOW:
        return text not in kept
    return int(np.bitwise_count(held.kept).sum()) < len(text) - WINDOW + 1


def _certificate(
    text: bytes, kept: bytes, held: Held, folded: tuple[Folded, bytes, Held] | None, *, raw: bool
) -> Certificate:
    starts = _starts(text, raw=raw)
    inside, anywhere = _bytes_held(text, kept, held)
    missing = _aligned(~inside, starts)
    lonely = missing & _aligned(~anywhere, starts)  # borders of what others hold would count twice
    respaced = 0
    if folded is not None:
        fold, plain, reading = folded
        there, somewhere = (fold.back(mask) for mask in _bytes_held(fold.text, plain, reading))
        respaced = int((missing & starts & ~_aligned(~there, starts)).sum())
        lonely &= _aligned(~somewhere, starts)
    characters = int(starts.sum())
    runs = _runs(lonely)
    before = np.concatenate([[0], np.cumsum(starts, dtype=np.uint32)])  # characters up to each byte
    listed = tuple(
        _passage(text, start, end, int(before[start]), int(before[end])) for start, end in runs[:LISTED].tolist()
    )
    return Certificate(
        characters,
        characters - int((missing & starts).sum()),
        int((lonely & starts).sum()),
        listed,
        len(runs) <= LISTED and all(one.end - one.start <= LONGEST for one in listed),
        respaced,
    )


def _bytes_held(text: bytes, kept: bytes, held: Held) -> tuple[Mask, Mask]:
    """By byte: whether the kept text holds it, and whether any other does."""
    if len(text) < WINDOW:
        inside = np.full(len(text), text in kept)
        return inside, inside
    kept_bytes = _covered(held.kept, len(text))
    return kept_bytes, kept_bytes if held.anywhere is held.kept else _covered(held.anywhere, len(text))


def _starts(text: bytes, *, raw: bool) -> Mask:
    """Where code points begin; of raw bytes each is one."""
    data = np.frombuffer(text, np.uint8)
    begins: Mask = np.ones(len(data), np.bool_) if raw else (data & 0xC0) != 0x80
    begins[:1] = True
    return begins


def _covered(windows: Bits, length: int) -> Mask:
    """Bytes that lie in some of these windows, but for those around a break: in all windows of a gap between them.

    Of runs, not of single windows: a byte lies in at most ten of them.
    """
    held = np.unpackbits(windows, count=length - WINDOW + 1).astype(np.bool_)
    runs = _runs(held)
    change = np.zeros(length + 1, np.int8)
    change[runs[:, 0]] = 1
    change[runs[:, 1] + WINDOW - 1] -= 1
    covered: Mask = np.cumsum(change[:-1], dtype=np.int8) > 0
    first, last = runs[:-1, 1], runs[1:, 0] - 1  # of each gap between two runs
    short = last - first < WINDOW - 1  # longer ones leave bytes bare
    change[:] = 0
    change[last[short]] = 1
    change[first[short] + WINDOW] -= 1
    covered &= np.cumsum(change[:-1], dtype=np.int8) <= 0
    return covered


def _aligned(mask: Mask, starts: Mask) -> Mask:
    """All bytes of code points that have one in the mask."""
    if starts.all():
        return mask
    runs = _runs(mask)
    first, end = runs[:, 0], runs[:, 1]
    while len(inner := np.flatnonzero(~starts[first])):
        first[inner] -= 1
    bounded = np.append(starts, True)
    while len(inner := np.flatnonzero(~bounded[end])):
        end[inner] += 1
    change = np.zeros(len(mask) + 1, np.int8)
    np.add.at(change, first, 1)  # two runs may have one code point
    np.add.at(change, end, -1)
    whole: Mask = np.cumsum(change[:-1], dtype=np.int8) > 0
    return whole


def _runs(mask: Mask) -> Places:
    """(start, end) of each run of True."""
    if not len(mask):
        return np.zeros((0, 2), np.int64)
    edges = np.flatnonzero(mask[1:] != mask[:-1]) + 1
    edges = np.concatenate([[0] if mask[0] else [], edges, [len(mask)] if mask[-1] else []])
    return edges.astype(np.int64).reshape(-1, 2)


def _passage(text: bytes, start: int, end: int, first: int, last: int) -> Passage:
    """Of these bytes, which begin with this character; the text may be long."""
    shown = text[start : min(end, start + 4 * LONGEST)].decode("utf-8", "surrogateescape")[:LONGEST]
    return Passage(first, last, shown.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
