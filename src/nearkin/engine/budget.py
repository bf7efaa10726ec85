"""The time that a file may take together with all that lies in it, at any depth.

Each member has the time limit of a document, so an archive of 10,000 members that take 29 seconds each would hold a
scan up for three days. What a container may take grows with its size, because honest members are bytes: ten documents'
time, and as much again for every 32 MB. That is 9 seconds a megabyte; PDF, slow to read, needs about one.
"""

import threading
from dataclasses import dataclass, field

from nearkin.formats.found import Problem
from nearkin.model import Reason
from nearkin.settings import WorkerSettings

DOCUMENTS = 10
SIZE = 32 << 20


@dataclass
class Budget:
    """Seconds that workers were waited for, counted by whoever waits: on any thread."""

    seconds: float
    said: str  # of what is left unread
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def of(cls, settings: WorkerSettings, size: int) -> "Budget":
        return cls(settings.timeout * DOCUMENTS * (1 + size / SIZE), settings.container_timed_out)

    def spend(self, seconds: float) -> None:
        with self._lock:
            self.seconds -= seconds

    def check(self) -> None:
        if self.seconds <= 0:
            raise Problem(Reason.TIMED_OUT, self.said)
