"""What verdicts say of contents and families as they are now.

A content is concerned if some document that is present holds it and has the verdict's bytes. Of a pair one content must
have the one's bytes and the other the other's; of a family any two contents with its bytes are a pair of it. What is
said of a pair goes before what is said of a family, the later before the earlier.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Location
from nearkin.store.contents import HERE
from nearkin.store.holders import documents_of_bytes
from nearkin.store.verdicts import Ruling, Verdict, all_verdicts


class Decided:
    """What verdicts say of the contents that are present."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.verdicts = all_verdicts(connection)
        concerned: dict[bytes, set[int]] = defaultdict(set)
        if self.verdicts:
            rows = connection.execute(
                f"SELECT DISTINCT d.digest, t.content {HERE} AND d.digest IN (SELECT digest FROM verdict_bytes)"
            )
            for digest, content in rows:
                concerned[digest].add(content)
        self.contents = {
            one.id: [concerned[digest] for digest in sorted(one.digests) if digest in concerned]
            for one in self.verdicts
        }
        self.pairs: dict[tuple[int, int], Ruling] = {}
        for one in reversed(self.verdicts):  # a later one goes before
            if one.about == "pair" and len(self.contents[one.id]) == 2:
                first, second = self.contents[one.id]
                for a in first:
                    for b in second - {a}:
                        self.pairs[min(a, b), max(a, b)] = one.ruling
        self.families = [
            (one.ruling, frozenset[int]().union(*self.contents[one.id]))
            for one in self.verdicts
            if one.about == "family" and one.ruling is not Ruling.KEEP
        ]
        self.kept = {one.id: _kept(connection, one) for one in self.verdicts if one.ruling is Ruling.KEEP}

    def of_pair(self, a: int, b: int) -> Ruling | None:
        """Of two contents, by their ids."""
        found = self.pairs.get((min(a, b), max(a, b)))
        if found is None:
            found = next((ruling for ruling, inside in self.families if a in inside and b in inside), None)
        return found

    def of_family(self, contents: Iterable[int]) -> tuple[Ruling | None, Location | None]:
        """What was said of it, and the document to keep. A verdict is of the family that holds more than
        half of the bytes it is about, of those still present."""
        inside = set(contents)
        ruling, keep = None, None
        for one in reversed(self.verdicts):
            here = self.contents[one.id]
            if one.about == "family" and 2 * sum(bool(held & inside) for held in here) > len(here) > 0:
                if one.ruling is Ruling.KEEP:
                    keep = self.kept[one.id]
                else:
                    ruling = one.ruling
        return ruling, keep

    def apart(self, a: NDArray[np.uint32], b: NDArray[np.uint32], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these pairs of rows link no family. Row i is content ids[i]."""
        row_of = {content: row for row, content in enumerate(ids.tolist())} if self.verdicts else {}
        found = np.zeros(len(a), np.bool_)
        for ruling, contents in reversed(self.families):
            inside = np.zeros(len(ids), np.bool_)
            inside[[row_of[content] for content in contents if content in row_of]] = True
            found[inside[a] & inside[b]] = ruling.parts
        if self.pairs:
            size = np.int64(len(ids))
            keys = np.minimum(a, b).astype(np.int64) * size + np.maximum(a, b)
            for parts in (False, True):
                said = [
                    min(row_of[x], row_of[y]) * int(size) + max(row_of[x], row_of[y])
                    for (x, y), ruling in self.pairs.items()
                    if ruling.parts == parts and x in row_of and y in row_of
                ]
                found[np.isin(keys, said)] = parts
        return found


def _kept(connection: sqlite3.Connection, verdict: Verdict) -> Location | None:
    """Where it was, if it is still there, otherwise its first copy."""
    places = documents_of_bytes(connection, verdict.keep or b"")
    return next((place for place in places if place.path == verdict.keep_path), places[0] if places else None)
