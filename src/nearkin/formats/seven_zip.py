"""7-Zip archives by Python's own decompressors: LZMA, LZMA2, bzip2, Deflate, also behind the filter for programs.

The one library for them is LGPL and brings nine others. A member that needs another method (PPMd, BCJ2) is recorded as
unsupported. An archive consists of folders of packed bytes, each with the sizes of its files, and of the files' names;
they are listed as the description that comes with 7-Zip says (7zFormat.txt). Numbers and counts of a damaged list are
checked against the bytes that are there and the limits before they are used.
"""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import BinaryIO, Protocol

from nearkin.formats.adapter import DAMAGED, ContainerMember, Extraction, Limits, MemberBudget, Problem, is_link
from nearkin.model import Reason

MARK = b"7z\xbc\xaf\x27\x1c"
LARGEST_LIST = 64 << 20
END, HEADER, STREAMS, FILES, PACK, FOLDERS, SUBSTREAMS, SIZES, CRC = 0, 1, 4, 5, 6, 7, 8, 9, 10
FOLDER, UNPACKED, COUNTS, EMPTY_STREAM, EMPTY_FILE, NAMES = 11, 12, 13, 14, 15, 17
TIMES, ATTRIBUTES, PACKED_HEADER = 20, 21, 23
HAS_MODE = 0x8000  # above an attribute's lower half, which is Windows', is a mode of Unix
EPOCH = 116444736000000000  # 1970 in Windows' count of 100 ns since 1601


@dataclass(slots=True)
class Coder:
    """A method of packing and its settings."""

    method: bytes
    settings: bytes


@dataclass(slots=True)
class PackedFolder:
    """Bytes that are packed together: the contents of one or more files."""

    coders: list[Coder]  # the outermost first: its output is the files' bytes
    packs: int
    start: int = 0
    packed: int = 0
    unpacked: int = 0
    outputs: int = 1
    main: int = 0  # which of the outputs is not another coder's input
    sums: list[int | None] = field(default_factory=list)  # CRC-32 of each file, where the archive has it
    sizes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class ArchiveFile:
    """A file in the archive, as its list says."""

    name: bytes
    mtime_ns: int = 0
    empty: bool = False
    folder: bool = False
    mode: int = 0  # of Unix, where the archive has it


COPY, DELTA, X86, LZMA2, LZMA = b"\x00", b"\x03", b"\x03\x03\x01\x03", b"\x21", b"\x03\x01\x01"
BZIP2, DEFLATE, AES = b"\x04\x02\x02", b"\x04\x01\x08", b"\x06\xf1\x07\x01"
STEP = 1 << 16


class Decompressor(Protocol):
    """A decompressor of Python, or one that behaves like it."""

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


