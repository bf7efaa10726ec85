"""Canonical texts of contents: remembered from the run that read them, or made again from the kept extracted texts."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nearkin.model import Readings
from nearkin.store.contents import Contents, texts_of
from nearkin.text.canon import Canon

AT_ONCE = 16 << 20  # bytes of extracted texts


@dataclass
class TextCache:
    """What was read in this run, by digest, while there is room."""

    room: int
    texts: dict[bytes, bytes] = field(default_factory=dict)

    def remember(self, readings: Readings) -> None:
        if self.room <= 0:
            return
        for digest, text, length in zip(readings.contents, readings.canonical, readings.lengths, strict=True):
            # A copy comes without its text: that came before.
            if digest is not None and digest not in self.texts and len(text) == length <= self.room:
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
        found = [*map(self.cache.texts.get, map(self.contents.digests.__getitem__, rows))]
        if not all(found):
            missing = {at: int(self.contents.ids[rows[at]]) for at, text in enumerate(found) if text is None}
            made = dict(self._made([*missing.values()]))
            for at, content in missing.items():
                found[at] = made.get(content)
        return found

    def _made(self, contents: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        """Some at a time: what a text was made of is not held any longer than that."""
        waiting: dict[int, bytes] = {}
        size = 0
        for content, text in texts_of(self.connection, contents):
            waiting[content] = text
            size += len(text)
            if size > AT_ONCE:
                yield from self._canonical(waiting)
                waiting, size = {}, 0
        yield from self._canonical(waiting)

    def _canonical(self, extracted: dict[int, bytes]) -> Iterator[tuple[int, bytes]]:
        return zip(extracted, self.canon.apply_all(list(extracted.values()), threads=self.threads), strict=True)
