"""What an adapter is given and what it gives back.

    Adapter: (file, limits) → Found(text, properties, members)   or raises Problem(reason, detail)

A file is seekable and binary: one on the disk, or a member held in memory. Adapters are pure: the same bytes, the same
result; they open nothing else. Text is counted against the limits as it grows: a bomb costs no more than they allow.

The text of a document while it grows, counted against the limits: a bomb is refused before it fills the memory.

What a document lacks: told as members that failed, beside what could be read. No text is lost without a word.

Members of a container are counted while they are taken out: how many, and how many bytes together.
"""

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, BinaryIO

from nearkin.model import Reason

# What a person reads of a file that its reader cannot make sense of. What a library raised says nothing to him.
DAMAGED = "damaged, or cut off"
NOT_ZIP = "not a zip file, or cut off"
UNKNOWN_METHOD = "compressed by a method that is not read"
NOT_TAKEN_OUT = "damaged: it cannot be taken out"

LIBRARIES = frozenset(("olefile", "pypdfium2", "python_calamine", "zstandard"))  # that every installation has


class Problem(Exception):  # noqa: N818 - it is the document's, not ours
    """Why a document cannot be read: one of a short fixed list, and a few words."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Limits:
    characters: int = 200_000_000  # of text from one document
    unpacked: int = 2_000_000_000  # bytes of one container's members together, and of one document's parts
    members: int = 100_000  # of one container
    member: int = 256_000_000  # bytes of one member: it is held in memory
    depth: int = 8  # containers in containers


@dataclass(frozen=True, slots=True)
class Member:
    """Something that lies in a container: a document of its own."""

    name: bytes  # as the container says, forward slashes; never used as a path on disk
    data: bytes
    mtime_ns: int = 0
    problem: Problem | None = None  # it cannot be taken out; then there are no data


@dataclass(slots=True)
class Found:
    """What a reader found in a file."""

    text: str | None  # all that a reader sees, in reading order; None: it has no text of its own (an archive)
    properties: dict[str, str] = field(default_factory=dict)  # title, author, created (ISO 8601), message-id …
    members: Iterable[Member] = ()  # taken out one by one; may raise a Problem, what came before it stands
    problem: Problem | None = None  # why there is no text, where there are members all the same


Adapter = Callable[[BinaryIO, Limits], Found]


class Prose:
    def __init__(self, limits: Limits) -> None:
        self._pieces: list[str] = []
        self._left = limits.characters
        self._fresh = True  # at the start of a line

    def add(self, text: str) -> None:
        if not text:
            return
        self._left -= len(text)
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "more text than the limit allows")
        self._pieces.append(text)
        self._fresh = text[-1] == "\n"

    def end(self) -> None:
        """The line ends here, unless it has already."""
        if not self._fresh:
            self.add("\n")

    def line(self, text: str) -> None:
        self.end()
        self.add(text)
        self.end()

    def mark(self) -> Callable[[], None]:
        """What takes back all that is added after this."""
        pieces, left, fresh = len(self._pieces), self._left, self._fresh

        def undo() -> None:
            del self._pieces[pieces:]
            self._left, self._fresh = left, fresh

        return undo

    def text(self) -> str:
        return "".join(self._pieces)


MISSING = Problem(Reason.CORRUPT, "the document names this part, and it is missing")
NAMED = 100  # each is a row of the store, and 140,000 parts that are missing can be named in 700 KB


class Damaged(Problem):
    """The bytes are not those that were written (a checksum is wrong, unpacking failed): nobody knows from where on, so
    nothing of them is text."""

    def __init__(self) -> None:
        super().__init__(Reason.CORRUPT, DAMAGED)


def few_failed(members: Iterable[Member]) -> Iterator[Member]:
    """All that can be read; of those that cannot a hundred by name, and of the others one that says how many."""
    failed = 0
    others: Counter[Reason] = Counter()
    try:
        for member in members:
            if member.problem is not None:
                failed += 1
                if failed > NAMED:
                    others[member.problem.reason] += 1
                    continue
            yield member
    except Exception:
        yield from _counted(others)
        raise
    yield from _counted(others)


def _counted(others: Counter[Reason]) -> Iterator[Member]:
    if others:
        why = ", ".join(f"{reason.value} {count:,}" for reason, count in others.most_common())
        said = f"{others.total():,} more parts that cannot be read: {why}"
        problem = Problem(others.most_common(1)[0][0], said)
        yield Member(f"other parts: {others.total():,}".encode(), b"", problem=problem)


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
