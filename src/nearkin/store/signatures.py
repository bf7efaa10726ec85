"""Signatures of a store's contents: of all in one array, of a few, or of all a batch at a time.

Codes are signatures of a few numbers, in a column of their own that SQLite keeps sorted: `si` has one number a content,
looked up by range (Roth 2011 §6.2's query at check-in), `fuzzy` a few, looked up by value.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.model import Blob
from nearkin.store.contents import Contents

AT_ONCE = 8192  # of a batch: some ten megabytes


@dataclass(frozen=True)
class Signatures:
    """Signatures of contents, end to end: row i has its features from offsets[i] to offsets[i + 1]."""

    moduli: NDArray[np.uint64]
    offsets: NDArray[np.uint64]
    features: NDArray[np.uint64]
    weights: NDArray[np.uint32]


def count_postings(connection: sqlite3.Connection, scheme: int) -> int:
    """How many features all signatures of a scheme have."""
    (size,) = connection.execute("SELECT sum(length(features)) FROM signature WHERE scheme = ?", (scheme,)).fetchone()
    return int(size or 0) // 8


def moduli_of(connection: sqlite3.Connection, scheme: int, contents: Contents) -> NDArray[np.uint64]:
    """The moduli of contents, by row."""
    rows = connection.execute("SELECT content, modulus FROM signature WHERE scheme = ?", (scheme,)).fetchall()
    ids, moduli = (np.array(column, np.int64) for column in (zip(*rows, strict=True) if rows else ((), ())))
    at = contents.rows(ids)
    by_row = np.ones(len(contents), np.uint64)
    by_row[at[at >= 0]] = moduli[at >= 0]
    return by_row


def signature_batches(
    connection: sqlite3.Connection, scheme: int, contents: Contents
) -> Iterator[tuple[NDArray[np.int64], Signatures]]:
    """Rows of contents and their signatures, as they are stored, in bounded memory."""
    cursor = connection.execute("SELECT content, modulus, features, weights FROM signature WHERE scheme = ?", (scheme,))
    while batch := cursor.fetchmany(AT_ONCE):
        rows = contents.rows(np.array([row[0] for row in batch], np.int64))
        there = np.flatnonzero(rows >= 0)
        yield rows[there], _end_to_end([batch[i][1:] for i in there.tolist()])


def signatures(connection: sqlite3.Connection, scheme: int, contents: Contents) -> Signatures:
    by_id = {
        content: (modulus, features, weights)
        for content, modulus, features, weights in connection.execute(
            "SELECT content, modulus, features, weights FROM signature WHERE scheme = ?", (scheme,)
        )
    }
    return _end_to_end([by_id[content] for content in contents.ids.tolist()])


def signatures_of(connection: sqlite3.Connection, scheme: int, contents: NDArray[np.int64]) -> Signatures | None:
    """Signatures of a few contents, in their order; None if one was never signed in this way."""
    by_id: dict[int, tuple[int, bytes, bytes | None]] = {}
    wanted: list[int] = contents.tolist()
    for start in range(0, len(wanted), 500):
        part = wanted[start : start + 500]
        rows = connection.execute(
            f"""SELECT content, modulus, features, weights FROM signature
                WHERE scheme = ? AND content IN ({",".join("?" * len(part))})""",
            (scheme, *part),
        )
        by_id.update((content, (modulus, features, weights)) for content, modulus, features, weights in rows)
    if len(by_id) < len(wanted):
        return None
    return _end_to_end([by_id[content] for content in wanted])


def _end_to_end(rows: list[tuple[int, bytes, bytes | None]]) -> Signatures:
    return Signatures(
        moduli=np.array([modulus for modulus, _, _ in rows], np.uint64),
        offsets=np.concatenate([[0], np.cumsum([len(blob) // 8 for _, blob, _ in rows])]).astype(np.uint64),
        features=np.frombuffer(b"".join(blob for _, blob, _ in rows), "<u8"),
        weights=np.frombuffer(b"".join(blob or b"" for _, _, blob in rows), "<u4"),
    )


def signature_of(
    connection: sqlite3.Connection, scheme: int, content: int
) -> tuple[int, NDArray[np.uint64], NDArray[np.uint32]] | None:
    """Modulus, features and weights (none where all weigh the modulus); None where it was not signed in this way."""
    row = connection.execute(
        "SELECT modulus, features, weights FROM signature WHERE scheme = ? AND content = ?", (scheme, content)
    ).fetchone()
    if row is None:
        return None
    modulus, features, weights = row
    return int(modulus), np.frombuffer(features, "<u8"), np.frombuffer(weights or b"", "<u4")


WITHIN = "SELECT content FROM code WHERE scheme = ? AND number BETWEEN ? AND ? ORDER BY number, content"


def add_codes(connection: sqlite3.Connection, scheme: int, rows: Iterable[tuple[int, Blob]]) -> None:
    """Store codes; a row is (content, features as they are stored)."""
    connection.executemany(
        f"INSERT OR IGNORE INTO code (scheme, number, content) VALUES ({scheme}, ?, ?)",
        ((number, content) for content, features in rows for number in np.frombuffer(features, "<i8").tolist()),
    )


def contents_within(connection: sqlite3.Connection, scheme: int, low: int, high: int) -> list[int]:
    """Contents with a number from low to high, in its order."""
    rows = connection.execute(WITHIN, (scheme, low, high))
    return [content for (content,) in rows]


def contents_with(connection: sqlite3.Connection, scheme: int, numbers: Sequence[int]) -> list[int]:
    """Contents with at least one of these numbers."""
    contents: set[int] = set()
    for number in numbers:
        rows = connection.execute("SELECT content FROM code WHERE scheme = ? AND number = ?", (scheme, number))
        contents.update(content for (content,) in rows)
    return sorted(contents)
