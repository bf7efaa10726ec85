"""nearkin itself as the benchmark sees it: the command a user types, and what is in the store afterwards."""

import json
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.folder import Folder
from bench.peer_shingles import THRESHOLD, Pairs
from nearkin.query.matches import list_matches
from nearkin.store.database import connect


def command(folder: Path, store: Path) -> list[str]:
    script = Path(sys.executable).with_name("nearkin")
    return [str(script), "scan", str(folder), "--store", str(store), "--format", "json"]


def reported(store: Path, folder: Folder) -> tuple[Pairs, NDArray[np.float64]]:
    """Matches at the threshold as pairs of places in the folder, and their resemblance."""
    place = {document: i for i, document in enumerate(folder.documents)}
    with closing(connect(store)) as connection:
        matches = list_matches(connection, min_resemblance=THRESHOLD)
    pairs = [(place[match.a.path], place[match.b.path]) for match in matches]
    return np.array(pairs, np.int64).reshape(-1, 2), np.array([match.resemblance for match in matches])


def stages(store: Path) -> dict[str, float]:
    with closing(connect(store)) as connection:
        query = "SELECT timings FROM run WHERE state = 'done' ORDER BY id DESC LIMIT 1"
        (timings,) = connection.execute(query).fetchone()
    return {stage: float(seconds) for stage, seconds in json.loads(timings).items()}


def forget(store: Path) -> None:
    """Every round begins without a store."""
    for end in ("", "-wal", "-shm", "-journal", ".lock"):
        Path(f"{store}{end}").unlink(missing_ok=True)


def size(store: Path) -> int:
    return store.stat().st_size
