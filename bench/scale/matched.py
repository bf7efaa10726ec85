"""nearkin.match as a peer is used: a table in, an array of pairs out, nothing stored."""

import sys
from pathlib import Path

import numpy as np

import nearkin
from bench.pages import THRESHOLD


def main(corpus: Path, output: Path) -> None:
    import pyarrow.parquet as pq

    texts = pq.read_table(corpus, columns=["text"])["text"].to_pylist()
    found = nearkin.match(texts, threshold=THRESHOLD, all_copies=False)
    similar = found["resemblance"].to_numpy() >= THRESHOLD  # without parts of others
    pairs = np.stack([found["a"].to_numpy()[similar], found["b"].to_numpy()[similar]], axis=1)
    with open(output, "wb") as opened:
        np.save(opened, pairs.astype(np.int64))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
