"""The time that a file may take together with all that lies in it, at any depth.

Each member has the time limit of a document, so an archive of 10,000 members that take 29 seconds each would hold a
scan up for three days. What a container may take grows with its size, because honest members are bytes: ten documents'
time, and as much again for every 32 MB. That is 9 seconds a megabyte; PDF, slow to read, needs about one.

What counts is the time of processors that workers take, so that a busy machine costs no document; where they take
little and let nearkin wait, an eighth of that: a worker that sleeps cannot be told from one whose machine is busy.
"""

import threading
from dataclasses import dataclass, field

from nearkin.formats.adapter import Problem
from nearkin.model import Reason
from nearkin.settings import WorkerSettings

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
