"""Segments: files of sorted features beside the store, named in it. What is in none is in `delta`."""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path


def segment_folder(store: Path) -> Path:
    return store.with_name(store.name + ".segments")


def drop_segments(connection: sqlite3.Connection, store: Path, scheme_ids: Sequence[int]) -> None:
    """Remove the segments of these schemes, rows and files; what is still signed waits in `delta` for new ones."""
    marks = ",".join("?" * len(scheme_ids))
    names = connection.execute(f"SELECT name FROM segment WHERE scheme IN ({marks})", tuple(scheme_ids)).fetchall()
    connection.execute(f"DELETE FROM segment WHERE scheme IN ({marks})", tuple(scheme_ids))
    connection.execute(
        f"""INSERT OR IGNORE INTO delta (scheme, content)
            SELECT scheme, content FROM signature WHERE scheme IN ({marks})""",
        tuple(scheme_ids),
    )
    for (name,) in names:
        with suppress(FileNotFoundError):
            (segment_folder(store) / name).unlink()
