"""Names of a table's rows: their ids, unique within the table.

A row without an id, or with one that an earlier row has, is named by its number: `#17`. Should that be some row's id,
another `#` is added.
"""

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from nearkin.read.table import Rows


class RowNames:
    """Remembers which were given: 8 bytes a row. Two unlike ids of one hash (1 in 10^7 for a million rows) only mean
    that the second row is named by its number."""

    def __init__(self, *, by_id: bool) -> None:
        self._by_id = by_id  # else every row is named by its number, and all are unlike
        self._runs: list[NDArray[np.uint64]] = []  # sorted; each more than twice as long as the next

    def of(self, rows: Rows) -> list[bytes]:
        if not self._by_id:
            return [b"#%d" % number for number in rows.numbers]
        wanted = [None if name is None else name.encode("utf-8", "surrogateescape") for name in _encodable(rows.ids)]
        hashes = [0 if name is None else _hash(name) for name in wanted]
        met = self._met(np.array(hashes, np.uint64))
        given: set[int] = set()
        names = []
        for number, name, hashed, before in zip(rows.numbers, wanted, hashes, met, strict=True):
            fresh = name is not None and not before and hashed not in given
            own, key = (name or b"", hashed) if fresh else self._numbered(number, given)
            given.add(key)
            names.append(own)
        self._remember(given)
        return names

    def _numbered(self, number: int, given: set[int]) -> tuple[bytes, int]:
        name = b"#%d" % number
        while (hashed := _hash(name)) in given or bool(self._met(np.array([hashed], np.uint64))[0]):
            name += b"#"
        return name, hashed

    def _met(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        met = np.zeros(len(hashes), np.bool_)
        for run in self._runs:
            met |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        return met

    def _remember(self, hashes: set[int]) -> None:
        if not hashes:
            return
        self._runs.append(np.sort(np.fromiter(hashes, np.uint64, len(hashes))))
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]), kind="stable")


def _hash(name: bytes) -> int:
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def _encodable(names: list[str | None]) -> list[str | None]:
    """JSON may hold half a surrogate pair that is no byte of a name; then it is shown as such."""
    return [name if name is None or name.isascii() else _whole(name) for name in names]


def _whole(name: str) -> str:
    try:
        name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace").decode()
    return name
