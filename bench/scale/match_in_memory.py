"""nearkin.match run as a peer is run: it reads a table, writes an array of pairs, and stores nothing."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import nearkin
from nearkin.settings import MatchSettings

if TYPE_CHECKING:
    import pyarrow as pa

THRESHOLD = MatchSettings().threshold  # the peers' too; bench.peer_shingles has it, but imports slowly
AT_ONCE = 1000  # texts; 2 MB of them


def main(corpus: Path, output: Path) -> None:
    found = nearkin.match(_texts(corpus), threshold=THRESHOLD, all_copies=False)
    similar = found["resemblance"].to_numpy() >= THRESHOLD  # without parts of others
    pairs = np.stack([found["a"].to_numpy()[similar], found["b"].to_numpy()[similar]], axis=1)
    with open(output, "wb") as opened:
        np.save(opened, pairs.astype(np.int64))


def _texts(corpus: Path) -> "pa.RecordBatchReader":
    """Some at a time: while they are signed the next ones are read. Not ahead of that into memory of their own, which
    takes a third as long as decoding them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(corpus, memory_map=True, pre_buffer=False)
    return pa.RecordBatchReader.from_batches(
        pa.schema([("text", pa.string())]), table.iter_batches(AT_ONCE, columns=["text"])
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
