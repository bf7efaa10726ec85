"""Segments and delta: which files hold the features of a scheme's contents, and which contents are in none yet.

The files lie in a folder beside the store. SQLite names them: a file it does not name is no part of the store, and one
it names is written to the end. What is in them can always be made again from the signatures.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin import _native
from nearkin.store.bulk import columns, insert_rows

LOCK = "lock"
LOOK_UP = 500  # keys a query


@dataclass(frozen=True)
class SegmentFile:
    """A row of `segment`."""

    name: str
    token: bytes
    templates: bytes  # digest of the features left out; empty: none
    contents: int
    postings: int
    bytes: int


@dataclass(frozen=True)
class Signed:
    """Signatures: the features of contents[i] lie from offsets[i] to offsets[i + 1], or where they are held."""

    contents: NDArray[np.int64]
    moduli: NDArray[np.uint64]
    offsets: NDArray[np.uint64]
    features: NDArray[np.uint64] | _native.HeldFeatures
    weights: NDArray[np.uint32]  # none where each weighs 1


def folder_of(store: Path) -> Path:
    return store.with_name(store.name + ".segments")


def digest_of(ignored: NDArray[np.uint64]) -> bytes:
    return _native.sha256(ignored.astype("<u8").tobytes()) if len(ignored) else b""


@contextmanager
def one_builder(store: Path, *, wait: bool) -> Iterator[bool]:
    """Whether it is this one's turn to write segments: two would do the same work."""
    folder = folder_of(store)
    folder.mkdir(mode=0o700, exist_ok=True)
    file = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(file)


def segment_files(connection: sqlite3.Connection, scheme: int) -> list[SegmentFile]:
    rows = connection.execute(
        "SELECT name, token, templates, contents, postings, bytes FROM segment WHERE scheme = ? ORDER BY id", (scheme,)
    )
    return [SegmentFile(*row) for row in rows]


def delta_of(connection: sqlite3.Connection, scheme: int) -> list[int]:
    """Contents that are in no segment, ascending."""
    return _contents_in(connection, "delta", scheme)


def signed_contents(connection: sqlite3.Connection, scheme: int) -> list[int]:
    """All that were signed, ascending."""
    return _contents_in(connection, "signature", scheme)


def _contents_in(connection: sqlite3.Connection, table: str, scheme: int) -> list[int]:
    """Gathered: a row each, 40,567 take 10 ms, and a first scan asks twice."""
    (found,) = columns(connection, ("content",), f"FROM {table} WHERE scheme = ?", scheme)
    ascending: list[int] = np.sort(found).tolist()
    return ascending


def replace_segments(
    connection: sqlite3.Connection,
    scheme: int,
    *,
    new: list[SegmentFile],
    old: list[SegmentFile],
    written: list[int],
) -> None:
    """Name the new files, forget the old, and take out of the delta what was written. In the caller's transaction."""
    connection.executemany("DELETE FROM segment WHERE name = ?", ((one.name,) for one in old))
    insert_rows(
        connection,
        "segment (scheme, name, token, templates, contents, postings, bytes)",
        ((scheme, one.name, one.token, one.templates, one.contents, one.postings, one.bytes) for one in new),
    )
    (waiting,) = connection.execute("SELECT count(*) FROM delta WHERE scheme = ?", (scheme,)).fetchone()
    if waiting == len(written) and delta_of(connection, scheme) == written:
        connection.execute("DELETE FROM delta WHERE scheme = ?", (scheme,))
    else:  # others were signed meanwhile
        rows = ((scheme, content) for content in written)
        connection.executemany("DELETE FROM delta WHERE scheme = ? AND content = ?", rows)


def back_to_delta(connection: sqlite3.Connection, scheme: int, old: list[SegmentFile], contents: list[int]) -> None:
    """Forget these files; their contents wait again. In the caller's transaction."""
    connection.executemany("DELETE FROM segment WHERE name = ?", ((one.name,) for one in old))
    rows = ((scheme, content) for content in contents)
    insert_rows(connection, "delta (scheme, content)", rows, known="IGNORE")


def is_behind(connection: sqlite3.Connection, store: Path, scheme: int, *, least: int) -> bool:
    """Whether someone who built segments was cut short or had no room: contents wait that none would have left, or
    files are no longer named."""
    (waiting,) = connection.execute("SELECT count(*) FROM delta WHERE scheme = ?", (scheme,)).fetchone()
    if waiting and (waiting >= least or not segment_files(connection, scheme)):
        return True
    return bool(_unnamed(connection, store))


def remove_unnamed(connection: sqlite3.Connection, store: Path) -> None:
    """Files no longer named. Whoever has one mapped keeps it until he looks again."""
    with suppress(OSError):
        for path in _unnamed(connection, store):
            path.unlink(missing_ok=True)


def _unnamed(connection: sqlite3.Connection, store: Path) -> list[Path]:
    named = {name for (name,) in connection.execute("SELECT name FROM segment")} | {LOCK}
    try:
        return [path for path in folder_of(store).iterdir() if path.name not in named]
    except OSError:
        return []


def signed_rows(connection: sqlite3.Connection, scheme: int, contents: list[int], most: int) -> Iterator[Signed]:
    """The signatures of these contents, about `most` features at a time."""
    held: list[tuple[int, int, bytes, bytes | None]] = []
    size = 0
    for start in range(0, len(contents), LOOK_UP):
        part = contents[start : start + LOOK_UP]
        rows = connection.execute(
            f"""SELECT content, modulus, features, weights FROM signature
                WHERE scheme = ? AND content IN ({",".join("?" * len(part))})""",
            (scheme, *part),
        )
        for row in rows:
            held.append(row)
            size += len(row[2]) // 8
        if size >= most:
            yield _columns(held)
            held, size = [], 0
    if held:
        yield _columns(held)


def _columns(rows: list[tuple[int, int, bytes, bytes | None]]) -> Signed:
    return Signed(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.uint64),
        np.cumsum([0, *(len(row[2]) // 8 for row in rows)]).astype(np.uint64),
        np.frombuffer(b"".join(row[2] for row in rows), "<u8"),
        np.frombuffer(b"".join(row[3] or b"" for row in rows), "<u4"),
    )


def drop_segments(connection: sqlite3.Connection, scheme_ids: Sequence[int]) -> None:
    """Name the segments of these schemes no more; what is still signed waits in `delta` for new ones. The files go with
    `remove_unnamed`, when that is committed."""
    marks = ",".join("?" * len(scheme_ids))
    connection.execute(f"DELETE FROM segment WHERE scheme IN ({marks})", tuple(scheme_ids))
    connection.execute(
        f"""INSERT OR IGNORE INTO delta (scheme, content)
            SELECT scheme, content FROM signature WHERE scheme IN ({marks})""",
        tuple(scheme_ids),
    )
