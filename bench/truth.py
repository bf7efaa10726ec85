"""What is true of a part of the folder, in nearkin's measure and in the peers' own, and how right a tool was.

Documents with the same canonical text are one content: pairs of them count for nobody, and a pair of any
two documents counts once for the pair of their contents. A tool's pairs from the whole folder are judged
where both contents have a document in the part.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bench.exact import ExactPairs, byte_shingles, exact_pairs, word_shingles
from bench.folder import Folder
from bench.peer_shingles import THRESHOLD, Pairs, read_page
from bench.process import cores
from nearkin.engine import scan_files
from nearkin.scheme import parse_scheme
from nearkin.settings import DEFAULT_SCHEME, TextSettings, WalkSettings
from nearkin.text.canon import Canon


@dataclass(frozen=True)
class Judgement:
    precision: float | None  # None where nothing was reported
    recall: float | None  # None where there was nothing to find
    reported: int


@dataclass(frozen=True)
class Truth:
    folder: Folder
    content: NDArray[np.int64]  # of every document of the folder
    texts: dict[int, bytes]  # canonical, of every content of the part

    @classmethod
    def of(cls, folder: Folder, *, most: int) -> "Truth":
        part = set(folder.part(most))
        numbers: dict[bytes | None, int] = {}
        content: list[int] = []
        texts: dict[int, bytes] = {}
        for digest, canonical in _contents(folder, Canon.of(TextSettings())):
            number = numbers.setdefault(digest, len(numbers))
            if len(content) in part and number not in texts:
                texts[number] = canonical
            content.append(number)
        return cls(folder, np.array(content, np.int64), texts)

    @cached_property
    def by_bytes(self) -> ExactPairs:
        """Pairs of contents of the part that resemble one another in 20-byte shingles."""
        numbers = np.array(list(self.texts), np.int64)
        found = exact_pairs([byte_shingles(text) for text in self.texts.values()], threshold=THRESHOLD)
        return ExactPairs(np.sort(numbers[found.pairs], axis=1), found.resemblance)

    @cached_property
    def by_words(self) -> Pairs:
        """Pairs of contents any two documents of which resemble one another in 5-word shingles."""
        rows: dict[tuple[str, int], None] = {}
        for file, number in zip(self.folder.files, self.content.tolist(), strict=True):
            if number in self.texts:
                rows[read_page(file), number] = None
        found = exact_pairs([word_shingles(text) for text, _ in rows], threshold=THRESHOLD)
        return np.array([number for _, number in rows], np.int64)[found.pairs]

    def judge(self, pairs: Pairs, true: Pairs) -> Judgement:
        reported, right = self.keys(self.content[pairs]), self.keys(true)
        hits = len(np.intersect1d(reported, right, assume_unique=True))
        return Judgement(
            hits / len(reported) if len(reported) else None,
            hits / len(right) if len(right) else None,
            len(reported),
        )

    def keys(self, pairs: Pairs) -> NDArray[np.int64]:
        """One number for each pair of different contents of the part."""
        inside = np.zeros(int(self.content.max()) + 1, np.bool_)
        inside[list(self.texts)] = True
        first, second = pairs.min(axis=1), pairs.max(axis=1)
        kept = (first < second) & inside[first] & inside[second]
        return np.unique(first[kept] << 32 | second[kept])


def _contents(folder: Folder, canon: Canon) -> Iterator[tuple[bytes | None, bytes]]:
    """The digest of the canonical text of every document, and that text; none where it has no text."""
    how = scan_files.recipe(parse_scheme(DEFAULT_SCHEME), canon, max_size=WalkSettings().max_size)
    for readings in scan_files.ingest(os.fsencode(folder.path), folder.documents, how, jobs=cores()):
        told = {d: t for one in readings.batches for d, t in zip(one.contents, one.take_canonical(), strict=True)}
        yield from ((digest, told.get(digest, b"")) for digest in readings.contents)
