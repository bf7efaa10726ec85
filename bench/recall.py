"""nearkin's matches of a part of the folder, scanned by itself, against every exact pair in it."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import nearkin_command
from bench.folder import Folder
from bench.peer_shingles import Pairs
from bench.process import measure
from bench.table import share, table
from bench.truth import Truth


def recall(part: Folder, work: Path) -> str:
    store = work / "recall"
    nearkin_command.forget(store)
    measure(nearkin_command.command(part.path, store), watch=False)
    truth = Truth.of(part, most=len(part.documents))
    pairs, scores = nearkin_command.reported(store, part)
    judged = truth.judge(pairs, truth.by_bytes.pairs)
    row = [
        f"{len(part.documents):,}",
        f"{len(truth.texts):,}",
        f"{len(truth.by_bytes.pairs):,}",
        f"{judged.reported:,}",
        share(judged.recall),
        share(judged.precision),
        f"{_different(truth, pairs, scores):,}",
    ]
    head = ("documents", "contents", "exact pairs", "reported", "recall", "precision", "scores that differ")
    return table(head, [row], words=0)


def _different(truth: Truth, pairs: Pairs, scores: NDArray[np.float64]) -> int:
    """Reported scores that are not the very double of the exact resemblance."""
    exact = {
        (first, second): score
        for (first, second), score in zip(
            truth.by_bytes.pairs.tolist(), truth.by_bytes.resemblance.tolist(), strict=True
        )
    }
    named = np.sort(truth.content[pairs], axis=1).tolist()
    return sum(
        exact.get((first, second), score) != score
        for (first, second), score in zip(named, scores.tolist(), strict=True)
    )
