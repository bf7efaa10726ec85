"""Texts among the properties of shapes in Office's old binary files: alt texts and WordArt ([MS-ODRAW] §2.3.1)."""

import struct
from collections.abc import Iterator

from nearkin.formats.ppt_records import Record

SHAPE_PROPERTIES, WORD_ART, ALT_TEXT = {0xF00B, 0xF121, 0xF122}, 0x00C0, 0x0381
# IMsoArray of [MS-ODRAW]: how many elements, how many have room, bytes of each: 0xFFF0 for four, of halved numbers.
ARRAY_HEAD, HALVED = 6, 0xFFF0
ARRAYS = {0x145, 0x146, 0x151, 0x152, 0x155, 0x156, 0x157, 0x197, 0x1CF, 0x383, 0x3A0, 0x504}
ARRAYS |= {0x54F, 0x58F, 0x5CF, 0x60F}


def shape_texts(data: bytes, table: Record) -> Iterator[str]:
    """Of a table of properties: rows of six bytes, then, in their order, what was too long for a row."""
    place = table.start + 6 * table.instance
    for row in range(table.instance):
        if table.start + 6 * row + 6 > table.end:
            return
        key, value = struct.unpack_from("<HI", data, table.start + 6 * row)
        if key & 0x8000:
            if key & 0x3FFF in (WORD_ART, ALT_TEXT):
                yield data[place : min(place + value, table.end)].decode("utf-16-le", "replace")
            place += value + (_uncounted(data, place, value) if key & 0x3FFF in ARRAYS else 0)


def _uncounted(data: bytes, place: int, size: int) -> int:
    """Bytes of an array's head, where its size is that of its elements alone: so some programs wrote it, and others
    read both."""
    if not size or place + ARRAY_HEAD > len(data):
        return 0
    many, _, each = struct.unpack_from("<3H", data, place)
    return ARRAY_HEAD if many * (4 if each == HALVED else each) == size else 0
