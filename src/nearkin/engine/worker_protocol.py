"""The protocol between nearkin and its workers: frames through pipes, and the time that a file may take.

    frame: length of the header (u32), length of the body (u64), header (JSON), body (bytes)

Frames are never pickles: an answer was made beside a hostile document, and reading it must not run anything.

A budget is the time of a file together with all its members, at any depth. Each member has the time limit of a
document, so an archive of 10,000 members that take 29 seconds each would hold a scan up for three days. The budget of a
container grows with its size, because honest members are bytes: ten documents' time, and as much again for every 32 MB.
That is 9 seconds a megabyte; PDF, slow to read, needs about one.

What counts is the processor time that workers take, so that a busy machine costs no document. If they take little and
let nearkin wait, an eighth of the waiting counts: a worker that sleeps looks like one whose machine is busy.
"""

import json
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from nearkin.formats.adapter import Problem
from nearkin.model import Reason
from nearkin.settings import WorkerSettings

Header = dict[str, Any]
LENGTHS = struct.Struct("<IQ")
LONGEST_HEADER = 16 << 20


class BrokenFrameError(Exception):
    """It is not what a worker sends, or more than it may."""


def packed(header: Header, body: bytes) -> list[bytes]:
    """As pieces, so that a long body is not copied."""
    head = json.dumps(header).encode()
    return [LENGTHS.pack(len(head), len(body)) + head, body]


def unpack_from(take: Callable[[int], bytes], *, longest: int) -> tuple[Header, bytes] | None:
    """One frame; `take` gives exactly so many bytes, or fewer at the end. None: the end."""
    lengths = take(LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < LENGTHS.size:
        raise EOFError
    head, body = LENGTHS.unpack(lengths)
    if head > LONGEST_HEADER or body > longest:
        raise BrokenFrameError(f"{body:,} bytes at once, over the limit of {longest:,}")
    start, rest = take(head), take(body)
    if len(start) < head or len(rest) < body:
        raise EOFError
    try:
        header = json.loads(start.decode())  # of bytes the encoding would be guessed
    except ValueError as error:
        raise BrokenFrameError("no frame") from error
    if not isinstance(header, dict):
        raise BrokenFrameError("no frame")
    return header, rest


DOCUMENTS = 10
SIZE = 32 << 20
IDLE = 8  # seconds of waiting that count as one


@dataclass
class Budget:
    """Seconds, spent by whoever waits for a worker: on any thread."""

    seconds: float
    said: str  # of what is left unread
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def of(cls, settings: WorkerSettings, size: int) -> "Budget":
        return cls(settings.timeout * DOCUMENTS * (1 + size / SIZE), settings.container_timed_out)

    def spend(self, *, waited: float, worked: float) -> None:
        with self._lock:
            self.seconds -= max(worked, waited / IDLE)

    def check(self) -> None:
        if self.seconds <= 0:
            raise Problem(Reason.TIMED_OUT, self.said)
