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
from typing import Any

import numpy as np

from nearkin import _native
from nearkin.group.folded import Folded
from nearkin.group.windows import WINDOW, Held, held_windows

LISTED = 100  # passages of residue that are listed with their text …
LONGEST = 2000  # … and characters of each; their number and places are told in full
REMEMBERED = 1 << 26  # bytes of texts that are kept at hand, for they are read several times


@dataclass(frozen=True, slots=True)
class Passage:
    """In code points of the extracted text, or in bytes where it was taken raw."""

    start: int
    end: int
    text: str  # its beginning, where it is long

    @property
    def told(self) -> dict[str, Any]:
        return {"start": self.start, "end": self.end, "text": self.text}


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
    """Texts that sets of windows do not take, in words: over 1,048,573 distinct ones, or one of over 4 GB."""


def certify(
    kept: bytes,
    texts: Sequence[int],
    load: Callable[[int], bytes],
    *,
    raw: bool = False,
    leaving: Set[int] = frozenset(),
) -> dict[int, Certificate]:
    """For each of these texts. Equal ones are one: they share their fate. Those that are `leaving` vouch for nobody.
    Texts are loaded several times."""
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
    found: dict[int, Certificate] = {}
    for number in texts:
        if (twin := first[number]) in found:
            found[number] = found[twin]
        elif twin in lost:
            reading = (plain, to_readers[number]) if number in to_readers else None
            found[number] = _certificate(load(number), kept, exactly[number], reading, raw=raw)
        else:
            whole = _characters(load(number), raw=raw)
            found[number] = Certificate(whole, whole, 0)
    return found


def _read(
    kept: bytes, lacking: Sequence[int], load: Callable[[int], bytes], gone: Set[int]
) -> tuple[bytes, dict[int, Held]]:
    """The kept text folded, and what these have of it when they are, too; nothing where that changes none of them."""
    plain = Folded.of(kept).text
    folded = remembering(lambda number: Folded.of(load(number)).text)
    if plain == kept and all(folded(number) == load(number) for number in lacking):
        return plain, {}
    return plain, _held(plain, lacking, folded, gone)


def _held(kept: bytes, texts: Sequence[int], load: Callable[[int], bytes], leaving: Set[int]) -> dict[int, Held]:
    try:
        return held_windows(kept, texts, load, leaving)
    except ValueError as why:
        raise UncertifiedError(str(why)) from why


def remembering(load: Callable[[int], bytes]) -> Callable[[int], bytes]:
    """Texts that were read stay at hand, as far as there is room for them."""
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


def _certificate(text: bytes, kept: bytes, held: Held, reading: tuple[bytes, Held] | None, *, raw: bool) -> Certificate:
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
    all_listed = stretches <= LISTED and all(one.end - one.start <= LONGEST for one in passages)
    return Certificate(characters, characters - missing, residue, passages, all_listed, respaced)


def _characters(text: bytes, *, raw: bool) -> int:
    """Code points; of raw bytes each is one."""
    if raw or text.isascii():
        return len(text)
    begins = (np.frombuffer(text, np.uint8) & 0xC0) != 0x80
    begins[:1] = True
    return int(begins.sum())


def _passage(text: bytes, start: int, end: int, first: int, last: int) -> Passage:
    """Of these bytes, which begin with this character; the text may be long."""
    shown = text[start : min(end, start + 4 * LONGEST)].decode("utf-8", "surrogateescape")[:LONGEST]
    return Passage(first, last, shown.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
