"""nearkin.match as a peer is used: a table in, an array of pairs out, nothing stored."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import nearkin
from bench.pages import THRESHOLD

AT_ONCE = 1000  # texts; 2 MB of them


def main(corpus: Path, output: Path) -> None:
    found = nearkin.match(_texts(corpus), threshold=THRESHOLD, all_copies=False)
    similar = found["resemblance"].to_numpy() >= THRESHOLD  # without parts of others
    pairs = np.stack([found["a"].to_numpy()[similar], found["b"].to_numpy()[similar]], axis=1)
    with open(output, "wb") as opened:
        np.save(opened, pairs.astype(np.int64))


def _texts(corpus: Path) -> Iterator[str]:
    """Some at a time: while they are signed the next ones are read."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(corpus) as table:
        for some in table.iter_batches(AT_ONCE, columns=["text"]):
            yield from some["text"].to_pylist()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
