"""Certificates: how much of a document's text the kept document holds, exactly, and what would be lost with it.

A certificate is measured on the extracted text, byte for byte: in canonical text "-5" is "5", and nothing may be
removed on that ground. A character is *contained* if it lies in a run of at least 20 bytes that the kept text holds
too. Where two such runs meet and the kept text goes on otherwise ("did approve" beside "did not approve"), the
characters around the break are missing. So nothing is missing if, and only if, the kept text holds every 20 bytes in a
row of this one. A text under 20 bytes is contained if the kept text holds it as a whole.

Missing characters are of three kinds. *Respaced* ones are in the kept text but for spacing, line breaks and Unicode
forms: to a reader they are there. *Residue* is in no other text of the family that stays, however spaced. The rest is
in another text of the family.

To compare regardless of spacing, texts are folded: runs of white space become one space, and words take their composed
form (NFC). Nothing else is changed; case, signs and digits count.

Windows of 20 bytes are compared byte by byte, so that none is mistaken for another. Memory is bounded: the windows of
large texts are taken in parts, each a share of them by their hash, so that a set has at most `MOST` of them (200 MB);
texts are then read once more for each part.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.matching.candidates import distinct

WINDOW = 20  # bytes: about three words; shorter runs are in any two texts
MOST = 1 << 23  # windows of a set at a time
BLOCK = 1 << 22  # bytes that are fingerprinted at a time

Bits = NDArray[np.uint8]  # one bit a window, the first in the highest bit of the first byte
NOTHING = np.zeros(0, np.uint8)
Load = Callable[[int], bytes]

COMPARED = 1 << 22  # windows of a family that completeness compares; larger families are sampled
LISTED = 100  # passages of residue that are listed with their text …
LONGEST = 2000  # … and characters of each that are shown
REMEMBERED = 1 << 26  # bytes of texts that are kept in memory, as they are read several times

ASCII = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "
TO_SPACES = bytes.maketrans(ASCII, b" " * len(ASCII))
# U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000
OTHER = rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
SPACES = re.compile(rb"(?: |" + OTHER + rb"){2,}|" + OTHER)  # single spaces stay
# It begins where a word begins. Without that a long word takes quadratic time (40 KB of base64: 11 s).
WORD = re.compile(rb"(?<![^ ])[^ \x80-\xff]*+[\x80-\xff][^ ]*+")

Places = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class ResiduePassage:
    """A passage of residue. Positions are code points of the extracted text, or bytes where it was taken raw."""

    start: int
    end: int
    text: str  # only its beginning, where it is long

    @property
    def record(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "text": self.text}


@dataclass(frozen=True, slots=True)
class Certificate:
    """How much of a text the kept text holds."""

    characters: int
    contained: int  # characters that are in the kept text
    residue: int  # characters that are in no other text of the family that stays, however spaced
    passages: tuple[ResiduePassage, ...] = ()  # the first passages of the residue
    all_listed: bool = True
    respaced: int = 0  # missing characters that are in the kept text but for spacing and Unicode forms

    @property
    def share(self) -> float:
        return self.contained / self.characters if self.characters else 1.0

    @property
    def missing(self) -> int:
        """Characters that the kept text does not hold."""
        return self.characters - self.contained


@dataclass(frozen=True, slots=True)
class HeldWindows:
    """Windows of a text that the kept text has, and windows that it or another text that stays has."""

    kept: Bits
    anywhere: Bits


class UncertifiedError(Exception):
    """Raised where sets of windows cannot hold the texts: over 1,048,573 distinct ones, or one of over 4 GB."""


def certify(
    kept: bytes,
    texts: Sequence[int],
    load: Callable[[int], bytes],
    *,
    raw: bool = False,
    leaving: Set[int] = frozenset(),
) -> dict[int, Certificate]:
    """Certify each of these texts against the kept one. Equal texts share a certificate. Texts that are `leaving` hold
    nothing for the others. Texts are loaded several times."""
    if not texts:
        return {}
    same: dict[bytes, int] = {sha256(kept).digest(): -1}
    first = {number: same.setdefault(sha256(load(number)).digest(), number) for number in texts}
    distinct = [number for number in texts if first[number] == number]
    gone = frozenset(distinct) - {first[number] for number in texts if number not in leaving}
    exactly = _held(kept, distinct, load, gone)
    lacking = [number for number in distinct if _lacks(load(number), kept, exactly[number])]
    plain, to_readers = _read(kept, lacking, load, gone) if lacking and not raw else (b"", {})
    lost = frozenset(lacking)
    certificates: dict[int, Certificate] = {}
    for number in texts:
        if (twin := first[number]) in certificates:
            certificates[number] = certificates[twin]
        elif twin in lost:
            reading = (plain, to_readers[number]) if number in to_readers else None
            certificates[number] = _certificate(load(number), kept, exactly[number], reading, raw=raw)
        else:
            whole = _characters(load(number), raw=raw)
            certificates[number] = Certificate(whole, whole, 0)
    return certificates


def _read(
    kept: bytes, lacking: Sequence[int], load: Callable[[int], bytes], gone: Set[int]
) -> tuple[bytes, dict[int, HeldWindows]]:
    """Fold the kept text and these texts, and return the kept one with the windows that it then holds of each; no
    windows where folding changes none of them."""
    plain = Folded.of(kept).text
    folded = remembering(lambda number: Folded.of(load(number)).text)
    if plain == kept and all(folded(number) == load(number) for number in lacking):
        return plain, {}
    return plain, _held(plain, lacking, folded, gone)


def _held(kept: bytes, texts: Sequence[int], load: Callable[[int], bytes], leaving: Set[int]) -> dict[int, HeldWindows]:
    try:
        return held_windows(kept, texts, load, leaving)
    except ValueError as why:
        raise UncertifiedError(str(why)) from why


def remembering(load: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Keep texts in memory once they were read, as far as there is room."""
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


