"""What verdicts say of contents and families as they are now.

A content is concerned if some document that is present holds it and has the verdict's bytes. Of a pair one content must
have the one's bytes and the other the other's; of a family any two contents with its bytes are a pair of it. What is
said of a pair goes before what is said of a family, the later before the earlier.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.contents import HERE
from nearkin.store.holders import documents_of_bytes
from nearkin.store.verdicts import Ruling, Verdict, all_verdicts


class Decided:
    """Contents are named by their ids."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.verdicts = all_verdicts(connection)
        concerned = _contents_by_bytes(connection) if self.verdicts else {}
        # The later before the earlier, as they come.
        self._families = [one for one in self.verdicts if one.about == "family"]
        self._held = [[concerned[digest] for digest in one.digests if digest in concerned] for one in self._families]
        self._keep = {one.id: _kept(connection, one) for one in self._families if one.ruling is Ruling.KEEP}
        # Of each content, in which families' verdicts it is and by which of their bytes.
        self._inside: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for at, held in enumerate(self._held):
            for digest, contents in enumerate(held):
                for content in contents:
                    self._inside[content].append((at, digest))
        self._pairs: dict[tuple[int, int], Ruling] = {}
        # Which to keep is said beside what the two are, and shown where nothing else was said of them.
        self._keep_one: set[tuple[int, int]] = set()
        for one in sorted(self.verdicts, key=lambda one: one.id):
            if one.about == "pair" and len(one.digests) == 2:  # what was forgotten for good is no pair
                first, second = (concerned.get(digest, frozenset()) for digest in one.digests)
                pairs = [(min(a, b), max(a, b)) for a in first for b in second - {a}]
                if one.ruling is Ruling.KEEP:
                    self._keep_one.update(pairs)
                else:
                    self._pairs.update(dict.fromkeys(pairs, one.ruling))

    def of_pair(self, a: int, b: int) -> Ruling | None:
        if not self.verdicts:
            return None
        pair = (min(a, b), max(a, b))
        if (found := self._pairs.get(pair)) is not None:
            return found
        both = {at for at, _ in self._inside.get(a, ())} & {at for at, _ in self._inside.get(b, ())}
        spoken = (self._families[at].ruling for at in sorted(both))
        unsaid = Ruling.KEEP if pair in self._keep_one else None
        return next((ruling for ruling in spoken if ruling is not Ruling.KEEP), unsaid)

    def of_family(self, contents: Iterable[int]) -> tuple[Ruling | None, Location | None]:
        """What was said of it, and the document to keep. A verdict is of the family that holds more than half of the
        bytes it is about, of those still present."""
        here = {place for content in contents for place in self._inside.get(content, ())} if self._families else set()
        count = Counter(at for at, _ in here)
        ruling, keep = None, None
        for at in sorted(count, reverse=True):  # the latest is the last word
            one = self._families[at]
            if 2 * count[at] > len(self._held[at]):
                if one.ruling is Ruling.KEEP:
                    keep = self._keep[one.id]
                else:
                    ruling = one.ruling
        return ruling, keep

    def apart(self, a: NDArray[np.uint32], b: NDArray[np.uint32], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these pairs of rows link no family. Row i is content ids[i]."""
        found = np.zeros(len(a), np.bool_)
        if not self.verdicts:
            return found
        row_of = {content: row for row, content in enumerate(ids.tolist())}
        for one, held in zip(reversed(self._families), reversed(self._held), strict=True):
            if one.ruling is not Ruling.KEEP:
                inside = np.zeros(len(ids), np.bool_)
                inside[[row_of[content] for contents in held for content in contents if content in row_of]] = True
                found[inside[a] & inside[b]] = one.ruling.parts
        size = len(ids)
        keys = np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)
        for parts in (False, True):
            said = [
                min(row_of[x], row_of[y]) * size + max(row_of[x], row_of[y])
                for (x, y), ruling in self._pairs.items()
                if ruling.parts == parts and x in row_of and y in row_of
            ]
            found[np.isin(keys, np.array(said, np.int64))] = parts
        return found


def _contents_by_bytes(connection: sqlite3.Connection) -> dict[bytes, frozenset[int]]:
    """Of bytes that verdicts are about, the contents of documents that are present."""
    found: dict[bytes, set[int]] = defaultdict(set)
    for digest, content in connection.execute(
        f"SELECT DISTINCT d.digest, t.content {HERE} AND d.digest IN (SELECT digest FROM verdict_bytes)"
    ):
        found[digest].add(content)
    return {digest: frozenset(contents) for digest, contents in found.items()}


def _kept(connection: sqlite3.Connection, verdict: Verdict) -> Location | None:
    """Where it was, if it is still there, otherwise its first copy."""
    places = documents_of_bytes(connection, verdict.keep or b"")
    return next((place for place in places if place == verdict.keep_at), places[0] if places else None)
