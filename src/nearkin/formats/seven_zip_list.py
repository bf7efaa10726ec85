"""What lies in a 7-Zip archive: folders of packed bytes, each with the sizes of its files, and the files' names.

After the description of the format that comes with 7-Zip (7zFormat.txt). Numbers and counts of a damaged list are held
to the bytes that are there and to the limits before anything is made of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import BinaryIO

from nearkin.formats.adapter import Limits, Problem
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
    method: bytes
    settings: bytes


@dataclass(slots=True)
class Folder:
    coders: list[Coder]  # the outermost first: what it gives is the text
    packs: int
    start: int = 0
    packed: int = 0
    unpacked: int = 0
    outputs: int = 1
    main: int = 0  # which of the outputs is not another coder's input
    sums: list[int | None] = field(default_factory=list)  # CRC-32 of each file, where told
    sizes: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Entry:
    name: bytes
    mtime_ns: int = 0
    empty: bool = False
    folder: bool = False
    mode: int = 0  # of Unix, where told


class _Cursor:
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
        return [int.from_bytes(self.take(4), "little") if told else None for told in self.defined(count)]


def _unknown(folder: Folder) -> bool:
    return len(folder.sizes) != 1 or not any(told is not None for told in folder.sums)


def contents(file: BinaryIO, limits: Limits, unpack: Callable[[Folder], bytes]) -> tuple[list[Folder], list[Entry]]:
    """Folders, and the files in the order of the folders' sizes, empty files last."""
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


def _header(cursor: _Cursor) -> tuple[list[Folder], list[Entry]]:
    folders: list[Folder] = []
    files: list[Entry] = []
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


def _streams(cursor: _Cursor) -> list[Folder]:
    folders: list[Folder] = []
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


def _folders(cursor: _Cursor) -> list[Folder]:
    folders: list[Folder] = []
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
            for folder, told in zip(folders, cursor.sums(len(folders)), strict=True):
                folder.sums = [told]
    return folders


def _folder(cursor: _Cursor) -> Folder:
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
    bound = {}  # whose input is whose output
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
    return Folder(coders, packs, outputs=outputs, main=main)


def _substreams(cursor: _Cursor, folders: list[Folder]) -> None:
    counts = [1] * len(folders)
    kind = cursor.byte()
    if kind == COUNTS:
        counts = [cursor.count() for _ in folders]
        kind = cursor.byte()
    for folder, count in zip(folders, counts, strict=True):
        known = [cursor.number() for _ in range(count - 1)] if kind == SIZES else []
        folder.sizes = [*known, folder.unpacked - sum(known)] if count else []
        folder.outputs = count  # none: a folder without files
        if any(size < 0 for size in folder.sizes):
            raise Problem(Reason.CORRUPT, "damaged: the sizes of its members do not add up")
    if kind == SIZES:
        kind = cursor.byte()
    while kind != END:
        if kind == CRC:
            told = iter(cursor.sums(sum(len(folder.sizes) for folder in folders if _unknown(folder))))
            for folder in folders:
                if _unknown(folder):
                    folder.sums = [next(told) for _ in folder.sizes]
        kind = cursor.byte()


def _files(cursor: _Cursor) -> list[Entry]:
    count = cursor.count()
    files = [Entry(b"") for _ in range(count)]
    empty: list[Entry] = []
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
            for entry in (entry for entry, told in zip(files, defined, strict=True) if told):
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
