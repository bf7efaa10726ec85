"""OLE files ([MS-CFB]): streams and properties, and what the old binary files of Office share.

Files of Works, Visio and others are not read: no permissive, well-kept library does. What can be recognised is
reported: Word, Excel and PowerPoint files with a password are an OLE file around the encrypted one.

PowerPoint's files and the drawings of all three are records ([MS-PPT] §2.3.1, [MS-ODRAW] §1.3.1): each has a type and a
length, and some hold others. They are walked by places in the stream, without copies. Properties of shapes hold alt
texts and WordArt ([MS-ODRAW] §2.3.1).
"""

import codecs
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from os import SEEK_END
from typing import Any, BinaryIO, NamedTuple

from nearkin.formats.adapter import Extraction, Limits, Problem
from nearkin.model import Reason

ENCRYPTED = ("EncryptedPackage", "\x09DRMContent")
SUMMARY = "\x05SummaryInformation"
LONGEST, MOST = 1 << 20, 1000  # bytes and number of properties
CODE_PAGE, STRINGS, TIMES = 1, {2: "title", 4: "author"}, {12: "created", 13: "modified"}
STREAM = 2  # as olefile has it
STRING, WIDE_STRING, TIME = 0x1E, 0x1F, 0x40


def read(file: BinaryIO, limits: Limits) -> Extraction:
    with opened(file) as storage:
        if any(storage.exists(stream) for stream in ENCRYPTED):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
    raise Problem(Reason.UNSUPPORTED, "an old binary file of Works, Visio or the like")


def opened(file: BinaryIO) -> Any:
    """The storage of an OLE file. Problem: it is none."""
    import olefile  # few files need it, and `detect` imports this module for all

    try:
        return olefile.OleFileIO(file)
    except (ValueError, olefile.olefile.OleFileError) as error:  # ValueError: sectors of 2 to the power of 65,535 bytes
        raise Problem(Reason.CORRUPT, "damaged: not a readable Office file") from error


def stream_of(storage: Any, name: str) -> bytes:
    """The bytes of a stream; empty where there is none. A stream longer than the file is refused: olefile follows
    sectors in a circle for as long as a stream claims to be, and a mail of 32 KB with one wrong bit took 17 s and
    700 MB."""
    if storage.get_type(name) != STREAM:
        return b""
    if storage.get_size(name) > storage.fp.seek(0, SEEK_END):
        raise Problem(Reason.CORRUPT, "damaged: a part of it is longer than the file")
    data: bytes = storage.openstream(name).read()
    return data


def properties(storage: Any) -> dict[str, str]:
    """Title, author and dates ([MS-OLEPS] §2.20). They are not read by olefile, which counts to four thousand million
    where a damaged file says so."""
    if not storage.exists(SUMMARY):
        return {}
    data = storage.openstream(SUMMARY).read(LONGEST)
    values: dict[int, bytes] = {}
    try:
        (start,) = struct.unpack_from("<I", data, 44)
        (count,) = struct.unpack_from("<I", data, start + 4)
        for i in range(min(count, MOST)):
            key, place = struct.unpack_from("<2I", data, start + 8 + 8 * i)
            values.setdefault(key, data[start + place :])
    except struct.error:  # damaged: the values before the damage count
        pass
    page = int.from_bytes(values.get(CODE_PAGE, b"")[4:6], "little")
    texts = {name: _string(values[key], page) for key, name in STRINGS.items() if key in values}
    texts |= {name: _time(values[key]) for key, name in TIMES.items() if key in values}
    return {name: text for name, text in texts.items() if text}


def _string(value: bytes, page: int) -> str:
    kind, size = int.from_bytes(value[:4], "little"), int.from_bytes(value[4:8], "little")
    if kind == WIDE_STRING:
        return value[8 : 8 + 2 * size].decode("utf-16-le", "replace").strip("\0 ")
    if kind != STRING:
        return ""
    name = {1200: "utf-16-le", 65001: "utf-8"}.get(page, f"cp{page}")
    try:
        text = value[8 : 8 + size].decode(name, "replace")
    except LookupError:
        text = value[8 : 8 + size].decode("cp1252", "replace")
    return text.strip("\0 ")


