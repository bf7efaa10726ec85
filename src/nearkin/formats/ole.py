"""OLE files ([MS-CFB]), opened in one way, and what all of them may say of themselves. Those of Works, Visio and others
are not read: no permissive, well-kept library does.

What can be told is told: Word, Excel and PowerPoint files with a password are such a file around the encrypted one.
"""

import struct
from datetime import datetime, timedelta
from os import SEEK_END
from typing import Any, BinaryIO

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
