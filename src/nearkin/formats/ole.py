"""OLE files ([MS-CFB]), opened in one way, and what all of them may say of themselves. Those of Works, Visio and others
are not read: no permissive, well-kept library does.

What can be told is told: Word, Excel and PowerPoint files with a password are such a file around the encrypted one.

Records of PowerPoint's old binary files ([MS-PPT] §2.3.1, [MS-ODRAW] §1.3.1): each says its type and its length, and
some hold others. Walked by places in the stream, without copies.

Texts among the properties of shapes in Office's old binary files: alt texts and WordArt ([MS-ODRAW] §2.3.1).

Code pages by their numbers, as RTF and Excel tell them: Python knows those of Windows and DOS as cp1252, those of
the Macintosh by name only.
"""

import codecs
import struct
from collections.abc import Iterator
from datetime import datetime, timedelta
from os import SEEK_END
from typing import Any, BinaryIO, NamedTuple

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.model import Reason

ENCRYPTED = ("EncryptedPackage", "\x09DRMContent")
SUMMARY = "\x05SummaryInformation"
LONGEST, MOST = 1 << 20, 1000  # bytes and number of properties
CODE_PAGE, STRINGS, TIMES = 1, {2: "title", 4: "author"}, {12: "created", 13: "modified"}
STREAM = 2  # as olefile has it
STRING, WIDE_STRING, TIME = 0x1E, 0x1F, 0x40


def read(file: BinaryIO, limits: Limits) -> Found:
    with opened(file) as storage:
        if any(storage.exists(stream) for stream in ENCRYPTED):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
    raise Problem(Reason.UNSUPPORTED, "an old binary file of Works, Visio or the like")


def opened(file: BinaryIO) -> Any:
    import olefile

    try:
        return olefile.OleFileIO(file)
    except (ValueError, olefile.olefile.OleFileError) as error:  # also sectors of 2 to the power of 65,535 bytes
        raise Problem(Reason.CORRUPT, "damaged: not a readable Office file") from error


def stream_of(storage: Any, name: str) -> bytes:
    """Empty where there is none. Olefile follows sectors in a circle for as long as the stream says it is: a mail of
    32 KB with one wrong bit took 17 s and 700 MB."""
    if storage.get_type(name) != STREAM:
        return b""
    if storage.get_size(name) > storage.fp.seek(0, SEEK_END):
        raise Problem(Reason.CORRUPT, "damaged: a part of it is longer than the file")
    data: bytes = storage.openstream(name).read()
    return data


def properties(storage: Any) -> dict[str, str]:
    """As every such file may tell them ([MS-OLEPS] §2.20). Not by olefile, which counts to four thousand million where
    a damaged file says so."""
    if not storage.exists(SUMMARY):
        return {}
    data = storage.openstream(SUMMARY).read(LONGEST)
    values: dict[int, bytes] = {}
    try:
        (start,) = struct.unpack_from("<I", data, 44)
        (many,) = struct.unpack_from("<I", data, start + 4)
        for i in range(min(many, MOST)):
            key, place = struct.unpack_from("<2I", data, start + 8 + 8 * i)
            values.setdefault(key, data[start + place :])
    except struct.error:  # damaged: what was found until then
        pass
    page = int.from_bytes(values.get(CODE_PAGE, b"")[4:6], "little")
    found = {name: _string(values[key], page) for key, name in STRINGS.items() if key in values}
    found |= {name: _time(values[key]) for key, name in TIMES.items() if key in values}
    return {name: value for name, value in found.items() if value}


def _string(value: bytes, page: int) -> str:
    kind, size = int.from_bytes(value[:4], "little"), int.from_bytes(value[4:8], "little")
    if kind == WIDE_STRING:
        return value[8 : 8 + 2 * size].decode("utf-16-le", "replace").strip("\0 ")
    if kind != STRING:
        return ""
    name = {1200: "utf-16-le", 65001: "utf-8"}.get(page, f"cp{page}")
    try:
        told = value[8 : 8 + size].decode(name, "replace")
    except LookupError:
        told = value[8 : 8 + size].decode("cp1252", "replace")
    return told.strip("\0 ")


def _time(value: bytes) -> str:
    ticks = int.from_bytes(value[4:12], "little")
    if int.from_bytes(value[:4], "little") != TIME or not ticks:
        return ""
    try:
        return (datetime(1601, 1, 1) + timedelta(microseconds=ticks // 10)).isoformat()
    except OverflowError:
        return ""


HEADER = struct.Struct("<HHI")
DEEPEST = 500  # records in records
HOLDS = 0xF  # the version of a record that holds others
STRING_RECORD, TAG_DATA = 0x0FBA, 0x138B
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
        if record.kind == STRING_RECORD:
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


LARGEST_CODE_PAGE = 0xFFFF  # each number that is none is looked for in Python's folders
MACINTOSH = {
    10000: "mac-roman",
    10001: "shift-jis",
    10006: "mac-greek",
    10007: "mac-cyrillic",
    10029: "mac-latin2",
    10079: "mac-iceland",
    10081: "mac-turkish",
}


def codec_of_page(number: int) -> str:
    """Empty where nobody knows it. Looked up: nothing at all is decoded by any name."""
    codec = MACINTOSH.get(number, f"cp{number}")
    if not 0 < number <= LARGEST_CODE_PAGE:
        return ""
    try:
        codecs.lookup(codec)
    except LookupError:
        return ""
    return codec
