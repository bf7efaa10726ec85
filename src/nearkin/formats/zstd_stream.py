"""A file compressed by zstd as a stream of bytes, a little at a time. One that ends early raises EOFError."""

import io
from typing import BinaryIO

import zstandard

# Some bytes of zstd may stand for 30,000 times as many: few at a time.
ZSTD_BYTES = 8 << 10
WINDOW = 1 << 31  # as much as zstd --long=31 wants


class ZstdStream(io.RawIOBase):
    """zstandard's own reader takes a file that was cut off for one that has ended."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        self._begun = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            if not self._more():
                return 0
        taken = self._ready[: len(buffer)]
        buffer[: len(taken)] = taken
        self._ready = self._ready[len(taken) :]
        return len(taken)

    def _more(self) -> bool:
        """Whether there was any; frames may follow one another."""
        data = self._file.read(ZSTD_BYTES)
        if self._frame.eof:
            data = self._frame.unused_data + data
            if not data:
                return False
            self._frame = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        elif not data:
            if self._begun:
                raise EOFError
            return False
        self._begun = True
        self._ready = memoryview(self._frame.decompress(data))
        return True
