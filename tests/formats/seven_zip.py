"""A 7-Zip archive made by hand: one folder, its list packed or not."""

import lzma
import struct
import zlib

FILTER = {"id": lzma.FILTER_LZMA2, "dict_size": 1 << 16}
SETTINGS = b"\x21\x21\x01\x08"  # one coder with settings: LZMA2, and the size of its window (64 KB)


def number(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else b"\xff" + struct.pack("<Q", value)


def packed(data: bytes) -> bytes:
    return lzma.compress(data, lzma.FORMAT_RAW, filters=[FILTER])


def streams(start: int, pack: int, sizes: list[int], coder: bytes, sums: list[int]) -> bytes:
    told = b"\x06" + number(start) + b"\x01\x09" + number(pack) + b"\0"
    told += b"\x07\x0b\x01\0\x01" + coder + b"\x0c" + number(sum(sizes)) + b"\0"
    if len(sizes) > 1:
        told += b"\x08\x0d" + number(len(sizes)) + b"\x09" + b"".join(map(number, sizes[:-1]))
        told += b"\x0a\x01" + b"".join(struct.pack("<I", told) for told in sums) + b"\0"
    return told + b"\0"


def archive(
    members: dict[str, bytes], *, coder: bytes = SETTINGS, pack_list: bool = True, modes: tuple[int, ...] = ()
) -> bytes:
    """modes: of Unix, as they are told above the attributes of Windows."""
    body = packed(b"".join(members.values()))
    names = b"\0" + b"".join(name.encode("utf-16-le") + b"\0\0" for name in members)
    sums = [zlib.crc32(data) for data in members.values()]
    listed = b"\x01\x04" + streams(0, len(body), [len(data) for data in members.values()], coder, sums)
    listed += b"\x05" + number(len(members)) + b"\x11" + number(len(names)) + names
    if modes:
        told = b"\x01\0" + b"".join(struct.pack("<I", mode << 16 | 0x8020) for mode in modes)
        listed += b"\x15" + number(len(told)) + told
    listed += b"\0\0"
    if pack_list:
        inner = packed(listed)
        listed, body = b"\x17" + streams(len(body), len(inner), [len(listed)], SETTINGS, []), body + inner
    start = struct.pack("<QQI", len(body), len(listed), zlib.crc32(listed))
    return b"7z\xbc\xaf\x27\x1c\0\x04" + struct.pack("<I", zlib.crc32(start)) + start + body + listed
