"""The contract of a format's reader: what it is given, what it returns, and the limits it keeps.

    Adapter: (file, limits) → Extraction(text, properties, members)   or raises Problem(reason, detail)

A file is seekable and binary: one on the disk, or a member held in memory. Adapters are pure: the same bytes give the
same result, and they open nothing else. Text (`TextBuilder`) and members (`MemberBudget`) are counted against the
limits as they grow, so that a bomb is refused before it fills the memory. What a document lacks is reported as members
that failed, beside the text that could be read: no text is lost silently.
"""

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import IO, BinaryIO

from nearkin.model import Reason

# What a user reads about a damaged file. The error that a library raised would tell a user nothing.
DAMAGED = "damaged, or cut off"
NOT_ZIP = "not a zip file, or cut off"
UNKNOWN_METHOD = "compressed by a method that is not read"
NOT_TAKEN_OUT = "damaged: it cannot be taken out"

LIBRARIES = frozenset(("olefile", "pypdfium2", "python_calamine", "zstandard"))  # every installation has them


class Problem(Exception):  # noqa: N818 - the document is at fault, not the program
    """Why a document cannot be read: one of a short fixed list, and a few words."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a reader may take out of one file."""

    characters: int = 200_000_000  # of text from one document
    unpacked: int = 2_000_000_000  # bytes of one container's members together, and of one document's parts
    members: int = 100_000  # of one container
    member: int = 256_000_000  # bytes of one member: it is held in memory
    depth: int = 8  # containers in containers


@dataclass(frozen=True, slots=True)
class ContainerMember:
    """A document that lies in a container: a file of an archive, an attachment of a mail."""

    name: bytes  # as the container says, forward slashes; never used as a path on disk
    data: bytes
    mtime_ns: int = 0
    problem: Problem | None = None  # why it cannot be taken out; then there are no data

    @classmethod
    def failed(cls, name: bytes, problem: Problem, *, mtime_ns: int = 0) -> "ContainerMember":
        """A member that cannot be taken out."""
        return cls(name, b"", mtime_ns, problem)


@dataclass(slots=True)
class Extraction:
    """What a reader takes out of a file."""

    text: str | None  # all that a person sees, in reading order; None where there is no text of its own (an archive)
    properties: dict[str, str] = field(default_factory=dict)  # title, author, created (ISO 8601), message-id …
    members: Iterable[ContainerMember] = ()  # taken out one by one; after a Problem, the members before it stand
    problem: Problem | None = None  # why there is no text, in a file that has members


Adapter = Callable[[BinaryIO, Limits], Extraction]


class TextBuilder:
    """The text of a document while it grows, counted against the limits."""

    def __init__(self, limits: Limits) -> None:
        self._pieces: list[str] = []
        self._left = limits.characters
        self._at_line_start = True

    def add(self, text: str) -> None:
        if not text:
            return
        self._left -= len(text)
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "more text than the limit allows")
        self._pieces.append(text)
        self._at_line_start = text[-1] == "\n"

    def end(self) -> None:
        """End the line, unless it has ended already."""
        if not self._at_line_start:
            self.add("\n")

    def line(self, text: str) -> None:
        self.end()
        self.add(text)
        self.end()

    def mark(self) -> Callable[[], None]:
        """Give a function that takes back all that is added from now on."""
        pieces, left, at_line_start = len(self._pieces), self._left, self._at_line_start

        def undo() -> None:
            del self._pieces[pieces:]
            self._left, self._at_line_start = left, at_line_start

        return undo

    def text(self) -> str:
        return "".join(self._pieces)


CHUNK = 1 << 20  # bytes
LONGEST_PATH = 4096  # PATH_MAX of Linux: a longer member was never a link, whatever its mode says


def is_link(mode: int, size: int) -> bool:
    """Whether a member of this Unix mode is a link: its bytes are the path it leads to, and no text."""
    return stat.S_ISLNK(mode) and size <= LONGEST_PATH


class MemberBudget:
    """Counts members while they are taken out of a container: how many they are, and how many bytes together."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._members = 0
        self._left = limits.unpacked

    def begin(self) -> None:
        """Count the next member."""
        self._members += 1
        if self._members > self._limits.members:
            raise Problem(Reason.TOO_LARGE, f"more than {self._limits.members} members")

    def spend(self, count: int) -> None:
        """Count bytes that were unpacked."""
        self._left -= count
        if self._left < 0:
            raise Problem(Reason.TOO_LARGE, "it unpacks to more than the limit allows")

    def attached(self, name: bytes, size: int, data: Callable[[], bytes]) -> ContainerMember:
        """Take a member that is attached to a document with a text of its own. That text must stand: a member that is
        too large, or too much beside the others, fails alone, and so does one that cannot be taken out."""
        if size > self._limits.member:
            return ContainerMember.failed(name, Problem(Reason.TOO_LARGE, f"over {self._limits.member} bytes"))
        if size > self._left:
            detail = "with what is attached before it, it is more than the limit allows"
            return ContainerMember.failed(name, Problem(Reason.TOO_LARGE, detail))
        try:
            content = data()
        except MemoryError:
            raise
        except Problem as problem:
            return ContainerMember.failed(name, problem)
        except Exception:
            return ContainerMember.failed(name, Problem(Reason.CORRUPT, NOT_TAKEN_OUT))
        self._left -= len(content)
        return ContainerMember(name, content)

    def take(self, name: bytes, stream: IO[bytes], *, mtime_ns: int = 0) -> ContainerMember:
        """Take a member of an archive. One that is too large by itself fails, and the next can be taken."""
        held = BytesIO()  # it gives out its bytes without a copy of them
        while chunk := stream.read(CHUNK):
            self.spend(len(chunk))
            held.write(chunk)
            if held.tell() > self._limits.member:
                detail = f"over {self._limits.member} bytes"
                return ContainerMember.failed(name, Problem(Reason.TOO_LARGE, detail), mtime_ns=mtime_ns)
        return ContainerMember(name, held.getvalue(), mtime_ns)


MISSING = Problem(Reason.CORRUPT, "the document names this part, and it is missing")
NAMED = 100  # failed parts that are reported by name: each is a row of the store, and 700 KB can name 140,000


class DamagedPart(Problem):
    """The bytes of a part are not those that were written: a checksum is wrong, or unpacking failed. Nothing says from
    where on they are wrong, so none of them count as text."""

    def __init__(self) -> None:
        super().__init__(Reason.CORRUPT, DAMAGED)


def failures_summed_up(members: Iterable[ContainerMember]) -> Iterator[ContainerMember]:
    """All members that can be read, a hundred of those that failed, and one that says how many more failed."""
    failed = 0
    unnamed: Counter[Reason] = Counter()
    try:
        for member in members:
            if member.problem is not None:
                failed += 1
                if failed > NAMED:
                    unnamed[member.problem.reason] += 1
                    continue
            yield member
    except Exception:
        yield from _sum_of_failures(unnamed)
        raise
    yield from _sum_of_failures(unnamed)


def _sum_of_failures(unnamed: Counter[Reason]) -> Iterator[ContainerMember]:
    if unnamed:
        reasons = ", ".join(f"{reason.value} {count:,}" for reason, count in unnamed.most_common())
        detail = f"{unnamed.total():,} more parts that cannot be read: {reasons}"
        problem = Problem(unnamed.most_common(1)[0][0], detail)
        yield ContainerMember.failed(f"other parts: {unnamed.total():,}".encode(), problem)
