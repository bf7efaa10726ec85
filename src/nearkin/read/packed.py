"""Compressed files as streams of bytes, a little at a time. One that ends early says so: BrokenTableError."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

import zstandard

from nearkin.formats.archives import ZstdStream
from nearkin.model import Reason
from nearkin.read.table import BrokenTableError
from nearkin.read.walk import explain


class _AsItComes(io.RawIOBase):
    """What is asked of gzip is read until there is so much of it: of a file that ends early the last 8 KB were lost."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read1(len(buffer))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def unpacked(path: bytes, compression: str | None) -> Iterator[tuple[IO[bytes], BinaryIO]]:
    """The stream, and the file it comes from, which tells how far it was read. Whatever breaks meanwhile is a
    BrokenTableError."""
    try:
        with open(path, "rb") as file:
            if compression == "gzip":
                with gzip.open(file) as stream:
                    yield io.BufferedReader(_AsItComes(stream), 1 << 16), file
            elif compression == "zstd":
                yield io.BufferedReader(ZstdStream(file), 1 << 16), file
            else:
                yield file, file
    except EOFError as error:
        raise BrokenTableError("the file ends early") from error
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise BrokenTableError(f"the file is damaged: {error}") from error
    except OSError as error:
        raise BrokenTableError(explain(error), Reason.UNREADABLE) from error