def read(file: BinaryIO, limits: Limits) -> Extraction:
    return Extraction(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[ContainerMember]:
    budget = MemberBudget(limits)
    folders, files = contents(file, limits, lambda folder: _stream(file, folder).read())
    place = 0
    for folder in folders:
        problem: Problem | None = None
        try:
            stream = _stream(file, folder)
        except Problem as error:
            problem = error
        for size, checksum in zip_longest(folder.sizes, folder.sums[: len(folder.sizes)]):
            entry = files[place]
            place += 1
            budget.begin()
            if problem is not None:
                yield ContainerMember.failed(entry.name, problem, mtime_ns=entry.mtime_ns)
                continue
            piece = _FileStream(stream, size)
            try:
                member = budget.take(entry.name, piece, mtime_ns=entry.mtime_ns)  # type: ignore[arg-type]
                while skipped := piece.read(1 << 20):
                    budget.spend(len(skipped))
                if member.problem is None and checksum is not None and zlib.crc32(member.data) != checksum:
                    wrong = Problem(Reason.CORRUPT, "its checksum is wrong")
                    member = ContainerMember.failed(entry.name, wrong, mtime_ns=entry.mtime_ns)
            except (lzma.LZMAError, zlib.error, OSError, EOFError, ValueError):
                problem = Problem(Reason.CORRUPT, DAMAGED)
                member = ContainerMember.failed(entry.name, problem, mtime_ns=entry.mtime_ns)
            if member.problem is not None or not is_link(entry.mode, size):
                yield member
    for entry in files[place:]:
        budget.begin()
        yield ContainerMember(entry.name, b"", entry.mtime_ns)


def _stream(file: BinaryIO, folder: PackedFolder) -> "_FolderStream":
    return _FolderStream(file, folder, _decompressor(folder))


def _decompressor(folder: PackedFolder) -> Decompressor | None:
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


def _window(stated: int, size: int) -> int:
    """The window that is used: no larger than the bytes that will be unpacked."""
    return max(4096, min(stated, size))


class _Deflate:
    """Deflate with the methods of Python's other decompressors."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(-15)
        self.eof = False

    def decompress(self, data: bytes, most: int = -1, /) -> bytes:
        unpacked = self._inner.decompress(self._inner.unconsumed_tail + data, max(most, 0))
        self.eof = self._inner.eof
        return unpacked


class _FolderStream:
    """The unpacked bytes of one folder, in order."""

    def __init__(self, file: BinaryIO, folder: PackedFolder, inner: Decompressor | None) -> None:
        self._file, self._inner = file, inner
        self._at, self._packed = folder.start, folder.packed
        self._left = folder.unpacked
        self._begun = False

    def read(self, most: int = -1) -> bytes:
        pieces = []
        wanted = self._left if most < 0 else min(most, self._left)
        while wanted:
            piece = self._piece(wanted)
            pieces.append(piece)
            wanted -= len(piece)
            self._left -= len(piece)
        return b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        if self._inner is None:
            return self._raw(min(most, STEP)) or self._short()
        unpacked = self._inner.decompress(b"", most) if self._begun else b""
        while not unpacked:
            raw = b"" if self._inner.eof else self._raw(STEP)
            if not raw:
                self._short()
            self._begun = True
            unpacked = self._inner.decompress(raw, most)
        return unpacked

    def _raw(self, size: int) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(min(size, self._packed))
        self._at += len(data)
        self._packed -= len(data)
        return data

    def _short(self) -> bytes:
        raise EOFError("it ends early")


class _FileStream(io.RawIOBase):
    """The bytes of one file of a folder."""

    def __init__(self, stream: _FolderStream, size: int) -> None:
        self._stream, self._left = stream, size

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


class _Cursor:
    """Reads the list of an archive from its start to its end."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data, self._at, self._most = data, 0, most

    def take(self, size: int) -> bytes:
        piece = self._data[self._at : self._at + size]
        if len(piece) < size:
            raise Problem(Reason.CORRUPT, "cut off: its list of members ends early")
        self._at += size
        return piece

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        first = self.byte()
        extra = 0
        while extra < 8 and first & 0x80 >> extra:
            extra += 1
        low = int.from_bytes(self.take(extra), "little")
        return low + ((first & (0x7F >> extra)) << 8 * extra)

    def count(self) -> int:
        number = self.number()
        if number > self._most:
            raise Problem(Reason.TOO_LARGE, f"more than {self._most} members")
        return number

    def bits(self, count: int) -> list[bool]:
        data = self.take((count + 7) // 8)
        return [bool(data[place // 8] & 0x80 >> place % 8) for place in range(count)]

    def defined(self, count: int) -> list[bool]:
        return [True] * count if self.byte() else self.bits(count)

    def sums(self, count: int) -> list[int | None]:
        return [int.from_bytes(self.take(4), "little") if known else None for known in self.defined(count)]


def _lacks_sums(folder: PackedFolder) -> bool:
    return len(folder.sizes) != 1 or not any(checksum is not None for checksum in folder.sums)


def contents(
    file: BinaryIO, limits: Limits, unpack: Callable[[PackedFolder], bytes]
) -> tuple[list[PackedFolder], list[ArchiveFile]]:
    """The folders of an archive, and its files in the order of the folders' sizes, empty files last."""
    file.seek(0)
    start = file.read(32)
    if len(start) < 32 or not start.startswith(MARK):
        raise Problem(Reason.CORRUPT, "not a 7-Zip archive")
    place, size = int.from_bytes(start[12:20], "little"), int.from_bytes(start[20:28], "little")
    if not size:
        return [], []
    if size > LARGEST_LIST:
        raise Problem(Reason.TOO_LARGE, "the list of members is over 64 MB")
    file.seek(32 + place)
    data = file.read(size)
    if len(data) < size:
        raise Problem(Reason.CORRUPT, "its end, where its members are listed, is missing; it may lie in another volume")
    for _ in range(4):
        cursor = _Cursor(data, limits.members)
        if (kind := cursor.byte()) == HEADER:
            return _header(cursor)
        if kind != PACKED_HEADER:
            break
        packed = _streams(cursor)
        if not packed or packed[0].unpacked > LARGEST_LIST:
            break
        data = unpack(packed[0])
    raise Problem(Reason.CORRUPT, "damaged: its list of members cannot be read")


def _header(cursor: _Cursor) -> tuple[list[PackedFolder], list[ArchiveFile]]:
    folders: list[PackedFolder] = []
    files: list[ArchiveFile] = []
    while (kind := cursor.byte()) != END:
        if kind == STREAMS:
            folders = _streams(cursor)
        elif kind == FILES:
            files = _files(cursor)
        else:
            raise Problem(Reason.CORRUPT, "damaged: its list of members cannot be read")
    full = [entry for entry in files if not entry.empty]
    if len(full) != sum(len(folder.sizes) for folder in folders):
        raise Problem(Reason.CORRUPT, "damaged: its list of members does not add up")
    return folders, full + [entry for entry in files if entry.empty and not entry.folder]


def _streams(cursor: _Cursor) -> list[PackedFolder]:
    folders: list[PackedFolder] = []
    position, packs = 0, list[int]()
    while (kind := cursor.byte()) != END:
        if kind == PACK:
            position, packs = _packs(cursor)
        elif kind == FOLDERS:
            folders = _folders(cursor)
        elif kind == SUBSTREAMS:
            _substreams(cursor, folders)
        else:
            raise Problem(Reason.CORRUPT, "damaged: its list of members cannot be read")
    at, number = 32 + position, 0
    for folder in folders:
        sizes = packs[number : number + folder.packs]
        folder.start, folder.packed = at, sum(sizes)
        at += folder.packed
        number += folder.packs
        if not folder.sizes and kind == END and folder.outputs:
            folder.sizes = folder.sizes or [folder.unpacked]
    return folders


def _packs(cursor: _Cursor) -> tuple[int, list[int]]:
    position, count = cursor.number(), cursor.count()
    sizes: list[int] = []
    while (kind := cursor.byte()) != END:
        if kind == SIZES:
            sizes = [cursor.number() for _ in range(count)]
        elif kind == CRC:
            cursor.sums(count)
    return position, sizes


def _folders(cursor: _Cursor) -> list[PackedFolder]:
    folders: list[PackedFolder] = []
    while (kind := cursor.byte()) != END:
        if kind == FOLDER:
            count = cursor.count()
            if cursor.byte():
                raise Problem(Reason.UNSUPPORTED, "its list of members is in another file")
            folders = [_folder(cursor) for _ in range(count)]
        elif kind == UNPACKED:
            for folder in folders:
                folder.unpacked = [cursor.number() for _ in range(folder.outputs)][folder.main]
        elif kind == CRC:
            for folder, checksum in zip(folders, cursor.sums(len(folders)), strict=True):
                folder.sums = [checksum]
    return folders


def _folder(cursor: _Cursor) -> PackedFolder:
    coders = []
    inputs = outputs = 0
    for _ in range(min(cursor.number(), 32)):
        flags = cursor.byte()
        method = cursor.take(flags & 15)
        ins, outs = (cursor.number(), cursor.number()) if flags & 16 else (1, 1)
        settings = cursor.take(cursor.number()) if flags & 32 else b""
        coders.append(Coder(method, settings))
        inputs, outputs = inputs + ins, outputs + outs
    if not coders or max(inputs, outputs) > 32:
        raise Problem(Reason.CORRUPT, "damaged: its list of members cannot be read")
    bound = {}  # which coder's input is which coder's output
    for _ in range(outputs - 1):
        taker = cursor.number()
        bound[taker] = cursor.number()
    main = next((coder for coder in range(outputs) if coder not in bound.values()), 0)
    if inputs == outputs == len(coders) and set(bound.values()) < set(range(outputs)):
        order = [main]
        while order[-1] in bound and len(order) < outputs:
            order.append(bound[order[-1]])
        coders = [coders[place] for place in order]
    packs = inputs - outputs + 1
    for _ in range(packs if packs > 1 else 0):
        cursor.number()
    return PackedFolder(coders, packs, outputs=outputs, main=main)


def _substreams(cursor: _Cursor, folders: list[PackedFolder]) -> None:
    counts = [1] * len(folders)
    kind = cursor.byte()
    if kind == COUNTS:
        counts = [cursor.count() for _ in folders]
        kind = cursor.byte()
    for folder, count in zip(folders, counts, strict=True):
        known = [cursor.number() for _ in range(count - 1)] if kind == SIZES else []
        folder.sizes = [*known, folder.unpacked - sum(known)] if count else []
        folder.outputs = count  # 0 for a folder without files
        if any(size < 0 for size in folder.sizes):
            raise Problem(Reason.CORRUPT, "damaged: the sizes of its members do not add up")
    if kind == SIZES:
        kind = cursor.byte()
    while kind != END:
        if kind == CRC:
            checksums = iter(cursor.sums(sum(len(folder.sizes) for folder in folders if _lacks_sums(folder))))
            for folder in folders:
                if _lacks_sums(folder):
                    folder.sums = [next(checksums) for _ in folder.sizes]
        kind = cursor.byte()


def _files(cursor: _Cursor) -> list[ArchiveFile]:
    count = cursor.count()
    files = [ArchiveFile(b"") for _ in range(count)]
    empty: list[ArchiveFile] = []
    while (kind := cursor.number()) != END:
        piece = _Cursor(cursor.take(cursor.number()), count)
        if kind == EMPTY_STREAM:
            for entry, flag in zip(files, piece.bits(count), strict=True):
                entry.empty = entry.folder = flag
            empty = [entry for entry in files if entry.empty]
        elif kind == EMPTY_FILE:
            for entry, flag in zip(empty, piece.bits(len(empty)), strict=True):
                entry.folder = not flag
        elif kind == NAMES and not piece.byte():
            for entry in files:
                entry.name = _name(piece)
        elif kind in (TIMES, ATTRIBUTES):
            defined = piece.defined(count)
            piece.byte()
            for entry in (entry for entry, is_defined in zip(files, defined, strict=True) if is_defined):
                if kind == TIMES:
                    entry.mtime_ns = max(0, int.from_bytes(piece.take(8), "little") - EPOCH) * 100
                else:
                    attributes = int.from_bytes(piece.take(4), "little")
                    entry.mode = attributes >> 16 if attributes & HAS_MODE else 0
    return files


def _name(piece: _Cursor) -> bytes:
    units = bytearray()
    while (unit := piece.take(2)) != b"\0\0":
        units += unit
    return units.decode("utf-16-le", "replace").replace("\\", "/").encode("utf-8", "replace")
