"""Documents that no row of the store can hold: SQLite takes a thousand million bytes in one."""

import sqlite3

from nearkin.model import Readings, Reason
from nearkin.store.compression import pack_all

BESIDE = 1000  # bytes of the other columns
GROWTH = 16  # a signature has at most 12 bytes for each one of the text


def is_short(connection: sqlite3.Connection, size: int) -> bool:
    """Whether a row can hold all that comes of so many bytes of text."""
    return GROWTH * size < connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - BESIDE


def refuse_overlong(
    connection: sqlite3.Connection, readings: Readings, refused: set[bytes | None], *, keep: bool
) -> None:
    """They fail as too large, and so do copies of `refused` bytes, which come without their text; the others of their
    batch are stored. Quick where no text is long."""
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH) - BESIDE
    longest = max(max(map(len, readings.texts), default=0), max(readings.lengths, default=0))  # texts may be let go of
    largest = max((len(one) for one in readings.packed if one), default=0)
    if not refused and is_short(connection, longest) and largest < most:
        return
    for i, content in enumerate(readings.contents):
        if content is None:
            continue
        if keep and readings.packed[i] is None and len(readings.texts[i]) > most:
            readings.packed[i] = pack_all([readings.texts[i]])[0]
        packed = readings.packed[i] or b""
        size = max(len(packed), len(readings.features[i]) + len(readings.weights[i] or b""))
        if size > most or readings.digests[i] in refused:
            refused.add(readings.digests[i])
            readings.contents[i] = None
            readings.reasons[i] = Reason.TOO_LARGE
            readings.details[i] = f"its text or its signature is over the {most:,} bytes that the store can hold of one"
