"""Tar archives, also compressed: read as a stream, so a bomb costs no more than the limits allow.

Directories, links and devices have no bytes of their own: they are passed over. Types that nobody knows are files, as
POSIX has it. What was compressed is read beyond the
archive's end, as its checksum comes last.
"""

import io
import tarfile
from collections.abc import Iterator
from typing import IO, BinaryIO, Self, cast

from nearkin.formats.adapter import DAMAGED, Found, Limits, Member, Problem
from nearkin.formats.detect import tar_block
from nearkin.formats.members import Counted
from nearkin.formats.unpacked import unpacked
from nearkin.model import Reason

CHUNK = 128 * tarfile.BLOCKSIZE
NO_FILES = (*tarfile.SUPPORTED_TYPES, b"D", b"V", b"A")  # also GNU's lists of folders and labels, Solaris' access lists


def read(file: BinaryIO, limits: Limits) -> Found:
    return Found(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    stream = cast(IO[bytes], _Bounded(unpacked(file), limits))
    try:
        archive = tarfile.TarFile.open(
            fileobj=stream, mode="r|", tarinfo=_Entry, encoding="utf-8", errors="surrogateescape"
        )
        while entry := archive.next():
            archive.members = []  # type: ignore[attr-defined]  # it remembers all it has met
            if not entry.isreg() and entry.type in NO_FILES:
                continue
            counted.begin()
            name = entry.name.encode("utf-8", "surrogateescape")
            content = archive.extractfile(entry)
            if content is not None:
                yield counted.take(name, content, mtime_ns=max(0, int(entry.mtime)) * 10**9)
        while rest := archive.fileobj.read(CHUNK):
            if _has_header(rest):
                raise Problem(Reason.CORRUPT, "damaged: members follow the end of the archive")
    except (tarfile.TarError, EOFError) as error:
        raise Problem(Reason.CORRUPT, DAMAGED) from error


def _has_header(rest: bytes) -> bool:
    """A whole number of blocks is given, so headers stand at the start of one."""
    if rest.count(0) == len(rest):
        return False
    blocks = (rest[at : at + tarfile.BLOCKSIZE] for at in range(0, len(rest), tarfile.BLOCKSIZE))
    return any(block[257:262] == b"ustar" and tar_block(block) for block in blocks)


class _Entry(tarfile.TarInfo):
    """tarfile takes a header that is damaged for the end of the archive, unless it is the first."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(f"a member's header is damaged: {error}") from error


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
