"""A text as people read it, and where its places are in it.

Places are code points of extracted texts, but bytes of raw ones, of which many may be one character. Raw texts are
read as UTF-8 where they are; any other byte stands for itself, as in names of files, and is shown as \\xNN. What is
shown never begins or ends within a character.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.passages import Passage
from nearkin.query.alignment import Alignment, Block
from nearkin.text.canon import Canon

LONGEST = 4  # bytes of a character


@dataclass(frozen=True)
class Readable:
    text: str
    starts: NDArray[np.int64] | None = None  # byte of each character and of the end; None: places are characters

    @classmethod
    def of(cls, extracted: bytes, canon: Canon) -> "Readable":
        if not canon.raw:
            return cls(extracted.decode("utf-8", "replace"))
        text = extracted.decode("utf-8", "surrogateescape")
        if len(text) == len(extracted):
            return cls(text)
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        single = (points < 0x80) | ((points >= 0xDC80) & (points <= 0xDCFF))
        sizes = np.where(single, 1, 2 + (points >= 0x800) + (points >= 0x10000))
        return cls(text, np.concatenate([[0], np.cumsum(sizes)]))

    def between(self, place: int) -> bool:
        """Whether no character lies across this place."""
        return self.starts is None or int(self.starts[self.after(place)]) == place

    def at(self, place: int) -> int:
        """The number of the character that has this place."""
        return place if self.starts is None else int(np.searchsorted(self.starts, place, "right")) - 1

    def after(self, place: int) -> int:
        """How many characters begin before it."""
        return place if self.starts is None else int(np.searchsorted(self.starts, place, "left"))

    def place(self, character: int) -> int:
        return character if self.starts is None else int(self.starts[character])

    def inside(self, start: int, end: int) -> str:
        """The whole characters between two places."""
        return self.text[self.after(start) : self.at(end)]


def in_characters(alignment: Alignment, a: Readable, b: Readable) -> Alignment:
    """Of one that counts bytes: é and è, which begin with the same byte, differ as a whole."""
    if a.starts is None and b.starts is None:
        return alignment
    blocks: list[Block] = []
    at_a = at_b = 0
    for block in alignment.blocks:
        first, last = _cut(a, b, block.a_start, block.b_start, 1), _cut(a, b, block.a_end, block.b_end, -1)
        if not block.same or block.a_start + first >= block.a_end - last:
            continue
        a_start, b_start = a.at(block.a_start + first), b.at(block.b_start + first)
        if a_start > at_a or b_start > at_b:
            blocks.append(Block(False, at_a, a_start, at_b, b_start))
        at_a, at_b = a.at(block.a_end - last), b.at(block.b_end - last)
        blocks.append(Block(True, a_start, at_a, b_start, at_b, block.passage))
    if len(a.text) > at_a or len(b.text) > at_b:
        blocks.append(Block(False, at_a, len(a.text), at_b, len(b.text)))
    elsewhere = {
        number: Passage(a.after(one.a_start), a.at(one.a_end), b.after(one.b_start), b.at(one.b_end))
        for number, one in alignment.elsewhere.items()
    }
    return Alignment(blocks, elsewhere, alignment.repeated)


def _cut(a: Readable, b: Readable, a_place: int, b_place: int, step: int) -> int:
    """How many bytes of a common stretch belong to a character that lies across its end, in either text."""
    for bytes_off in range(LONGEST):
        if a.between(a_place + step * bytes_off) and b.between(b_place + step * bytes_off):
            return bytes_off
    return LONGEST
