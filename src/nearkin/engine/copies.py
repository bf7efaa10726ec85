"""Files of the same bytes, of which a worker is asked once: what the others are follows from the first.

The same report in five folders is parsed once. Not so where something lies in it: members are named by their container,
and are taken out of each.
"""

from nearkin.engine.handover import HandedOver
from nearkin.formats.registry import ending_of
from nearkin.model import Readings, Reason

BY_CHANCE = (Reason.UNREADABLE, Reason.TIMED_OUT, Reason.CRASHED)  # and not another time, perhaps

Key = tuple[bytes | None, bytes]  # digest of the bytes; and the ending, since a format is told by it, too


class Copies:
    def __init__(self, handed_over: list[HandedOver]) -> None:
        self.firsts: list[HandedOver] = []
        self.others: list[HandedOver] = []
        met: set[Key] = set()
        for one in handed_over:
            key = (one.digest, ending_of(one.path))
            (self.others if key in met and one.digest is not None else self.firsts).append(one)
            met.add(key)
        self._wanted = {(one.digest, ending_of(one.path)) for one in self.others}
        self._found: dict[Key, Readings] = {}

    def note(self, row: Readings) -> None:
        """A document with nothing in it, as a worker told of it."""
        key = (row.digests[0], ending_of(row.paths[0]))
        if key in self._wanted and row.reasons[0] not in BY_CHANCE:
            bare = row.without(set())  # of lists of its own
            bare.texts, bare.features, bare.packed, bare.weights, bare.batches = [b""], [b""], [None], [None], []
            self._found[key] = bare

    def told(self, one: HandedOver) -> Readings | None:
        """All but its text, which is stored with the first; None: it must be asked for."""
        found = self._found.get((one.digest, ending_of(one.path)))
        if found is None:
            return None
        row = found.without(set())
        row.paths, row.sizes, row.mtimes = [one.path], [one.size], [one.mtime_ns]
        row.ctimes, row.inodes, row.owners = [one.ctime_ns], [one.inode], [one.owner]
        return row
