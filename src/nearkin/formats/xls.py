"""Excel's old binary files: names and cells of sheets, errors too; then what stands beside the cells."""

import struct
from typing import Any, BinaryIO

from nearkin.formats.adapter import Found, Limits, Member, Problem
from nearkin.formats.lacking import few_failed
from nearkin.formats.ole import opened, properties
from nearkin.formats.prose import Prose
from nearkin.formats.sheets import add_sheets
from nearkin.formats.xls_beside import add_beside
from nearkin.formats.xls_errors import errors
from nearkin.formats.xls_records import sheets
from nearkin.model import Reason

DIMENSIONS = 0x0200  # how large a sheet is (§2.4.90)
MOST_CELLS, WRAP = 256 * 65536, 1 << 32  # of a sheet; where calamine counts from nothing again
FILE_PASS = 0x2F  # the record that says that all after it is encrypted ([MS-XLS] §2.4.117)


def read(file: BinaryIO, limits: Limits) -> Found:
    known, book = _looked_at(file)
    _check_dimensions(book)
    prose = Prose(limits)
    lost = add_sheets(file, prose, errors(book))
    add_beside(book, prose)
    members = (Member(f"sheet {name}".encode("utf-8", "replace"), b"", problem=one) for name, one in lost.items())
    return Found(prose.text(), known, tuple(few_failed(members)))


def _looked_at(file: BinaryIO) -> tuple[dict[str, str], bytes]:
    """Its properties, and the stream of its records."""
    book = b""
    with opened(file) as storage:
        _check_chains(storage)
        for name in ("Workbook", "Book"):  # calamine takes the first, too
            if storage.exists(name):
                stream = storage.openstream(name).read()
                if _locked(stream[: 1 << 16]):
                    raise Problem(Reason.ENCRYPTED, "a password is needed")
                book = book or stream
        return properties(storage), book


def _check_chains(storage: Any) -> None:
    """Calamine follows a chain of sectors in a circle until the memory is full, as in a file that lost some bytes."""
    starts = [storage.first_dir_sector, storage.first_mini_fat_sector]
    starts += [entry.isectStart for entry in storage.direntries if entry and entry.size >= storage.minisectorcutoff]
    starts.append(storage.root.isectStart)
    for start in starts:
        sector, steps = start, 0
        while sector < len(storage.fat) and steps <= len(storage.fat):
            sector, steps = storage.fat[sector], steps + 1
        if steps > len(storage.fat):
            raise Problem(Reason.CORRUPT, "damaged: its parts refer to one another in a circle")


def _check_dimensions(book: bytes) -> None:
    """Calamine makes room for every cell, be it for 4 thousand million, and ends with its process."""
    for sheet in sheets(book):
        for kind, at, size, _ in sheet:
            if kind == DIMENSIONS and size >= 10:
                top, bottom, left, right = struct.unpack_from("<2I2H" if size >= 14 else "<4H", book, at)
                if (bottom - top) % WRAP * ((right - left) % WRAP) > MOST_CELLS:
                    raise Problem(Reason.CORRUPT, "damaged: a sheet claims to be larger than any can be")


def _locked(records: bytes) -> bool:
    place = 0
    while place + 4 <= len(records):
        kind = int.from_bytes(records[place : place + 2], "little")
        if kind == FILE_PASS:
            return True
        place += 4 + int.from_bytes(records[place + 2 : place + 4], "little")
    return False
