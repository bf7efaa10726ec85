"""Zip archives. Members are read one by one; names are those of the archive, never paths of this machine. Links are
passed over, as in tar.

Tar archives, also compressed: read as a stream, so a bomb costs no more than the limits allow.

Directories, links and devices have no bytes of their own: they are passed over. Types that nobody knows are files, as
POSIX has it. What was compressed is read beyond the
archive's end, as its checksum comes last.

One compressed file (gzip, bzip2, xz, zstd): a container of one member, named as gzip remembers it.

A compressed file as a stream of bytes, told by its first bytes, a little at a time.

A file compressed by zstd as a stream of bytes, a little at a time. One that ends early raises EOFError.
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

from nearkin.formats.adapter import DAMAGED, NOT_ZIP, UNKNOWN_METHOD, Counted, Found, Limits, Member, Problem, is_link
from nearkin.formats.detect import tar_block
from nearkin.model import Reason

UTF8 = 0x800  # the flag that says names are UTF-8; without it they are read as code page 437
ENCRYPTED = 0x1
UNIX = 3  # the system whose modes of files are told
IWORK = {"Index/Document.iwa", "index.apxl"}  # where its text is


def read_zip(file: BinaryIO, limits: Limits) -> Found:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise Problem(Reason.CORRUPT, NOT_ZIP) from error
    return Found(None, members=_zip_members(archive, limits))


def _zip_members(archive: zipfile.ZipFile, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    last = max((entry.volume for entry in archive.infolist()), default=0)  # this file, which has the list
    for entry in archive.infolist():
        name = _zip_name(entry)
        if name.endswith(b"/") and not entry.file_size:
            continue  # a folder; one that has bytes is a file, whatever it is called
        if entry.create_system == UNIX and is_link(entry.external_attr >> 16, entry.file_size):
            continue
        counted.begin()
        if entry.flag_bits & ENCRYPTED:
            yield Member(name, b"", problem=Problem(Reason.ENCRYPTED, "the member is encrypted"))
            continue
        if entry.volume != last:
            yield Member(name, b"", problem=Problem(Reason.UNSUPPORTED, "it lies in another volume of the archive"))
            continue
        try:
            with archive.open(entry) as stream:
                member = counted.take(name, stream, mtime_ns=_time(entry))
        except NotImplementedError:
            member = Member(name, b"", problem=Problem(Reason.UNSUPPORTED, UNKNOWN_METHOD))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError):
            member = Member(name, b"", problem=Problem(Reason.CORRUPT, DAMAGED))
        yield member
    if IWORK & archive.NameToInfo.keys():
        raise Problem(Reason.UNSUPPORTED, "documents of Pages, Numbers and Keynote are not read, only what lies beside")


def _zip_name(entry: zipfile.ZipInfo) -> bytes:
    name = entry.orig_filename.encode("utf-8" if entry.flag_bits & UTF8 else "cp437", "replace")
    return name.replace(b"\\", b"/") if entry.create_system == 0 else name


def _time(entry: zipfile.ZipInfo) -> int:
    """Zip knows no time zone: it is told as if it were universal time, the same everywhere."""
    try:
        return int(datetime(*entry.date_time, tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return 0


def unpacked(file: BinaryIO) -> IO[bytes]:
    """The stream of its bytes; the file itself if it is not compressed. Reading may raise what the libraries raise."""
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


CHUNK = 128 * tarfile.BLOCKSIZE
NO_FILES = (*tarfile.SUPPORTED_TYPES, b"D", b"V", b"A")  # also GNU's lists of folders and labels, Solaris' access lists


def read_tar(file: BinaryIO, limits: Limits) -> Found:
    return Found(None, members=_tar_members(file, limits))


def _tar_members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
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


NAMELESS = b"content"
EXTRA, NAME = 4, 8  # flags of the gzip header (RFC 1952 §2.3.1)


def read_compressed(file: BinaryIO, limits: Limits) -> Found:
    name = _unpacked_name(file.read(4096)) or NAMELESS
    file.seek(0)
    return Found(None, members=_unpacked_member(file, name, limits))


def _unpacked_member(file: BinaryIO, name: bytes, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    counted.begin()
    yield counted.take(name, unpacked(file))


def _unpacked_name(head: bytes) -> bytes:
    if not head.startswith(b"\x1f\x8b") or len(head) < 12 or not head[3] & NAME:
        return b""
    start = 12 + int.from_bytes(head[10:12], "little") if head[3] & EXTRA else 10
    end = head.find(b"\0", start)
    return head[start:end].rpartition(b"/")[2] if end > start else b""


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
