"""Which pairs of a generated repository resemble each other, exactly; and how right a tool's pairs are.

Only members of one family are compared: two strangers share a few passages of six words, and come nowhere near 0.7.
Documents of the same text are one content, as in `bench.truth`: a pair of two such counts for nobody.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.exact import byte_shingles, exact_pairs, word_shingles
from bench.peer_shingles import THRESHOLD, Pairs


class Judged(NamedTuple):
    precision: float | None
    recall: float | None


@dataclass(frozen=True)
class TruePairs:
    content: NDArray[np.int64]  # of each document
    by_bytes: NDArray[np.int64]  # pairs of contents as one number each, ascending
    by_words: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Path) -> "TruePairs":
        import pyarrow.parquet as pq

        rows = pq.read_table(corpus, columns=["text", "family"])
        texts, founder = rows["text"].to_pylist(), rows["family"].to_numpy()
        order = np.argsort(founder, kind="stable")
        families = np.split(order, np.flatnonzero(np.diff(founder[order])) + 1)
        content = np.arange(len(texts), dtype=np.int64)
        by_bytes: list[Pairs] = []
        by_words: list[Pairs] = []
        for family in families:
            if len(family) < 2:
                continue
            first: dict[str, int] = {}
            for document in family.tolist():
                content[document] = first.setdefault(texts[document], document)
            numbers = np.array(list(first.values()), np.int64)
            for found, sets in (
                (by_bytes, [byte_shingles(text.strip().encode()) for text in first]),
                (by_words, [word_shingles(text) for text in first]),
            ):
                found.append(numbers[exact_pairs(sets, threshold=THRESHOLD).pairs])
        return cls(content, _keys(by_bytes), _keys(by_words))

    def judge(self, pairs: Pairs, true: NDArray[np.int64]) -> Judged:
        reported = _keys([self.content[pairs]])
        hits = len(np.intersect1d(reported, true, assume_unique=True))
        return Judged(hits / len(reported) if len(reported) else None, hits / len(true) if len(true) else None)


def _keys(pairs: list[Pairs]) -> NDArray[np.int64]:
    whole = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
    first, second = whole.min(axis=1), whole.max(axis=1)
    return np.unique((first << 32 | second)[first != second])
