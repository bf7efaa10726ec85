"""Canonical texts of contents: remembered from the run that read them, or made again from the kept extracted texts."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nearkin.matching.scan_cache import Remembered
from nearkin.matching.verify import Found
from nearkin.store.contents import Contents, texts_of
from nearkin.text.canon import Canon

AT_ONCE = 16 << 20  # bytes of extracted texts


@dataclass(frozen=True)
class StoredTexts:
    """Of contents by their rows."""

    connection: sqlite3.Connection
    contents: Contents
    canon: Canon
    threads: int
    remembered: Remembered | None = None  # in the order of these contents

    def __call__(self, rows: Sequence[int]) -> Found:
        held = None if self.remembered is None else self.remembered.texts(rows)
        if held is not None and held.complete:
            return held
        found: list[bytes | None] = [None] * len(rows) if held is None else [text or None for text in held]
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
