"""A repository generated straight into one Parquet table, batch by batch: id, text, and the family it was made in.

Texts of about 2 KB of random words, rare and frequent ones as in prose. Members of a family are its founder's text with
up to 3 % of the words changed, each in its own places: most pairs resemble each other by more than 0.7, some do not.
Twenty passages of six words are each in a tenth of the families and strangers, at the same place: features that
10 % of all documents have. Every word is a function of seed, founder and place, so nothing is kept in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.scale.family_sizes import FamilySizes
from bench.scale.random_numbers import mixed, share

WORDS = 40_000
LETTERS = np.frombuffer(b"eeeeetttaaooiinnsshhrrddlucmfwypvbgkjqxz", np.uint8)
LONGEST = 12  # letters of a word, with the space after it
LEAST, MOST = 240, 320  # words of a text
CHANGED = 0.03  # at most
PASSAGES, SPREAD, PASSAGE = 20, 0.1, 6  # how many, in which share of the documents, words of each
AT_ONCE = 2_000  # documents


@dataclass(frozen=True)
class Repository:
    documents: int
    seed: int = 1

    @property
    def families(self) -> FamilySizes:
        return FamilySizes(self.documents)

    def batches(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]]:
        """Numbers, founders, the texts end to end and where each begins and the last one ends."""
        vocabulary = _vocabulary(self.seed)
        families = self.families
        for start in range(0, self.documents, AT_ONCE):
            numbers = np.arange(start, min(start + AT_ONCE, self.documents), dtype=np.int64)
            founders = families.founders(numbers)
            yield numbers, founders, *self._texts(numbers, founders, vocabulary)

    def _texts(
        self, numbers: NDArray[np.int64], founders: NDArray[np.int64], vocabulary: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        words = self._words(numbers, founders)
        counts = LEAST + (mixed(self.seed, 4, founders) % np.uint64(MOST - LEAST)).astype(np.int64)
        letters = vocabulary[words]  # documents × words × letters, 0 where a word has ended
        letters[np.arange(MOST)[None, :] >= counts[:, None]] = 0
        letters = letters.reshape(len(numbers), -1)
        ends = np.cumsum(np.count_nonzero(letters, axis=1))
        return letters[letters != 0], np.concatenate([[0], ends])

    def _words(self, numbers: NDArray[np.int64], founders: NDArray[np.int64]) -> NDArray[np.int64]:
        seed, places = self.seed, np.arange(MOST)[None, :]
        words = _word(mixed(mixed(seed, 5, founders)[:, None], places))
        has = share(mixed(mixed(seed, 6, founders)[:, None], np.arange(PASSAGES)[None, :])) < SPREAD
        for passage in range(PASSAGES):
            start = 1 + passage * (LEAST // PASSAGES)
            chosen = _word(mixed(seed, 7, passage, np.arange(PASSAGE)))
            words[np.flatnonzero(has[:, passage])[:, None], np.arange(start, start + PASSAGE)] = chosen
        edited = np.flatnonzero(numbers != founders)
        own = numbers[edited]
        # Two numbers from one: the upper half says whether, the lower which word instead.
        chance = mixed(mixed(seed, 8, own)[:, None], places)
        limit = (share(mixed(seed, 9, own)) * CHANGED * (1 << 32)).astype(np.uint64)
        row, place = np.nonzero(chance >> np.uint64(32) < limit[:, None])
        words[edited[row], place] = _word(chance[row, place] << np.uint64(32))
        return words

    def write(self, path: Path) -> int:
        """Bytes of text."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([("id", pa.string()), ("text", pa.string()), ("family", pa.int64())])
        size = 0
        with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=False) as writer:
            for numbers, founders, letters, offsets in self.batches():
                texts = pa.Array.from_buffers(
                    pa.string(),
                    len(numbers),
                    [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(letters)],
                )
                ids = pa.array([f"{number:08d}" for number in numbers.tolist()])
                writer.write_batch(pa.record_batch([ids, texts, pa.array(founders)], schema=schema))
                size += len(letters)
        return size


def _word(numbers: Any) -> NDArray[np.int64]:
    """Frequent words first: the share of the rank-r word falls as the root of r, so that three words in a row are
    hardly ever met twice."""
    chance = share(numbers)
    words: NDArray[np.int64] = (chance * chance * WORDS).astype(np.int64)
    return words


def _vocabulary(seed: int) -> NDArray[np.uint8]:
    """Words of 2 to 11 letters, each followed by a space, then zeros."""
    drawn = mixed(mixed(seed, 2, np.arange(WORDS))[:, None], np.arange(LONGEST)[None, :])
    letters = LETTERS[(drawn % np.uint64(len(LETTERS))).astype(np.int64)]
    lengths = 2 + (mixed(seed, 3, np.arange(WORDS)) % np.uint64(LONGEST - 2)).astype(np.int64)
    places = np.arange(LONGEST)[None, :]
    letters[places == lengths[:, None]] = ord(" ")
    letters[places > lengths[:, None]] = 0
    return letters
