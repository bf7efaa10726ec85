"""What a document would take with it: how much of its text lies in the one that is kept, exactly, and what does not.

Measured on the extracted text, byte for byte: in canonical text "-5" is "5", and nothing may be removed on that ground.
A character is *contained* if it lies in a run of at least 20 bytes that the kept text holds too. Where two such runs
meet and the kept text goes on otherwise ("did approve" beside "did not approve"), the characters around the break are
missing: so nothing is missing if, and only if, the kept text holds every 20 bytes in a row of this one. *Residue* is
what is missing in all other texts of the family. A text under 20 bytes is contained if the kept one holds it whole.

Runs are found by the fingerprints of all 20-byte windows and compared byte by byte: a collision of fingerprints, by
chance or on purpose, can only make more text count as residue, never less.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from nearkin import _native

WINDOW = 20  # bytes: about three words; shorter runs are in any two texts
LISTED = 100  # passages of residue that are listed with their text …
LONGEST = 2000  # … and characters of each; their number and places are told in full
AT_ONCE = 1 << 16  # windows compared byte by byte at a time

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
    residue: int  # of them lie in no other text of the family
    passages: tuple[Passage, ...] = ()  # the residue; the first ones
    all_listed: bool = True

    @property
    def share(self) -> float:
        return self.contained / self.characters if self.characters else 1.0

    @property
    def missing(self) -> int:
        """Characters that the kept text does not hold."""
        return self.characters - self.contained


def certify(
    kept: bytes, texts: Sequence[int], load: Callable[[int], bytes], *, raw: bool = False
) -> dict[int, Certificate]:
    """For each of these texts. Each is loaded twice, one at a time; equal ones are one: they share their fate."""
    base = _Windows(kept)
    same: dict[bytes, int] = {sha256(kept).digest(): -1}
    first: dict[int, int] = {}
    in_kept: dict[int, NDArray[np.uint8]] = {}
    pool = _Pool()
    for number in texts:
        text = load(number)
        first[number] = same.setdefault(sha256(text).digest(), number)
        if first[number] == number:
            own = _Windows(text)
            held = base.hold(own)
            in_kept[number] = np.packbits(held)
            pool.add(number, own, np.flatnonzero(~held))
    pool.close()
    found: dict[int, Certificate] = {}
    for number in texts:
        if first[number] == number:
            found[number] = _certificate(load(number), kept, in_kept[number], pool, number, raw=raw)
        elif first[number] == -1:
            whole = len(_starts(kept, raw=raw).nonzero()[0])
            found[number] = Certificate(whole, whole, 0)
        else:
            found[number] = found[first[number]]
    return found


_NOTHING = np.zeros(0, np.uint64)


class _Windows:
    """All windows of a text: their fingerprints, by place."""

    def __init__(self, text: bytes) -> None:
        long = len(text) >= WINDOW
        self._words = np.ndarray((max(len(text) - 7, 0),), np.uint64, text, strides=(1,)) if long else _NOTHING
        self.prints = _native.fingerprints(text, WINDOW) if long else _NOTHING
        self._order: NDArray[np.intp] | None = None
        self._sorted = self.prints

    def at(self, places: NDArray[np.intp]) -> NDArray[np.uint64]:
        """The bytes of these windows, as three numbers that overlap: a seventh of the time that single bytes take."""
        if not len(places):
            return np.zeros((0, 3), np.uint64)
        return np.stack([self._words[places], self._words[places + 8], self._words[places + WINDOW - 8]], axis=1)

    def hold(self, other: "_Windows") -> Mask:
        """Which windows of another text are in this one."""
        found = np.zeros(len(other.prints), np.bool_)
        if not len(self.prints):
            return found
        if self._order is None:
            self._order = np.argsort(self.prints, kind="stable")
            self._sorted = self.prints[self._order]
        at = np.minimum(np.searchsorted(self._sorted, other.prints), len(self._sorted) - 1)
        hits = np.flatnonzero(self._sorted[at] == other.prints)
        for start in range(0, len(hits), AT_ONCE):
            some = hits[start : start + AT_ONCE]
            found[some] = (other.at(some) == self.at(self._order[at[some]])).all(axis=1)
        return found


class _Pool:
    """Windows that the kept text does not have: which of them are in more than one other text."""

    def __init__(self) -> None:
        self._prints: list[NDArray[np.uint64]] = []
        self._rows: list[NDArray[np.uint64]] = []
        self._owners: list[int] = []
        self._shared: dict[int, tuple[NDArray[np.uint64], NDArray[np.uint64]]] = {}

    def add(self, owner: int, windows: _Windows, places: NDArray[np.intp]) -> None:
        prints, first = np.unique(windows.prints[places], return_index=True)
        self._prints.append(prints)
        self._rows.append(windows.at(places[first]))
        self._owners.append(owner)

    def close(self) -> None:
        if not self._prints:
            return
        prints, rows = np.concatenate(self._prints), np.concatenate(self._rows)
        owner = np.repeat(np.arange(len(self._owners)), [len(one) for one in self._prints])
        order = np.argsort(prints, kind="stable")
        prints, rows, owner = prints[order], rows[order], owner[order]
        head = np.ones(len(prints), np.bool_)
        head[1:] = prints[1:] != prints[:-1]
        group = np.cumsum(head) - 1
        alike = (rows == rows[np.flatnonzero(head)[group]]).all(axis=1)
        many = (np.bincount(group[alike], minlength=len(prints) or 1) > 1)[group] & alike
        chosen = np.flatnonzero(many)
        chosen = chosen[np.argsort(owner[chosen], kind="stable")]  # fingerprints stay in order within each text
        bounds = np.searchsorted(owner[chosen], np.arange(len(self._owners) + 1))
        for number, name in enumerate(self._owners):
            mine = chosen[bounds[number] : bounds[number + 1]]
            if len(mine):
                self._shared[name] = prints[mine], rows[mine]
        self._prints, self._rows = [], []

    def hold(self, owner: int, windows: _Windows) -> Mask:
        """Which windows of a text are in some other text of the pool."""
        found = np.zeros(len(windows.prints), np.bool_)
        if owner not in self._shared:
            return found
        prints, rows = self._shared[owner]
        at = np.minimum(np.searchsorted(prints, windows.prints), len(prints) - 1)
        hits = np.flatnonzero(prints[at] == windows.prints)
        found[hits] = (windows.at(hits) == rows[at[hits]]).all(axis=1)
        return found


def _certificate(
    text: bytes, kept: bytes, in_kept: NDArray[np.uint8], pool: _Pool, owner: int, *, raw: bool
) -> Certificate:
    starts = _starts(text, raw=raw)
    characters = int(starts.sum())
    if len(text) < WINDOW:
        inside = np.full(len(text), text in kept)
        elsewhere = inside
    else:
        windows = _Windows(text)
        held = np.unpackbits(in_kept, count=len(windows.prints)).astype(np.bool_)
        inside = _covered(held, len(text))
        elsewhere = _covered(held | pool.hold(owner, windows), len(text))
    places = np.flatnonzero(starts)
    missing = ~_whole(inside, places)
    residue = missing & ~_whole(elsewhere, places)  # borders of what others hold would count twice
    runs = _runs(residue)
    ends = np.append(places, len(text))
    listed = tuple(_passage(text, start, end, ends, raw=raw) for start, end in runs[:LISTED].tolist())
    complete = len(runs) <= LISTED and all(one.end - one.start <= LONGEST for one in listed)
    return Certificate(characters, characters - int(missing.sum()), int(residue.sum()), listed, complete)


def _starts(text: bytes, *, raw: bool) -> Mask:
    """Where code points begin; of raw bytes each is one."""
    data = np.frombuffer(text, np.uint8)
    begins: Mask = np.ones(len(data), np.bool_) if raw else (data & 0xC0) != 0x80
    begins[:1] = True
    return begins


def _covered(windows: Mask, length: int) -> Mask:
    """Bytes that lie in some of these windows, but for those around a break: in all windows of a gap between them."""
    change = np.zeros(length + 1, np.int32)
    places = np.flatnonzero(windows)
    change[places] += 1
    change[places + WINDOW] -= 1
    covered: Mask = np.cumsum(change[:-1]) > 0
    gaps = _runs(~windows)
    first, last = gaps[:, 0], gaps[:, 1] - 1
    between = (last - first < WINDOW - 1) & (first > 0) & (last < len(windows) - 1)  # longer ones leave bytes bare
    broken = np.zeros(length + 1, np.int32)
    broken[last[between]] += 1
    np.add.at(broken, first[between] + WINDOW, -1)
    covered &= np.cumsum(broken[:-1]) <= 0
    return covered


def _whole(covered: Mask, places: NDArray[np.intp]) -> Mask:
    """Code points all of whose bytes are covered."""
    if not len(places):
        return np.zeros(0, np.bool_)
    whole: Mask = np.logical_and.reduceat(covered, places)
    return whole


def _runs(mask: Mask) -> Places:
    """(start, end) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2).astype(np.int64)


def _passage(text: bytes, start: int, end: int, ends: NDArray[np.intp], *, raw: bool) -> Passage:
    shown = text[ends[start] : ends[min(end, start + LONGEST)]]
    return Passage(start, end, shown.decode("utf-8", "backslashreplace"))