def _time(value: bytes) -> str:
    ticks = int.from_bytes(value[4:12], "little")
    if int.from_bytes(value[:4], "little") != TIME or not ticks:
        return ""
    try:
        return windows_time(ticks).replace(tzinfo=None).isoformat()
    except OverflowError:
        return ""


def windows_time(ticks: int) -> datetime:
    """A time of Windows, counted in 100 ns since 1601."""
    return datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks // 10)


HEADER = struct.Struct("<HHI")
DEEPEST = 500  # records in records
HOLDS = 0xF  # the version of a record that holds others
STRING_RECORD, TAG_DATA = 0x0FBA, 0x138B
# Data of a tag hold records if the tag is one of PowerPoint's own, ___PPT9 and later ones ([MS-PPT]). Those of other
# programs are any bytes. The tag's name is the string before them.
OWN = "___PPT".encode("utf-16-le")


class OfficeRecord(NamedTuple):
    """A record of PowerPoint's files and of drawings, by its place in the stream."""

    kind: int
    instance: int
    start: int  # of its content
    end: int
    holds: bool  # whether its content is records


def record_at(data: bytes, place: int, end: int | None = None) -> OfficeRecord:
    """The record that begins at a place. Problem: it does not end before `end`."""
    end = len(data) if end is None else end
    if place + HEADER.size > end:
        raise Problem(Reason.CORRUPT, "damaged: it refers to a part that is missing")
    version, kind, size = HEADER.unpack_from(data, place)
    start = place + HEADER.size
    if start + size > end:
        raise Problem(Reason.CORRUPT, "damaged: a part is longer than what holds it")
    return OfficeRecord(kind, version >> 4, start, start + size, version & 0xF == HOLDS)


def children(data: bytes, parent: OfficeRecord) -> Iterator[OfficeRecord]:
    place, own = parent.start, False
    while place + HEADER.size <= parent.end:
        record = record_at(data, place, parent.end)
        if record.kind == STRING_RECORD:
            own = data.startswith(OWN, record.start, record.end)
        yield record._replace(holds=own) if record.kind == TAG_DATA else record
        place = record.end


def walk(data: bytes, parent: OfficeRecord) -> Iterator[tuple[str, OfficeRecord]]:
    """All records in a record, at any depth, in their order: ("start", record), and ("end", record) of those that hold
    others."""
    open_records = [(parent, children(data, parent))]
    while open_records:
        around, rest = open_records[-1]
        record = next(rest, None)
        if record is None:
            open_records.pop()
            if open_records:
                yield "end", around
            continue
        yield "start", record
        if record.holds:
            if len(open_records) > DEEPEST:
                raise Problem(Reason.TOO_LARGE, f"parts nested over {DEEPEST} deep")
            open_records.append((record, children(data, record)))


SHAPE_PROPERTIES, WORD_ART, ALT_TEXT = {0xF00B, 0xF121, 0xF122}, 0x00C0, 0x0381
# IMsoArray of [MS-ODRAW]: how many elements, how many have room, bytes of each, where 0xFFF0 stands for four.
ARRAY_HEAD, HALVED = 6, 0xFFF0
ARRAYS = {0x145, 0x146, 0x151, 0x152, 0x155, 0x156, 0x157, 0x197, 0x1CF, 0x383, 0x3A0, 0x504}
ARRAYS |= {0x54F, 0x58F, 0x5CF, 0x60F}


def shape_texts(data: bytes, table: OfficeRecord) -> Iterator[str]:
    """The texts of a table of properties: rows of six bytes, then, in their order, the values too long for a row."""
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
    """The bytes of an array's head, where the array's size is that of its elements alone: some programs wrote it so,
    and others read both."""
    if not size or place + ARRAY_HEAD > len(data):
        return 0
    count, _, each = struct.unpack_from("<3H", data, place)
    return ARRAY_HEAD if count * (4 if each == HALVED else each) == size else 0


LARGEST_CODE_PAGE = 0xFFFF  # a larger number is no page; Python would look for each in its folders
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
    """Python's codec of a code page, as RTF and Excel number them; empty where there is none. Python names those of
    Windows and DOS cp1252, those of the Macintosh by name only. The codec is looked up: decoding no bytes would accept
    any name."""
    codec = MACINTOSH.get(number, f"cp{number}")
    if not 0 < number <= LARGEST_CODE_PAGE:
        return ""
    try:
        codecs.lookup(codec)
    except LookupError:
        return ""
    return codec
