"""Canonical texts of contents: remembered from the run that read them, or made again from the kept extracted texts."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

from nearkin.model import Readings
from nearkin.store.contents import Contents, texts_of
from nearkin.text.canon import Canon


@dataclass
class TextCache:
    """What was read in this run, by digest, while there is room."""

    room: int
    texts: dict[bytes, bytes] = field(default_factory=dict)

    def remember(self, readings: Readings) -> None:
        if self.room <= 0:
            return
        for digest, text in zip(readings.contents, readings.canonical, strict=True):
            if digest is not None and digest not in self.texts:
                self.texts[digest] = text
                self.room -= len(text)


@dataclass(frozen=True)
class StoredTexts:
    connection: sqlite3.Connection
    contents: Contents
    canon: Canon
    threads: int
    cache: TextCache = field(default_factory=lambda: TextCache(0))

    def __call__(self, rows: Sequence[int]) -> list[bytes | None]:
        digests = [self.contents.digests[row] for row in rows]
        missing = [
            int(self.contents.ids[row])
            for row, digest in zip(rows, digests, strict=True)
            if digest not in self.cache.texts
        ]
        kept = dict(texts_of(self.connection, missing))
        made = dict(zip(kept, self.canon.apply_all(list(kept.values()), threads=self.threads), strict=True))
        return [
            self.cache.texts.get(digest) or made.get(int(self.contents.ids[row]))
            for row, digest in zip(rows, digests, strict=True)
        ]
