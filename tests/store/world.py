"""A store of a small repository, and what it says, for the tests here."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from nearkin import _native
from nearkin.api.store import Store
from nearkin.store.database import connect
from oracle.prose import prose

MARK = b"the secret of the blue otter"  # alone so short that zstd stores it as it is

FILES = {
    "manual.txt": prose(1, 3000),
    "manual-2.txt": prose(1, 1500) + b" changed here " + prose(1, 3000)[1500:],
    "manual-3.txt": prose(1, 700) + b" and there " + prose(1, 3000)[700:],
    "copy.txt": prose(1, 3000),
    "private.txt": MARK + b" " + prose(2, 2000),
    "private-2.txt": MARK + b" " + prose(2, 1990) + b" more",
    "tiny.txt": MARK,
    "single.txt": prose(3, 2000),
    "picture.png": b"\x89PNG\r\n\x1a\n\0\0\0",
}


def repository(folder: Path) -> Path:
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


def listings(store: Store) -> dict[str, list[dict[str, Any]]]:
    """All that the store shows, family ids aside: they tell of the past."""
    families = [{**family, "id": None} for family in store.families().to_pylist()]
    return {
        "documents": store.documents().to_pylist(),
        "failed": store.documents(failed=True).to_pylist(),
        "identical": store.identical().to_pylist(),
        "matches": store.matches().to_pylist(),
        "families": families,
    }


def rows(store: Store, query: str, *given: object) -> list[Any]:
    with closing(connect(store.path)) as connection:
        return connection.execute(query, given).fetchall()


def is_sound(store: Store) -> bool:
    with closing(sqlite3.connect(store.path)) as connection:
        whole = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return whole and connection.execute("PRAGMA foreign_key_check").fetchall() == []


def hide_sqlite(patch: pytest.MonkeyPatch) -> None:
    """As in a build of Python whose SQLite cannot be reached: rows are bound one by one."""
    patch.setattr("nearkin.store.bulk.LIBRARY", _native.FedSqlite("no such library"))


def edited_copies(folder: Path, *, files: int) -> Path:
    """Texts that are one of twenty, each with something put in somewhere."""
    dice = random.Random(4)
    folder.mkdir()
    base = [prose(seed, 4000) for seed in range(20)]
    for i in range(files):
        text = dice.choice(base)
        at = dice.randrange(len(text))
        (folder / f"{i:04}.txt").write_bytes(text[:at] + prose(1000 + i, 60) + text[at:])
    return folder
