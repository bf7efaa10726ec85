"""Containers that are known and not read: that something lies in them is said, as nothing else would tell of it."""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.model import Reason

UNREAD = (
    (b"Rar!\x1a\x07", "RAR archives are not read"),
    (b"\x78\x9f\x3e\x22", "what Outlook packs into winmail.dat (TNEF) is not read"),
    (b"LZIP", "files packed by lzip are not read"),
    (b"MSCF", "cabinets of Windows are not read"),
    (b"!BDN", "mailboxes of Outlook (PST, OST) are not read"),
    (b"\x1f\x9d", "files packed by compress are not read"),
)


def read(file: BinaryIO, limits: Limits) -> Found:
    head = file.read(8)
    for mark, said in UNREAD:
        if head.startswith(mark):
            raise Problem(Reason.UNSUPPORTED, said)
    raise Problem(Reason.CORRUPT, "it is not what its name says")
