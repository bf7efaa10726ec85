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

from nearkin import _native

ASCII = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "
ONE = bytes.maketrans(ASCII, b" " * len(ASCII))
# U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F and U+3000
OTHER = rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80"
SPACES = re.compile(rb"(?: |" + OTHER + rb"){2,}|" + OTHER)  # single spaces stay
# It begins where a word does: from each of its letters on, a long word takes quadratic time (40 KB of base64: 11 s).
WORD = re.compile(rb"(?<![^ ])[^ \x80-\xff]*+[\x80-\xff][^ ]*+")

Places = NDArray[np.uint64]


@dataclass(frozen=True)
class Folded:
    text: bytes
    # Where something was changed: from here to there it is so many other bytes. The rest is as long as it was.
    starts: Places
    ends: Places
    lengths: Places

    @classmethod
    def of(cls, text: bytes) -> "Folded":
        if not _native.surely_composed(text):
            plain = text.translate(ONE)
            if not unicodedata.is_normalized("NFC", plain.decode("utf-8", "surrogateescape")):
                return cls._composing(plain)
        folded, starts, ends = _native.fold_spaces(text)
        return cls(folded, starts, ends, np.ones(len(starts), np.uint64))

    @classmethod
    def _composing(cls, plain: bytes) -> "Folded":
        changes = sorted([*((one.start(), one.end(), b" ") for one in SPACES.finditer(plain)), *_composed(plain)])
        found, at = [], 0
        for start, end, instead in changes:
            found += [plain[at:start], instead]
            at = end
        starts, ends, lengths = np.array(
            [(start, end, len(instead)) for start, end, instead in changes], np.uint64
        ).T.copy()
        return cls(b"".join([*found, plain[at:]]), starts, ends, lengths)


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
