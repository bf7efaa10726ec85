"""Zip archives. Members are read one by one; names are those of the archive, never paths of this machine. Links are
passed over, as in tar."""

import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import BinaryIO

from nearkin.formats.adapter import DAMAGED, NOT_ZIP, UNKNOWN_METHOD, Found, Limits, Member, Problem
from nearkin.formats.members import Counted, is_link
from nearkin.model import Reason

UTF8 = 0x800  # the flag that says names are UTF-8; without it they are read as code page 437
ENCRYPTED = 0x1
UNIX = 3  # the system whose modes of files are told
IWORK = {"Index/Document.iwa", "index.apxl"}  # where its text is


def read_zip(file: BinaryIO, limits: Limits) -> Found:
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise Problem(Reason.CORRUPT, NOT_ZIP) from error
    return Found(None, members=_zip_members(archive, limits))


def _zip_members(archive: zipfile.ZipFile, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    last = max((entry.volume for entry in archive.infolist()), default=0)  # this file, which has the list
    for entry in archive.infolist():
        name = _zip_name(entry)
        if name.endswith(b"/") and not entry.file_size:
            continue  # a folder; one that has bytes is a file, whatever it is called
        if entry.create_system == UNIX and is_link(entry.external_attr >> 16, entry.file_size):
            continue
        counted.begin()
        if entry.flag_bits & ENCRYPTED:
            yield Member(name, b"", problem=Problem(Reason.ENCRYPTED, "the member is encrypted"))
            continue
        if entry.volume != last:
            yield Member(name, b"", problem=Problem(Reason.UNSUPPORTED, "it lies in another volume of the archive"))
            continue
        try:
            with archive.open(entry) as stream:
                member = counted.take(name, stream, mtime_ns=_time(entry))
        except NotImplementedError:
            member = Member(name, b"", problem=Problem(Reason.UNSUPPORTED, UNKNOWN_METHOD))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError):
            member = Member(name, b"", problem=Problem(Reason.CORRUPT, DAMAGED))
        yield member
    if IWORK & archive.NameToInfo.keys():
        raise Problem(Reason.UNSUPPORTED, "documents of Pages, Numbers and Keynote are not read, only what lies beside")


def _zip_name(entry: zipfile.ZipInfo) -> bytes:
    name = entry.orig_filename.encode("utf-8" if entry.flag_bits & UTF8 else "cp437", "replace")
    return name.replace(b"\\", b"/") if entry.create_system == 0 else name


def _time(entry: zipfile.ZipInfo) -> int:
    """Zip knows no time zone: it is told as if it were universal time, the same everywhere."""
    try:
        return int(datetime(*entry.date_time, tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return 0