def _lacks(text: bytes, kept: bytes, held: HeldWindows) -> bool:
    if len(text) < WINDOW:
        return text not in kept
    return _set(held.kept) < len(text) - WINDOW + 1


def _certificate(
    text: bytes, kept: bytes, held: HeldWindows, reading: tuple[bytes, HeldWindows] | None, *, raw: bool
) -> Certificate:
    read = None
    if reading is not None:
        plain, there = reading
        fold = Folded.of(text)
        entire = len(fold.text) < WINDOW and fold.text in plain
        read = (len(fold.text), fold.starts, fold.ends, fold.lengths, there.kept, there.anywhere, entire)
    characters, missing, residue, respaced, stretches, listed = _native.certify(
        text,
        raw=raw,
        window=WINDOW,
        kept=held.kept,
        anywhere=held.anywhere,
        whole=len(text) < WINDOW and text in kept,
        reading=read,
        listed=LISTED,
    )
    passages = tuple(_passage(text, *places) for places in listed)
    all_listed = stretches <= LISTED and all(passage.end - passage.start <= LONGEST for passage in passages)
    return Certificate(characters, characters - missing, residue, passages, all_listed, respaced)


def _characters(text: bytes, *, raw: bool) -> int:
    """Count the code points; in raw text each byte is one."""
    if raw or text.isascii():
        return len(text)
    begins = (np.frombuffer(text, np.uint8) & 0xC0) != 0x80
    begins[:1] = True
    return int(begins.sum())


def _passage(text: bytes, start: int, end: int, first: int, last: int) -> ResiduePassage:
    """Return the passage of these bytes, from its first to its last character; a long text is cut."""
    shown = text[start : min(end, start + 4 * LONGEST)].decode("utf-8", "surrogateescape")[:LONGEST]
    return ResiduePassage(first, last, shown.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))


def held_windows(
    kept: bytes, texts: Sequence[int], load: Load, leaving: Set[int] = frozenset()
) -> dict[int, HeldWindows]:
    """Look up the windows of each of these texts, no two of which are equal, in the kept text and in each other. Texts
    that are leaving are not looked up in: what only they hold will be nowhere."""
    if not texts:
        return {}
    windows = {number: max(len(load(number)) - WINDOW + 1, 0) for number in texts}
    inside = _inside(kept, windows, load)
    lacking = {number: bits for number, bits in inside.items() if _set(bits) < windows[number]}
    anywhere = _anywhere(lacking, windows, load, leaving) if len(lacking) > 1 else {}
    return {number: HeldWindows(bits, anywhere.get(number, bits)) for number, bits in inside.items()}


