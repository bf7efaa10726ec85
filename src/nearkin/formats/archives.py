"""Zip and tar archives, and single compressed files (gzip, bzip2, xz, zstd): containers, read member by member.

Names are those of the archive, never paths of this machine. Directories, links and devices have no bytes of their own:
they are passed over. A tar archive is read as a stream, so a bomb costs no more than the limits allow; types of members
that nobody knows are files, as POSIX has it; and what was compressed is read beyond the archive's end, as its checksum
comes last. A single compressed file is a container of one member, named as gzip remembers it.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO, BinaryIO, Self, cast

import zstandard

from nearkin.formats.adapter import (
    DAMAGED,
    NOT_ZIP,
    UNKNOWN_METHOD,
    ContainerMember,
    Extraction,
    Limits,
    MemberBudget,
    Problem,
    is_link,
)
from nearkin.model import Reason

UTF8 = 0x800  # the flag that says names are UTF-8; without it they are read as code page 437
ENCRYPTED = 0x1
UNIX = 3  # the system whose entries have modes of files
IWORK = {"Index/Document.iwa", "index.apxl"}  # the files that hold the text of Pages, Numbers and Keynote


def read_zip(file: BinaryIO, limits: Limits) -> Extraction:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise Problem(Reason.CORRUPT, NOT_ZIP) from error
    return Extraction(None, members=_zip_members(archive, limits))


def _zip_members(archive: zipfile.ZipFile, limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    last = max((entry.volume for entry in archive.infolist()), default=0)  # the volume that has the list: this file
    for entry in archive.infolist():
        name = _zip_name(entry)
        if name.endswith(b"/") and not entry.file_size:
            continue  # a folder; one that has bytes is a file, whatever it is called
        if entry.create_system == UNIX and is_link(entry.external_attr >> 16, entry.file_size):
            continue
        budget.begin()
        if entry.flag_bits & ENCRYPTED:
            yield ContainerMember.failed(name, Problem(Reason.ENCRYPTED, "the member is encrypted"))
            continue
        if entry.volume != last:
            yield ContainerMember.failed(name, Problem(Reason.UNSUPPORTED, "it lies in another volume of the archive"))
            continue
        try:
            with archive.open(entry) as stream:
                member = budget.take(name, stream, mtime_ns=_time(entry))
        except NotImplementedError:
            member = ContainerMember.failed(name, Problem(Reason.UNSUPPORTED, UNKNOWN_METHOD))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError):
            member = ContainerMember.failed(name, Problem(Reason.CORRUPT, DAMAGED))
        yield member
    if IWORK & archive.NameToInfo.keys():
        raise Problem(Reason.UNSUPPORTED, "documents of Pages, Numbers and Keynote are not read, only what lies beside")


def _zip_name(entry: zipfile.ZipInfo) -> bytes:
    name = entry.orig_filename.encode("utf-8" if entry.flag_bits & UTF8 else "cp437", "replace")
    return name.replace(b"\\", b"/") if entry.create_system == 0 else name


def _time(entry: zipfile.ZipInfo) -> int:
    """When a member was modified. Zip knows no time zone: the time is taken as universal time, the same everywhere."""
    try:
        return int(datetime(*entry.date_time, tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return 0


CHUNK = 128 * tarfile.BLOCKSIZE
# Types of members that are no files: also GNU's lists of folders and labels, and Solaris' access lists.
NO_FILES = (*tarfile.SUPPORTED_TYPES, b"D", b"V", b"A")


def read_tar(file: BinaryIO, limits: Limits) -> Extraction:
    return Extraction(None, members=_tar_members(file, limits))


def _tar_members(file: BinaryIO, limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    stream = cast(IO[bytes], _BoundedStream(unpacked(file), limits))
    try:
        archive = tarfile.TarFile.open(
            fileobj=stream, mode="r|", tarinfo=_TarMember, encoding="utf-8", errors="surrogateescape"
        )
        while entry := archive.next():
            archive.members = []  # type: ignore[attr-defined]  # tarfile remembers all members it has met
            if not entry.isreg() and entry.type in NO_FILES:
                continue
            budget.begin()
            name = entry.name.encode("utf-8", "surrogateescape")
            content = archive.extractfile(entry)
            if content is not None:
                yield budget.take(name, content, mtime_ns=max(0, int(entry.mtime)) * 10**9)
        while rest := archive.fileobj.read(CHUNK):
            if _has_header(rest):
                raise Problem(Reason.CORRUPT, "damaged: members follow the end of the archive")
    except (tarfile.TarError, EOFError) as error:
        raise Problem(Reason.CORRUPT, DAMAGED) from error


def _has_header(rest: bytes) -> bool:
    """Whether a header stands in what follows an archive. `rest` is a whole number of blocks, and headers begin
    blocks."""
    if rest.count(0) == len(rest):
        return False
    blocks = (rest[at : at + tarfile.BLOCKSIZE] for at in range(0, len(rest), tarfile.BLOCKSIZE))
    return any(block[257:262] == b"ustar" and is_tar_header(block) for block in blocks)


def is_tar_header(block: bytes) -> bool:
    """Whether the checksum of a header block is right (POSIX.1-2017 pax, ustar header block)."""
    if len(block) < 512 or not block[0]:
        return False
    try:
        checksum = int(block[148:156].strip(b" \0") or b"x", 8)
    except ValueError:
        return False
    return checksum == sum(block) - sum(block[148:156]) + 8 * 32


class _TarMember(tarfile.TarInfo):
    """A member whose damaged header is an error. Python's tarfile takes such a header for the end of the archive,
    unless it is the first."""

    @classmethod
    def fromtarfile(cls, tarfile_: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile_)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(f"a member's header is damaged: {error}") from error


class _BoundedStream(io.RawIOBase):
    """A stream of no more bytes than the limits allow, headers and padding included."""

    def __init__(self, stream: IO[bytes], limits: Limits) -> None:
        self._stream = stream
        self._left = 2 * limits.unpacked  # members that are passed over count here too

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")
        return data


NAMELESS = b"content"
EXTRA, NAME = 4, 8  # flags of the gzip header (RFC 1952 §2.3.1)


def read_compressed(file: BinaryIO, limits: Limits) -> Extraction:
    name = _unpacked_name(file.read(4096)) or NAMELESS
    file.seek(0)
    return Extraction(None, members=_unpacked_member(file, name, limits))


def _unpacked_member(file: BinaryIO, name: bytes, limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    budget.begin()
    yield budget.take(name, unpacked(file))


def _unpacked_name(head: bytes) -> bytes:
    if not head.startswith(b"\x1f\x8b") or len(head) < 12 or not head[3] & NAME:
        return b""
    start = 12 + int.from_bytes(head[10:12], "little") if head[3] & EXTRA else 10
    end = head.find(b"\0", start)
    return head[start:end].rpartition(b"/")[2] if end > start else b""


def unpacked(file: BinaryIO) -> IO[bytes]:
    """The stream of a compressed file's bytes, recognised by its first bytes; the file itself if it is not compressed.
    Reading may raise what the libraries raise."""
    mark = file.read(6)
    file.seek(0)
    if mark.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=file))
    if mark.startswith(b"BZh"):
        return bz2.BZ2File(file)
    if mark.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(file)
    if mark.startswith(b"\x28\xb5\x2f\xfd"):
        return io.BufferedReader(ZstdStream(file), 1 << 16)
    return file


# Bytes of zstd that are unpacked at once: few, as they may stand for 30,000 times as many.
ZSTD_BYTES = 8 << 10
WINDOW = 1 << 31  # as much as zstd --long=31 needs


class ZstdStream(io.RawIOBase):
    """A file compressed by zstd as a stream of bytes; one that ends early raises EOFError. The library's own reader
    takes a file that was cut off for one that has ended."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
        self._begun = False
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready:
            if not self._unpack_more():
                return 0
        taken = self._ready[: len(buffer)]
        buffer[: len(taken)] = taken
        self._ready = self._ready[len(taken) :]
        return len(taken)

    def _unpack_more(self) -> bool:
        """Unpack some more, and say whether there was any. Frames may follow one another."""
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
