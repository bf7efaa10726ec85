"""What there is to be matched and grouped, and what it is done with."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nearkin.matching.scan_cache import Remembered
from nearkin.matching.template import LeftOut
from nearkin.matching.verify import Corpus, Texts, room_for_texts
from nearkin.scheme import Scheme
from nearkin.settings import MatchSettings
from nearkin.store.contents import Contents

JOIN_SHARE = 2  # a join may take one part in so many of the memory


@dataclass(frozen=True)
class Means:
    memory: int  # bytes, for a whole scan
    threads: int
    folder: Path  # of temporary files: on the file system of the store
    progress: Callable[[int, int], None]  # told of long work: how much is done, of how much

    @property
    def for_join(self) -> int:
        """Texts, rows of results and what Python itself takes have the other half."""
        return self.memory // JOIN_SHARE


@dataclass(frozen=True)
class Collected:
    """What is matched, and by which means."""

    connection: sqlite3.Connection
    scheme: Scheme
    scheme_id: int
    contents: Contents
    texts: Texts
    settings: MatchSettings
    left_out: LeftOut
    means: Means
    remembered: Remembered | None = None  # of the same contents

    @property
    def corpus(self) -> Corpus:
        room = room_for_texts(self.means.memory, self.scheme.shingler)
        return Corpus(self.contents.lengths, self.texts, room, self.means.threads, self.left_out.shingles)
