"""A text with its spacing and its Unicode forms made alike, and where each of its bytes went.

Runs of white space become one space, and words take their composed form (NFC): what differs only in these is the same
to every reader. Nothing else is touched; case, signs and digits count.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

ASCII = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "
ONE = bytes.maketrans(ASCII, b" " * len(ASCII))
# U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000
OTHER = rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
OTHERS = re.compile(OTHER)
SPACES = re.compile(rb"(?: |" + OTHER + rb"){2,}|" + OTHER)  # single spaces stay
# It begins where a word does: from each of its letters on, a long word takes quadratic time (40 KB of base64: 11 s).
WORD = re.compile(rb"(?<![^ ])[^ \x80-\xff]*+[\x80-\xff][^ ]*+")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Folded:
    text: bytes
    length: int  # of the text that it was
    changes: list[tuple[int, int, int]]  # start, end, and how long what stands there instead is; the rest is as long
    kept: Mask | None = None  # of its bytes, where only spaces of ASCII are fewer: then there are no changes

    @classmethod
    def of(cls, text: bytes) -> "Folded":
        plain = text.translate(ONE)
        composed = plain.isascii() or unicodedata.is_normalized("NFC", plain.decode("utf-8", "surrogateescape"))
        if composed and not OTHERS.search(plain):  # nearly all; one run after the other took a quarter of `keep`
            spaces = np.frombuffer(plain, np.uint8) == ord(" ")
            kept = ~(spaces & np.concatenate([[False], spaces[:-1]])[: len(spaces)])
            return cls(np.frombuffer(plain, np.uint8)[kept].tobytes(), len(text), [], kept)
        changes = [(one.start(), one.end(), b" ") for one in SPACES.finditer(plain)]
        if not composed:
            changes = sorted([*changes, *_composed(plain)])
        found, at = [], 0
        for start, end, instead in changes:
            found += [plain[at:start], instead]
            at = end
        whole = b"".join([*found, plain[at:]]) if changes else plain
        return cls(whole, len(text), [(start, end, len(instead)) for start, end, instead in changes])

    def back(self, mask: Mask) -> Mask:
        """A mask of the folded text's bytes as one of the text's. What was changed is in it as a whole, or not."""
        if self.kept is not None:
            spread: Mask = mask[np.cumsum(self.kept) - 1]
            return spread
        if not self.changes:
            return mask
        found = np.empty(self.length, np.bool_)
        at = there = 0
        for start, end, long in self.changes:
            found[at:start] = mask[there : there + start - at]
            there += start - at
            found[start:end] = mask[there] if long == 1 else mask[there : there + long].all()
            there += long
            at = end
        found[at:] = mask[there:]
        return found


def _composed(text: bytes) -> list[tuple[int, int, bytes]]:
    found = []
    for word in WORD.finditer(text):
        # Words by ASCII's space may have other spaces in them.
        bounds = [0, *(bound for space in SPACES.finditer(word.group()) for bound in space.span()), len(word.group())]
        for start, end in list(pairwise(bounds))[::2]:
            piece = word.group()[start:end]
            data = unicodedata.normalize("NFC", piece.decode("utf-8", "surrogateescape"))
            if (composed := data.encode("utf-8", "surrogateescape")) != piece:
                found.append((word.start() + start, word.start() + end, composed))
    return found
