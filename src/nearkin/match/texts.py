"""Canonical texts of stored contents, made again from the kept extracted texts."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from nearkin.store.contents import Contents, texts_of
from nearkin.text.canon import Canon


@dataclass(frozen=True)
class StoredTexts:
    connection: sqlite3.Connection
    contents: Contents
    canon: Canon
    threads: int

    def __call__(self, rows: Sequence[int]) -> list[bytes | None]:
        ids = [int(self.contents.ids[row]) for row in rows]
        kept = dict(texts_of(self.connection, ids))
        canonical = dict(
            zip(kept, self.canon.apply_all(list(kept.values()), threads=self.threads), strict=True)
        )
        return [canonical.get(number) for number in ids]
