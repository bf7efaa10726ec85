"""Compressed files as streams of bytes, a little at a time. One that ends early says so: BrokenTableError."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

import zstandard

from nearkin.read.table import BrokenTableError
from nearkin.read.walk import explain

# Some bytes of zstd may stand for 30,000 times as many: few at a time.
ZSTD_BYTES = 8 << 10
WINDOW = 1 << 31  # as much as zstd --long=31 wants


@contextmanager
def unpacked(path: bytes, compression: str | None) -> Iterator[tuple[IO[bytes], BinaryIO]]:
    """The stream, and the file it comes from, which tells how far it was read. Whatever breaks meanwhile is a
    BrokenTableError."""
    try:
        with open(path, "rb") as file:
            if compression == "gzip":
                with gzip.open(file) as stream:
                    yield stream, file  # type: ignore[misc]
            elif compression == "zstd":
                yield io.BufferedReader(ZstdStream(file), 1 << 16), file
            else:
                yield file, file
    except EOFError as error:
        raise BrokenTableError("the file ends early") from error
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise BrokenTableError(f"the file is damaged: {error}") from error
    except OSError as error:
        raise BrokenTableError(explain(error)) from error


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
