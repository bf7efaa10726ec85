"""Whole columns of what a query finds.

Python makes an object of every value of every row. A connection that is fed hands a column over as its bytes
(native/kernels/gathered.hpp). Others string numbers together as one text, which is read at once: of 500,000 contents
that takes 0.6 s, where a row each takes 3.8 s.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from nearkin.store.bulk import is_fed

Numbers = NDArray[np.int64]


def columns(connection: sqlite3.Connection, names: Sequence[str], of: str, *given: object) -> list[Numbers]:
    """Whole numbers, of a query that is told from its FROM on. What is NULL is left out."""
    fed = is_fed(connection)
    gathered = "nearkin_gathered" if fed else "group_concat"
    (row,) = connection.execute(f"SELECT {', '.join(f'{gathered}({name})' for name in names)} {of}", given)
    return [np.frombuffer(one, "<i8") if fed else np.fromstring(one or "", np.int64, sep=",") for one in row]


def digests(connection: sqlite3.Connection, name: str, of: str) -> NDArray[np.void]:
    """The same of digests, of 32 bytes each."""
    if is_fed(connection):
        with suppress(sqlite3.DataError):  # of over 31 million: SQLite takes no larger blob
            ((found,),) = connection.execute(f"SELECT nearkin_gathered({name}) {of}")
            return np.frombuffer(found, "V32")
    rows = connection.execute(f"SELECT {name} {of}")
    return np.frombuffer(b"".join(digest for (digest,) in rows if digest is not None), "V32")


def numbered_digests(
    connection: sqlite3.Connection, number: str, name: str, of: str
) -> tuple[Numbers, NDArray[np.void]]:
    """Both at once, in the same order, where neither is ever NULL."""
    if is_fed(connection):
        with suppress(sqlite3.DataError):
            ((ids, found),) = connection.execute(f"SELECT nearkin_gathered({number}), nearkin_gathered({name}) {of}")
            return np.frombuffer(ids, "<i8"), np.frombuffer(found, "V32")
    rows = connection.execute(f"SELECT {number}, {name} {of}").fetchall()
    return np.array([row[0] for row in rows], np.int64), np.frombuffer(b"".join(row[1] for row in rows), "V32")
