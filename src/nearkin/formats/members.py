"""Members of a container are counted while they are taken out: how many, and how many bytes together."""

import stat
from collections.abc import Callable
from io import BytesIO
from typing import IO

from nearkin.formats.adapter import NOT_TAKEN_OUT, Limits, Member, Problem
from nearkin.model import Reason

CHUNK = 1 << 20
LONGEST_PATH = 4096  # PATH_MAX of Linux: what is longer was never a link, whatever it says


def is_link(mode: int, size: int) -> bool:
    """By the mode that Unix knows it by: its bytes are the path it leads to, and no text."""
    return stat.S_ISLNK(mode) and size <= LONGEST_PATH


class Counted:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._members = 0
        self._left = limits.unpacked

    def begin(self) -> None:
        self._members += 1
        if self._members > self._limits.members:
            raise Problem(Reason.TOO_LARGE, f"more than {self._limits.members} members")

    def spend(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")

    def attached(self, name: bytes, size: int, data: Callable[[], bytes]) -> Member:
        """To a document with a text of its own, which must stand: what is too large, or too much beside the others, is
        not read and fails alone, and so does what cannot be taken out, whatever the error."""
        if size > self._limits.member:
            return Member(name, b"", problem=Problem(Reason.TOO_LARGE, f"over {self._limits.member} bytes"))
        if size > self._left:
            said = "with what is attached before it, it is more than the limit allows"
            return Member(name, b"", problem=Problem(Reason.TOO_LARGE, said))
        try:
            read = data()
        except MemoryError:
            raise
        except Problem as problem:
            return Member(name, b"", problem=problem)
        except Exception:
            return Member(name, b"", problem=Problem(Reason.CORRUPT, NOT_TAKEN_OUT))
        self._left -= len(read)
        return Member(name, read)

    def take(self, name: bytes, stream: IO[bytes], *, mtime_ns: int = 0) -> Member:
        """One that is too large for itself is passed over, and the next one is taken."""
        held = BytesIO()  # gives out its bytes without a copy of them
        while chunk := stream.read(CHUNK):
            self.spend(len(chunk))
            held.write(chunk)
            if held.tell() > self._limits.member:
                detail = f"over {self._limits.member} bytes"
                return Member(name, b"", mtime_ns, Problem(Reason.TOO_LARGE, detail))
        return Member(name, held.getvalue(), mtime_ns)
