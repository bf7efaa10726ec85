"""Alt texts and WordArt of Word's old files ([MS-DOC]): drawings lie in the table stream (§2.9.172 OfficeArtContent),
pictures that stand in a line in the data stream, one after the other (§2.9.192 PICFAndOfficeArtData)."""

import struct
from collections.abc import Iterator

from nearkin.formats.adapter import Problem
from nearkin.formats.ppt_records import Record, record_at, walk
from nearkin.formats.shape_texts import SHAPE_PROPERTIES, shape_texts

DRAWINGS_AT = 0x22A  # in the document: where they lie in the table, and how many bytes
PICTURE_HEAD = 68  # bytes
SHAPE, NAMED_FILE = 0x64, 0x66  # what a picture's head says of what follows; the name of a file comes first


def alt_texts(document: bytes, table: bytes, data: bytes) -> list[str]:
    """Of what is damaged, those before the damage: they are no part of the text."""
    found: list[str] = []
    for shapes in (_drawings(document, table), _pictures(data)):
        try:
            for place, record in shapes:
                for what, one in walk(place, record):
                    if what == "start" and one.kind in SHAPE_PROPERTIES:
                        found += (text.rstrip("\0") for text in shape_texts(place, one))
        except (Problem, struct.error):
            continue
    return [text for text in found if text.strip()]


def _drawings(document: bytes, table: bytes) -> Iterator[tuple[bytes, Record]]:
    """After what they have in common, one for the text and one for the headers, each behind a byte that says which."""
    start, size = struct.unpack_from("<2I", document, DRAWINGS_AT)
    end = min(start + size, len(table))
    if size and start < end:
        place = record_at(table, start, end).end
        while place + 1 < end:
            record = record_at(table, place + 1, end)
            yield table, record
            place = record.end


def _pictures(data: bytes) -> Iterator[tuple[bytes, Record]]:
    place = 0
    while place + PICTURE_HEAD < len(data):
        size, head, kind = struct.unpack_from("<IHH", data, place)
        if size < PICTURE_HEAD or head != PICTURE_HEAD:
            return
        start = place + PICTURE_HEAD + (1 + data[place + PICTURE_HEAD] if kind == NAMED_FILE else 0)
        if kind in (SHAPE, NAMED_FILE):
            yield data, record_at(data, start, min(place + size, len(data)))
        place += size
