"""Records of PowerPoint's old binary files ([MS-PPT] §2.3.1, [MS-ODRAW] §1.3.1): each says its type and its length, and
some hold others. Walked by places in the stream, without copies."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

from nearkin.formats.adapter import Problem
from nearkin.model import Reason

HEADER = struct.Struct("<HHI")
DEEPEST = 500  # records in records
HOLDS = 0xF  # the version of a record that holds others
STRING, TAG_DATA = 0x0FBA, 0x138B
# Data of a tag hold records if the tag is one of PowerPoint's own, ___PPT9 and later ones ([MS-PPT]). Those of other
# programs are any bytes. Its name is the string before them.
OWN = "___PPT".encode("utf-16-le")


class Record(NamedTuple):
    kind: int
    instance: int
    start: int  # of what it holds
    end: int
    holds: bool


def record_at(data: bytes, place: int, end: int | None = None) -> Record:
    end = len(data) if end is None else end
    if place + HEADER.size > end:
        raise Problem(Reason.CORRUPT, "damaged: it refers to a part that is missing")
    version, kind, size = HEADER.unpack_from(data, place)
    start = place + HEADER.size
    if start + size > end:
        raise Problem(Reason.CORRUPT, "damaged: a part is longer than what holds it")
    return Record(kind, version >> 4, start, start + size, version & 0xF == HOLDS)


def children(data: bytes, parent: Record) -> Iterator[Record]:
    place, own = parent.start, False
    while place + HEADER.size <= parent.end:
        record = record_at(data, place, parent.end)
        if record.kind == STRING:
            own = data.startswith(OWN, record.start, record.end)
        yield record._replace(holds=own) if record.kind == TAG_DATA else record
        place = record.end


def walk(data: bytes, parent: Record) -> Iterator[tuple[str, Record]]:
    """All that lies in a record, at any depth, in its order: ("start", record), and ("end", record) of those that hold
    others."""
    open_ones = [(parent, children(data, parent))]
    while open_ones:
        around, rest = open_ones[-1]
        record = next(rest, None)
        if record is None:
            open_ones.pop()
            if open_ones:
                yield "end", around
            continue
        yield "start", record
        if record.holds:
            if len(open_ones) > DEEPEST:
                raise Problem(Reason.TOO_LARGE, f"parts nested over {DEEPEST} deep")
            open_ones.append((record, children(data, record)))
