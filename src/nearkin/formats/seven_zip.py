"""7-Zip archives by Python's own decompressors: LZMA, LZMA2, bzip2, Deflate, also behind the filter for programs.

The one library for it is LGPL and brings nine others; the list of an archive is read in `seven_zip_list`. What needs
another method (PPMd, BCJ2) is recorded as unsupported, member by member.
"""

import bz2
import io
import lzma
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import BinaryIO, Protocol

from nearkin.formats.adapter import DAMAGED, Found, Limits, Member, Problem
from nearkin.formats.members import Counted, is_link
from nearkin.formats.seven_zip_list import Coder, Folder, contents
from nearkin.model import Reason

COPY, DELTA, X86, LZMA2, LZMA = b"\x00", b"\x03", b"\x03\x03\x01\x03", b"\x21", b"\x03\x01\x01"
BZIP2, DEFLATE, AES = b"\x04\x02\x02", b"\x04\x01\x08", b"\x06\xf1\x07\x01"
STEP = 1 << 16


class Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def read(file: BinaryIO, limits: Limits) -> Found:
    return Found(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    folders, files = contents(file, limits, lambda folder: _stream(file, folder).read())
    place = 0
    for folder in folders:
        stream = problem = None
        try:
            stream = _stream(file, folder)
        except Problem as error:
            problem = error
        for size, told in zip_longest(folder.sizes, folder.sums[: len(folder.sizes)]):
            entry = files[place]
            place += 1
            counted.begin()
            if stream is None or problem is not None:
                yield Member(entry.name, b"", entry.mtime_ns, problem)
                continue
            piece = _Piece(stream, size)
            try:
                member = counted.take(entry.name, piece, mtime_ns=entry.mtime_ns)  # type: ignore[arg-type]
                while skipped := piece.read(1 << 20):
                    counted.spend(len(skipped))
                if member.problem is None and told is not None and zlib.crc32(member.data) != told:
                    member = Member(entry.name, b"", entry.mtime_ns, Problem(Reason.CORRUPT, "its checksum is wrong"))
            except (lzma.LZMAError, zlib.error, OSError, EOFError, ValueError):
                problem = Problem(Reason.CORRUPT, DAMAGED)
                member = Member(entry.name, b"", entry.mtime_ns, problem)
            if member.problem is not None or not is_link(entry.mode, size):
                yield member
    for entry in files[place:]:
        counted.begin()
        yield Member(entry.name, b"", entry.mtime_ns)


def _stream(file: BinaryIO, folder: Folder) -> "_Unpacked":
    return _Unpacked(file, folder, _decompressor(folder))


def _decompressor(folder: Folder) -> Decompressor | None:
    methods = [coder.method for coder in folder.coders]
    if AES in methods:
        raise Problem(Reason.ENCRYPTED, "a password is needed")
    last = folder.coders[-1]
    if methods == [COPY]:
        return None
    if methods == [BZIP2]:
        return bz2.BZ2Decompressor()
    if methods == [DEFLATE]:
        return _Deflate()
    if methods in ([LZMA], [LZMA2]) or (len(methods) == 2 and methods[0] in (X86, DELTA) and methods[1] == LZMA2):
        first = [_filter(coder, folder.unpacked) for coder in folder.coders[:-1]]
        return lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[*first, _filter(last, folder.unpacked)])
    raise Problem(Reason.UNSUPPORTED, f"packed by a method that is not read ({methods[-1].hex()})")


def _filter(coder: Coder, size: int) -> dict[str, int]:
    if coder.method == X86:
        return {"id": lzma.FILTER_X86}
    if coder.method == DELTA:
        return {"id": lzma.FILTER_DELTA, "dist": coder.settings[0] + 1}
    if coder.method == LZMA2:
        bits = coder.settings[0]
        window = 0xFFFFFFFF if bits >= 40 else (2 | (bits & 1)) << (bits // 2 + 11)
        return {"id": lzma.FILTER_LZMA2, "dict_size": _window(window, size)}
    rest, lc = divmod(coder.settings[0], 9)
    pb, lp = divmod(rest, 5)
    window = int.from_bytes(coder.settings[1:5], "little")
    return {"id": lzma.FILTER_LZMA1, "dict_size": _window(window, size), "lc": lc, "lp": lp, "pb": pb}


def _window(told: int, size: int) -> int:
    """No more memory than there are bytes to come of it."""
    return max(4096, min(told, size))


class _Deflate:
    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-15)
        self.eof = False

    def decompress(self, data: bytes, most: int = -1, /) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max(most, 0))
        self.eof = self._inner.eof
        return found


class _Unpacked:
    """The bytes of one folder, in order."""

    def __init__(self, file: BinaryIO, folder: Folder, inner: Decompressor | None) -> None:
        self._file, self._inner = file, inner
        self._at, self._packed = folder.start, folder.packed
        self._left = folder.unpacked

    def read(self, most: int = -1) -> bytes:
        pieces = []
        want = self._left if most < 0 else min(most, self._left)
        while want:
            piece = self._piece(want)
            pieces.append(piece)
            want -= len(piece)
            self._left -= len(piece)
        return b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        if self._inner is None:
            return self._raw(min(most, STEP)) or self._short()
        found = self._inner.decompress(b"", most) if self._begun else b""
        while not found:
            raw = b"" if self._inner.eof else self._raw(STEP)
            if not raw:
                self._short()
            self._begun = True
            found = self._inner.decompress(raw, most)
        return found

    _begun = False

    def _raw(self, size: int) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(min(size, self._packed))
        self._at += len(data)
        self._packed -= len(data)
        return data

    def _short(self) -> bytes:
        raise EOFError("it ends early")


class _Piece(io.RawIOBase):
    def __init__(self, stream: _Unpacked, size: int) -> None:
        self._stream, self._left = stream, size

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data
