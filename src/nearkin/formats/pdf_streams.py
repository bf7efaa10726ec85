"""Streams of a PDF that cannot be unpacked: PDFium gives what comes before the damage, or nothing, and tells nobody.

Those that may hold text are unpacked once more: pages, forms, objects packed together, tables of characters, attached
files. Pictures and fonts are passed over, by their length where that is true. Objects are told by the words around them
(PDF 1.7 §7.3.8), as those do who mend a file without its table. Which page an object belongs to is not known.
"""

import re
import zlib
from typing import BinaryIO, NamedTuple

BLOCK, DICTIONARY, PIECE, LARGEST_PIECE = 1 << 20, 1 << 12, 1 << 12, 1 << 18  # bytes
LEAST, TIMES = 64 << 20, 32  # no more is unpacked than the one, or so many times the file: a bomb hides nothing else
HEAD = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+obj\b")
START = re.compile(rb"stream(?:\r\n|\n|\r)")
FLATE = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])")
NO_TEXT = re.compile(
    rb"/Subtype\s*/(?:Image|Type1C|CIDFontType0C|OpenType|XML)\b|/Type\s*/(?:XRef|Metadata)\b|/Length[123]\b"
    rb"|/(?:FunctionType|ShadingType|PatternType|Alternate|Width)\b"
)
LENGTH = re.compile(rb"/Length\s+(\d{1,10})\b(?!\s+\d+\s+R)")
END = b"endstream"
LONGEST_HEAD = 20


class _Stream(NamedTuple):
    number: int  # of its object
    at: int  # in the file
    about: bytes


def damaged(file: BinaryIO) -> list[int]:
    """The numbers of objects whose streams are damaged; where a number was given anew, the last counts."""
    broken: dict[int, bool] = {}
    left = max(LEAST, TIMES * file.seek(0, 2))
    streams = _Streams(file)
    at = 0
    while left > 0 and (stream := streams.after(at)):
        at = stream.at
        if not FLATE.search(stream.about) or NO_TEXT.search(stream.about):
            at += _length(file, stream)
            continue
        is_whole, read, unpacked = _unpacked(file, stream, left)
        broken[stream.number] = not is_whole
        at += read if is_whole else 0
        left -= unpacked
    return [number for number, is_broken in broken.items() if is_broken]


class _Streams:
    """A file, a block of which is held."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._base, self._block = 0, b""

    def after(self, at: int) -> _Stream | None:
        """The first that begins there or later. A place that is near the end of what is held is looked at again with
        what comes after it."""
        while True:
            if not self._base + DICTIONARY <= at < self._base + len(self._block) - DICTIONARY:
                self._base = max(at - DICTIONARY, 0)
                self._file.seek(self._base)
                self._block = self._file.read(BLOCK)
            if stream := self._in_block(at - self._base):
                return stream
            if len(self._block) < BLOCK:
                return None
            at = self._base + BLOCK - len(END)

    def _in_block(self, place: int) -> _Stream | None:
        while found := START.search(self._block, place):
            start, place = found.span()
            if not self._block[max(start - 8, 0) : start].rstrip().endswith(b">>"):
                continue  # the end of one, mostly
            about = self._block[max(start - DICTIONARY, 0) : start]
            if head := HEAD.search(about, max(about.rfind(b"obj") - LONGEST_HEAD, 0)):
                return _Stream(int(head[1]), self._base + place, about[head.end() :])
        return None


def _length(file: BinaryIO, stream: _Stream) -> int:
    """As it says, if it ends there."""
    told = LENGTH.search(stream.about)
    if not told:
        return 0
    file.seek(stream.at + int(told[1]))
    return int(told[1]) if END in file.read(len(END) + 4) else 0


def _unpacked(file: BinaryIO, stream: _Stream, most: int) -> tuple[bool, int, int]:
    """Whether it can be; how many bytes that took, and how many it made."""
    unpacker = zlib.decompressobj()
    size, read, made = PIECE, 0, 0
    file.seek(stream.at)
    try:
        while not unpacker.eof and made < most:
            piece = unpacker.unconsumed_tail or file.read(size)
            if not piece:
                return False, read, made
            read += 0 if unpacker.unconsumed_tail else len(piece)
            size = LARGEST_PIECE if read > LARGEST_PIECE else PIECE
            made += len(unpacker.decompress(piece, LARGEST_PIECE))
    except zlib.error:
        return False, read, made
    return True, read - len(unpacker.unused_data) - len(unpacker.unconsumed_tail), made
