"""Sharing: which stored signatures have some of a query's features, and how many."""

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.store.contents import COMPARED

AT_ONCE = 4096  # signatures


@dataclass(frozen=True)
class Sharing:
    """Contents that are present and share a feature at least, with the size and modulus of their signatures."""

    contents: NDArray[np.int64]
    shared: NDArray[np.uint64]
    sizes: NDArray[np.uint64]
    moduli: NDArray[np.uint64]


def contents_sharing(connection: sqlite3.Connection, scheme: int, features: NDArray[np.uint64]) -> Sharing:
    """Features ascending. All signatures are looked through, a few thousand in memory at a time."""
    cursor = connection.execute(
        f"""SELECT content, modulus, features FROM signature
            WHERE scheme = ? AND features <> x'' AND content IN (SELECT t.content {COMPARED})""",
        (scheme,),
    )
    parts: list[Sharing] = []
    while len(features) and (rows := cursor.fetchmany(AT_ONCE)):
        stored = np.frombuffer(b"".join(blob for _, _, blob in rows), "<u8")
        sizes = np.array([len(blob) // 8 for _, _, blob in rows], np.int64)
        at = np.minimum(np.searchsorted(features, stored), len(features) - 1)
        shared = np.add.reduceat(features[at] == stored, np.cumsum(sizes) - sizes, dtype=np.uint64)
        some = shared > 0
        parts.append(
            Sharing(
                np.array([content for content, _, _ in rows], np.int64)[some],
                shared[some],
                sizes[some].astype(np.uint64),
                np.array([modulus for _, modulus, _ in rows], np.uint64)[some],
            )
        )
    nothing = np.zeros(0, np.uint64)
    parts.append(Sharing(np.zeros(0, np.int64), nothing, nothing, nothing))
    return Sharing(
        np.concatenate([part.contents for part in parts]),
        np.concatenate([part.shared for part in parts]),
        np.concatenate([part.sizes for part in parts]),
        np.concatenate([part.moduli for part in parts]),
    )
