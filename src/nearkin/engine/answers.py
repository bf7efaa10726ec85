"""What workers said of the last documents, by their bytes: the report that is attached to twenty mails is parsed once.

Only of documents with nothing in them: members are named by their container. Files that are copies of one another lie
perhaps far apart, and have a way of their own (`engine.copies`).
"""

from threading import Lock
from typing import NamedTuple

from nearkin.engine.entry import Entry
from nearkin.formats.adapter import Problem
from nearkin.formats.registry import ending_of
from nearkin.model import Reason

ROOM = 32 << 20  # bytes of texts
BESIDE = 1000  # bytes of all else, about
OF_ITSELF = (Reason.ENCRYPTED, Reason.CORRUPT, Reason.UNSUPPORTED, Reason.EMPTY)  # not of its container, nor of chance

Key = tuple[bytes | None, bytes]  # digest and ending: a format is told by both


class Answer(NamedTuple):
    media: str
    reader: str | None
    text: bytes | None
    properties: dict[str, str]
    problem: Problem | None

    @property
    def size(self) -> int:
        return len(self.text or b"") + BESIDE


class Answers:
    """Asked and told by any thread. The oldest are forgotten where there is no room."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = Lock()
        self._known: dict[Key, Answer] = {}

    def heed(self, entry: Entry) -> bool:
        """Whether it is known what is to be said of it; then it is said."""
        with self._lock:
            known = self._known.get(_key(entry))
        if known is None:
            return False
        entry.media, entry.reader, entry.text, entry.properties, entry.problem = known
        return True

    def keep(self, entry: Entry) -> None:
        if entry.members or entry.plain or (entry.problem is not None and entry.problem.reason not in OF_ITSELF):
            return
        answer = Answer(entry.media, entry.reader, entry.text, entry.properties, entry.problem)
        with self._lock:
            if self._known.setdefault(_key(entry), answer) is not answer:
                return
            self._room -= answer.size
            while self._room < 0:
                self._room += self._known.pop(next(iter(self._known))).size


def _key(entry: Entry) -> Key:
    return entry.source.digest, ending_of(entry.source.path)
