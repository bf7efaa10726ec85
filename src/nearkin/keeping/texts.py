"""The texts of a group. Those of most groups are read from the store ahead, packed as they are, for whoever works on
them in another thread; those of a large one when they are asked for. All stay at hand as far as there is room."""

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass

from nearkin.group.certificate import remembering
from nearkin.keep.groups import Group
from nearkin.store.compression import unpack

LARGE = 1 << 24  # characters of a group
# Of all groups that are begun or wait. A window of a text that none of the others has costs up to 30 bytes more, for a
# time: 8 million of them in one group at once.
ROOM = 1 << 25


class StoppedError(Exception):
    """Nobody waits for the rows any more."""


@dataclass(frozen=True)
class Texts:
    group: Group
    load: Callable[[int], bytes]
    at_hand: bool  # they need no store
    weight: int

    @classmethod
    def of(cls, connection: sqlite3.Connection, group: Group, stop: threading.Event) -> "Texts":
        if group.characters > LARGE:
            return cls(group, lambda _: b"", at_hand=False, weight=0)
        compared = group.texts if len(group.texts) > 1 else []
        packed = {text: _packed(connection, text) for text in compared}

        at_hand = remembering(lambda text: unpack(packed[text]))

        def load(text: int) -> bytes:
            if stop.is_set():
                raise StoppedError
            return at_hand(text)

        return cls(group, load, at_hand=True, weight=group.characters if compared else 0)

    @classmethod
    def read(cls, connection: sqlite3.Connection, group: Group) -> "Texts":
        load = remembering(lambda text: unpack(_packed(connection, text)))
        return cls(group, load, at_hand=False, weight=group.characters)


def _packed(connection: sqlite3.Connection, text: int) -> bytes:
    (blob,) = connection.execute("SELECT zstd FROM text WHERE id = ?", (text,)).fetchone()
    return bytes(blob)
