"""A mailbox file: mails one after another, each begun by a line `From …` after an empty one (RFC 4155)."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from nearkin.formats.eml import check_start
from nearkin.formats.found import Found, Limits, Member, Problem
from nearkin.formats.members import Counted
from nearkin.model import Reason

LONGEST_LINE = 1 << 20
QUOTED = re.compile(rb"^>(>*From )")


def read(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    return Found(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    for number, mail in enumerate(_mails(file, limits.member), 1):
        counted.begin()
        name = f"{number}.eml".encode()
        if mail is None:
            yield Member(name, b"", problem=Problem(Reason.TOO_LARGE, f"over {limits.member} bytes"))
        else:
            counted.spend(len(mail))
            yield Member(name, mail)


def _mails(file: BinaryIO, most: int) -> Iterator[bytes | None]:
    lines: list[bytes] = []
    size = 0
    begun = False
    blank = True
    while line := file.readline(LONGEST_LINE):
        if blank and line.startswith(b"From "):
            if begun:
                yield b"".join(lines) if size <= most else None
            lines, size, begun = [], 0, True
            blank = False
            continue
        blank = line in (b"\n", b"\r\n")
        size += len(line)
        begun = True
        if size <= most:
            lines.append(QUOTED.sub(rb"\1", line))
    if begun:
        yield b"".join(lines) if size <= most else None
