"""Tables in whatever encoding their file is, told from the first bytes: by a mark, or by what UTF-16 looks like.

Else it is read as UTF-8, and what is not may be found out text by text: tables are put together from many sources.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO

from nearkin.read.packed import unpacked
from nearkin.text.decode import LOOKED_AT, marked, wide_without_mark


@contextmanager
def unmarked(path: bytes, compression: str | None) -> Iterator[tuple[IO[bytes], BinaryIO, str]]:
    """The stream after its mark, the file it comes from, and the encoding of all of it."""
    with unpacked(path, compression) as (stream, file):
        buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
        start = buffered.peek(LOOKED_AT)[:LOOKED_AT]
        mark, encoding = marked(start) or (b"", wide_without_mark(start) or "utf-8")
        buffered.read(len(mark))
        yield buffered, file, encoding


class Recoded:
    """Lines of another encoding as UTF-8. What is no character of it is replaced."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, errors="replace", newline="\n")

    def readline(self, limit: int) -> bytes:
        """`limit` is in characters."""
        return self._text.readline(limit).encode()
