"""Excel's old binary files: names and cells of sheets. Comments, headers and text boxes of these are not read."""

from typing import Any, BinaryIO

from nearkin.formats.cells import add_sheets
from nearkin.formats.found import Found, Limits, Problem
from nearkin.formats.ole import opened, properties
from nearkin.formats.prose import Prose
from nearkin.model import Reason

FILE_PASS = 0x2F  # the record that says that all after it is encrypted ([MS-XLS] §2.4.117)


def read(file: BinaryIO, limits: Limits) -> Found:
    known = _properties(file)
    prose = Prose(limits)
    add_sheets(file, prose)
    return Found(prose.text(), known)


def _properties(file: BinaryIO) -> dict[str, str]:
    with opened(file) as storage:
        _check_chains(storage)
        for name in ("Workbook", "Book"):
            if storage.exists(name) and _locked(storage.openstream(name).read(1 << 16)):
                raise Problem(Reason.ENCRYPTED, "a password is needed")
        return properties(storage)


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
            raise Problem(Reason.CORRUPT, "its sectors go in a circle")


def _locked(records: bytes) -> bool:
    place = 0
    while place + 4 <= len(records):
        kind = int.from_bytes(records[place : place + 2], "little")
        if kind == FILE_PASS:
            return True
        place += 4 + int.from_bytes(records[place + 2 : place + 4], "little")
    return False
