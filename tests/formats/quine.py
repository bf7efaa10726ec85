"""A ZIP archive whose one member is itself, as Russ Cox tells in "Zip Files All The Way Down" (2010).

A program of two instructions prints itself: L n (n bytes that follow, as they are) and R n (the last n bytes again).
Each is five bytes of deflate. What stands before and after it in the file, P and S, is printed along with it.
"""

import struct
import zlib

NAME = b"again.zip"
AROUND = 253  # bytes of P and of S: so that R of one and an instruction can be told in five bytes
END = b"\x01\0\0\xff\xff"  # the last block of deflate, with nothing in it


def literal(size: int) -> bytes:
    return struct.pack("<BHH", 0, size, size ^ 0xFFFF)


def repeat(size: int) -> bytes:
    """Of 20 bytes, two times 10 of them from 20 back; of 258, all at once, and an empty block to fill five bytes."""
    start, end = "010", "0000000"  # of a block with fixed codes
    if size == 20:
        bits = start + ("0001000" + "01000" + "110") * 2 + end  # length 10; distance 17, and 3 more
    else:
        bits = start + "11000101" + "10000" + "1000000" + end + start + end  # length 258; distance 257, and 1 more
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 40, 8))


def quine() -> bytes:
    for minute in range(60):
        if (crc := _own_crc(minute)) is not None:
            return _file(crc, minute)
    raise AssertionError("no time of the day has a solution")


def _file(crc: int, minute: int) -> bytes:
    around = AROUND + 5
    rest = (
        repeat(around)
        + literal(5) + repeat(around)
        + literal(5) + literal(5)
        + literal(20) + repeat(around) + literal(5) + literal(5) + literal(20)
        + repeat(20)
        + literal(20) + repeat(20) + literal(20) + repeat(20) + literal(20)
        + repeat(20)
        + literal(20) + repeat(20) + literal(0) + literal(0) + literal(around)
        + repeat(20) + literal(0) + literal(0)
    )  # fmt: skip
    packed = 5 + AROUND + 5 + len(rest) + 5 + 5 + AROUND + 5 + len(END)
    whole = AROUND + packed - len(END) + AROUND
    told = struct.pack("<HHHHHIIIHH", 20, 0, 8, minute << 5, 0x5821, crc, packed, whole, len(NAME), 0)
    extra = AROUND - 30 - len(NAME)
    filled = struct.pack("<HH", 0xCAFE, extra - 4) + bytes(extra - 4)
    before = b"PK\x03\x04" + told[:-2] + struct.pack("<H", extra) + NAME + filled
    listed = b"PK\x01\x02" + struct.pack("<H", 20) + told + struct.pack("<HHHII", 0, 0, 0, 0, 0) + NAME
    start = whole - AROUND + len(END)
    comment = AROUND - len(END) - len(listed) - 22
    ending = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(listed), start, comment) + bytes(comment)
    after = END + listed + ending
    assert (len(before), len(after)) == (AROUND, AROUND)
    program = literal(around) + before + literal(around) + rest + literal(around) + repeat(around) + after
    return before + program + repeat(around) + after


def _own_crc(minute: int) -> int | None:
    """The sum of a file depends on each bit of the sum that stands in it, linearly: 32 equations modulo 2."""
    base = zlib.crc32(_file(0, minute))
    equations = [(zlib.crc32(_file(1 << bit, minute)) ^ base ^ (1 << bit), 1 << bit) for bit in range(32)]
    left, found = base, 0
    for pivot in reversed(range(32)):
        chosen = next((one for one in equations if one[0] >> pivot & 1), None)
        if chosen is None:
            if left >> pivot & 1:
                return None
            continue
        equations.remove(chosen)
        equations = [(one[0] ^ chosen[0], one[1] ^ chosen[1]) if one[0] >> pivot & 1 else one for one in equations]
        if left >> pivot & 1:
            left, found = left ^ chosen[0], found ^ chosen[1]
    return found