def _inside(kept: bytes, windows: dict[int, int], load: Load) -> dict[int, Bits]:
    """Return the windows that the kept text has. Most lie in long runs. The others are looked up one by one, in a set
    of all windows of the kept text; where they are few, they form the set, and the kept text is run through it."""
    anchors = _native.Anchors(kept, window=WINDOW)
    inside = {number: anchors.runs(load(number)) for number in windows}
    asking = {number: runs for number, runs in inside.items() if _set(runs) < windows[number]}
    left = sum(windows[number] - _set(runs) for number, runs in asking.items())
    few = 2 * left < len(kept)  # inserting a window costs as much as several lookups
    parts = -(-(left if few else len(kept)) // MOST) if left else 0
    for part in range(parts):
        room = 0 if few else len(kept) // parts
        pool = _native.WindowSet(window=WINDOW, part=part, parts=parts, room=room)
        if few:
            for number, runs in asking.items():
                pool.add(load(number), owner=None, skip=runs)
            pool.add_owner(kept, owner=0, skip=NOTHING)
        else:
            pool.add(kept, owner=0, skip=NOTHING)
        for number, runs in asking.items():
            inside[number] = inside[number] | pool.owned(load(number), several=False, skip=runs)
    return inside


def _anywhere(inside: dict[int, Bits], windows: dict[int, int], load: Load, leaving: Set[int]) -> dict[int, Bits]:
    """Return the windows that the kept text has, or another of these texts that stays. Many windows that the kept text
    lacks lie in runs along the text with most of them. The rest is looked up in a set of all windows; where it is
    little, it forms the set, and all texts are run through it."""
    staying = [number for number in inside if number not in leaving]
    if not staying:
        return inside
    most = max(staying, key=lambda number: windows[number] - _set(inside[number]))
    anchors = _native.Anchors(load(most), window=WINDOW)
    known = {number: inside[number] | anchors.runs(load(number)) for number in staying if number != most}
    known[most] = inside[most] | anchors.matched()
    known |= {number: inside[number] | anchors.runs(load(number)) for number in inside if number in leaving}
    asking = {number: bits for number, bits in known.items() if _set(bits) < windows[number]}
    left = sum(windows[number] - _set(bits) for number, bits in asking.items())
    lacking = sum(windows[number] - _set(inside[number]) for number in staying)
    few = 2 * left < lacking
    anywhere = dict(known)
    parts = -(-(left if few else lacking) // MOST) if left else 0
    for part in range(parts):
        pool = _native.WindowSet(window=WINDOW, part=part, parts=parts)
        if few:
            for number, bits in asking.items():
                pool.add(load(number), owner=None, skip=bits)
        for owner, number in enumerate(staying):
            (pool.add_owner if few else pool.add)(load(number), owner=owner, skip=inside[number])
        for number, bits in asking.items():
            anywhere[number] = anywhere[number] | pool.owned(load(number), several=number not in leaving, skip=bits)
    return anywhere


def _set(bits: Bits) -> int:
    """Count the bits that are set."""
    return int(np.bitwise_count(bits).sum())


def distinct_prints(text: bytes, modulus: int) -> NDArray[np.uint64]:
    """Return the distinct fingerprints of a text's windows, sorted; only those divisible by the modulus."""
    blocks = [np.zeros(0, np.uint64)]
    for start in range(0, max(len(text) - WINDOW + 1, 0), BLOCK):
        prints = _native.fingerprints(text[start : start + BLOCK + WINDOW - 1], WINDOW)
        blocks.append(prints if modulus == 1 else prints[prints % np.uint64(modulus) == 0])
    return distinct(np.concatenate(blocks))


def completeness(texts: Sequence[int], load: Callable[[int], bytes], total: int) -> dict[int, int]:
    """Return for each text the share of the others' distinct windows that it has, in whole per cent, rounded down.

    All pairs are counted at once: a window that c texts have adds c - 1 to each of them. `total` is about the number of
    bytes of all texts.
    """
    if len(texts) < 2:
        return dict.fromkeys(texts, 0)
    counts = _native.WindowCounts(window=WINDOW, modulus=max(1, -(-total // COMPARED)))
    for text in texts:
        counts.add(load(text))
    own, shared = (column.tolist() for column in counts.shares())
    every = sum(own)
    return {
        text: 100 * have // (every - mine) if every > mine else 0
        for text, mine, have in zip(texts, own, shared, strict=True)
    }


@dataclass(frozen=True)
class Folded:
    """A text with its spacing and Unicode forms made alike, and the map from its bytes to those of the original."""

    text: bytes
    # Changed stretches of the original, and how many bytes each became. All other stretches keep their length.
    starts: Places
    ends: Places
    lengths: Places

    @classmethod
    def of(cls, text: bytes) -> "Folded":
        if not _native.surely_composed(text):
            plain = text.translate(TO_SPACES)
            if not unicodedata.is_normalized("NFC", plain.decode("utf-8", "surrogateescape")):
                return cls._composing(plain)
        folded, starts, ends = _native.fold_spaces(text)
        return cls(folded, starts, ends, np.ones(len(starts), np.uint64))

    @classmethod
    def _composing(cls, plain: bytes) -> "Folded":
        changes = sorted([*((run.start(), run.end(), b" ") for run in SPACES.finditer(plain)), *_composed(plain)])
        pieces, at = [], 0
        for start, end, instead in changes:
            pieces += [plain[at:start], instead]
            at = end
        starts, ends, lengths = np.array(
            [(start, end, len(instead)) for start, end, instead in changes], np.uint64
        ).T.copy()
        return cls(b"".join([*pieces, plain[at:]]), starts, ends, lengths)


def _composed(text: bytes) -> list[tuple[int, int, bytes]]:
    """Return the words whose composed form differs: start, end and that form."""
    changes = []
    for word in WORD.finditer(text):
        # Words between ASCII spaces may hold other spaces.
        bounds = [0, *(bound for space in SPACES.finditer(word.group()) for bound in space.span()), len(word.group())]
        for start, end in list(pairwise(bounds))[::2]:
            piece = word.group()[start:end]
            data = unicodedata.normalize("NFC", piece.decode("utf-8", "surrogateescape"))
            if (composed := data.encode("utf-8", "surrogateescape")) != piece:
                changes.append((word.start() + start, word.start() + end, composed))
    return changes
