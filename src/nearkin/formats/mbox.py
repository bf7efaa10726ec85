"""A mailbox file: mails one after another, each begun by a line `From …` after an empty one (RFC 4155).

Sentences begin so, too, and not every program quotes them. So the line must tell an address and a date, as mailers
write it, and a header field must follow. Where a mail says how long it is, and another begins there or the file ends,
that is believed.
"""

import re
from collections.abc import Iterator
from io import SEEK_END
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Member, Problem
from nearkin.formats.mail import check_start
from nearkin.formats.members import Counted
from nearkin.formats.plain_marks import BEGINS_MAIL
from nearkin.model import Reason

LONGEST_LINE = 1 << 20
QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
BLANK = (b"\n", b"\r\n")
MOST_BLANK = 4  # lines between two mails, where their length is told
LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,12})\s*$", re.IGNORECASE)
FIELD = re.compile(rb">From |[!-9;-~]{1,76}[ \t]*:")


def read(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    return Found(None, members=_members(file, limits))


def _members(file: BinaryIO, limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    for number, mail in enumerate(_Mailbox(file, limits.member).mails(), 1):
        counted.begin()
        name = f"{number}.eml".encode()
        if mail is None:
            yield Member(name, b"", problem=Problem(Reason.TOO_LARGE, f"over {limits.member} bytes"))
        else:
            counted.spend(len(mail))
            yield Member(name, mail)


class _Mailbox:
    def __init__(self, file: BinaryIO, most: int) -> None:
        self._file = file
        self._most = most
        self._size = file.seek(0, SEEK_END)
        file.seek(0)
        first = file.readline(LONGEST_LINE)
        # Some write another sort of line: then all mails of the file begin like its first.
        self._begins = BEGINS_MAIL if BEGINS_MAIL.match(first) else re.compile(rb"From \S")
        if not first.startswith(b"From "):
            file.seek(0)

    def mails(self) -> Iterator[bytes | None]:
        """None: too large."""
        while self._file.tell() < self._size:
            yield self._mail()

    def _mail(self) -> bytes | None:
        """Up to the line that begins the next, which is passed."""
        held, size, length = [b""], 0, 0
        header, blank = True, False
        while line := self._file.readline(LONGEST_LINE):
            if blank and self._begins_mail(line):
                break
            blank = line in BLANK
            if header and blank and self._is_length(length):
                size += length
                line += self._file.read(length) if size <= self._most else b""
                self._file.seek(length if size > self._most else 0, 1)
            header = header and not blank
            if header and (told := LENGTH.match(line)):
                length = int(told[1])
            size += len(line)
            if size <= self._most:
                held.append(QUOTED.sub(rb"\1", line))
        return b"".join(held) if size <= self._most else None

    def _begins_mail(self, line: bytes) -> bool:
        if not self._begins.match(line):
            return False
        at = self._file.tell()
        after = self._file.readline(LONGEST_LINE)
        self._file.seek(at)
        return FIELD.match(after) is not None

    def _is_length(self, length: int) -> bool:
        """So many bytes from here the file ends, or a mail begins after an empty line."""
        at = self._file.tell()
        if not length or at + length > self._size:
            return False
        self._file.seek(at + length - 1)
        fresh = self._file.read(1) == b"\n"
        line = self._file.readline(LONGEST_LINE)
        for _ in range(MOST_BLANK):
            if line in BLANK:
                fresh, line = True, self._file.readline(LONGEST_LINE)
        right = not line or (fresh and self._begins_mail(line))
        self._file.seek(at)
        return right
