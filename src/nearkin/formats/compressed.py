"""One compressed file (gzip, bzip2, xz, zstd): a container of one member, named as gzip remembers it."""

from collections.abc import Iterator
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Member
from nearkin.formats.members import Counted
from nearkin.formats.unpacked import unpacked

NAMELESS = b"content"
EXTRA, NAME = 4, 8  # flags of the gzip header (RFC 1952 §2.3.1)


def read(file: BinaryIO, limits: Limits) -> Found:
    name = _name(file.read(4096)) or NAMELESS
    file.seek(0)
    return Found(None, members=_members(file, name, limits))


def _members(file: BinaryIO, name: bytes, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    counted.begin()
    yield counted.take(name, unpacked(file))


def _name(head: bytes) -> bytes:
    if not head.startswith(b"\x1f\x8b") or len(head) < 12 or not head[3] & NAME:
        return b""
    start = 12 + int.from_bytes(head[10:12], "little") if head[3] & EXTRA else 10
    end = head.find(b"\0", start)
    return head[start:end].rpartition(b"/")[2] if end > start else b""
