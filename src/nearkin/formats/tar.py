"""Tar archives, also compressed: read as a stream, so a bomb costs no more than the limits allow.

Directories, links and devices have no bytes of their own: they are passed over.
"""

import io
import tarfile
from collections.abc import Iterator
from typing import IO, BinaryIO, cast

from nearkin.formats.found import Found, Limits, Member, Problem
from nearkin.formats.members import Counted
from nearkin.formats.unpacked import unpacked
from nearkin.model import Reason


def read(file: BinaryIO, limits: Limits) -> Found:
    return Found(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    stream = cast(IO[bytes], _Bounded(unpacked(file), limits))
    try:
        archive = tarfile.TarFile.open(fileobj=stream, mode="r|", encoding="utf-8", errors="surrogateescape")
        while entry := archive.next():
            archive.members = []  # type: ignore[attr-defined]  # it remembers all it has met
            if not entry.isreg():
                continue
            counted.begin()
            name = entry.name.encode("utf-8", "surrogateescape")
            content = archive.extractfile(entry)
            if content is not None:
                yield counted.take(name, content, mtime_ns=max(0, int(entry.mtime)) * 10**9)
    except (tarfile.TarError, EOFError) as error:
        raise Problem(Reason.CORRUPT, str(error) or "the archive ends early") from error


class _Bounded(io.RawIOBase):
    """No more bytes than the limits allow, headers and padding included; no huge piece at once."""

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream = stream
        self._left = 2 * limits.unpacked  # what is passed over counts here too

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")
        return data
