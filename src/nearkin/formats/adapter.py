"""What an adapter is given and what it gives back.

    Adapter: (file, limits) → Found(text, properties, members)   or raises Problem(reason, detail)

A file is seekable and binary: one on the disk, or a member held in memory. Adapters are pure: the same bytes, the same
result; they open nothing else. Text is counted against the limits as it grows: a bomb costs no more than they allow.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

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
