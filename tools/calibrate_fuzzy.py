"""Where to put the borders of fuzzy-fingerprints: the smallest collision sets that still find what is alike.

    python tools/calibrate_fuzzy.py FOLDER... [--most 6000] [--cosine 0.8] [--recall 0.9] [--leave-out]

Every folder is a source of its own. True pairs are all pairs of one source's documents whose cosine reaches
--cosine, computed for all of them. Recall is the share of true pairs that collide: of all of them together or averaged
over the sources, whichever is less, so that no source decides alone. Collision sets are those of all documents of all
sources together. For every number of intervals and variants the borders of one variant after the other are set to the
best of a grid, until nothing changes: the best have the smallest share of pairs in collision while recall stays at
--recall.

Then, for the borders nearkin has: recall, ε = 1 − recall, collision sets and precision of every source, with the
reference it has and with one learnt from the source. With --leave-out also the recall of each source under borders
that were set without it. docs/decisions/010-fuzzy.md keeps the result.
"""

import argparse
import sys
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from nearkin import _native
from nearkin.scheme.fuzzy import BORDERS, NEVER, Fuzzy, Variant, learn_reference
from nearkin.scheme.spec import parse_spec
from nearkin.settings import TextSettings
from nearkin.text.canon import Canon
from nearkin.text.kind import extract

FEWEST = 50
NEAR = (-500, -300, -200, -100, 0, 100, 200, 300, 400, 500, 700, 1000, 1500, 2000, 2500, 3000, NEVER)
FAR = (700, 1000, 1250, 1500, 1750, 2000, 2500, 3000, 4000, 5000, NEVER)
STARTS = 12
RANDOM_PAIRS = 40_000
MOST_PAIRS = 3_000  # of a source


@dataclass(frozen=True)
class Source:
    name: str
    letters: NDArray[np.int64]  # index terms by first letter, a row for each document
    pairs: NDArray[np.int64]  # rows of the true pairs
    reference: tuple[int, ...]


def read(folder: Path, most: int, cosine: float) -> Source:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    files = sorted(files, key=lambda path: sha256(path.relative_to(folder).as_posix().encode()).digest())[:most]
    canon = Canon.of(TextSettings())
    texts = {canon.apply(text) for path in files if (text := extract(path.read_bytes()).text)}
    counted = [(_native.letter_counts(text).astype(np.int64), text) for text in sorted(texts)]
    kept = [(letters, text) for letters, text in counted if letters.sum() >= FEWEST]
    if len(kept) < 2:
        raise SystemExit(f"{folder}: fewer than two documents of {FEWEST} index terms.")
    rows = np.array([letters for letters, _ in kept])
    words = [text for _, text in kept]
    return Source(folder.name, rows, alike(words, cosine), learn_reference(words))


def alike(texts: list[bytes], cosine: float) -> NDArray[np.int64]:
    frequencies = [_native.term_frequencies(text) for text in texts]
    terms, at = np.unique(np.concatenate([names for names, _ in frequencies]), return_inverse=True)
    lengths = [len(names) for names, _ in frequencies]
    unit = np.concatenate([counts / np.linalg.norm(counts.astype(float)) for _, counts in frequencies])
    vectors = csr_matrix((unit, at, np.concatenate([[0], np.cumsum(lengths)])), shape=(len(texts), len(terms)))
    turned = vectors.T.tocsr()
    found = []
    for start in range(0, len(texts), 256):
        first, second = np.nonzero((vectors[start : start + 256] @ turned).toarray() >= cosine)
        later = first + start < second
        found.append(np.stack([first[later] + start, second[later]], axis=1))
    return np.concatenate(found)


def deviations(letters: NDArray[np.int64], scheme: Fuzzy) -> NDArray[np.float64]:
    counts = np.stack([letters[:, [ord(c) - 97 for c in group]].sum(axis=1) for group in scheme.classes], axis=1)
    reference = np.array(scheme.shares)
    terms = np.maximum(1, counts.sum(axis=1, keepdims=True))
    return counts * reference.sum() * 1000 / (reference * terms) - 1000


def codes(letters: NDArray[np.int64], scheme: Fuzzy) -> list[NDArray[np.int64]]:
    """One column a variant, as the kernel makes them."""
    deviation = deviations(letters, scheme)
    powers = scheme.intervals ** np.arange(len(scheme.classes))
    return [
        sum((deviation >= np.array(at)).astype(np.int64) for at in zip(*borders, strict=True)) @ powers
        for borders in scheme.borders
    ]


def collisions(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """How many others each document collides with: those equal in one column or more, by inclusion and exclusion."""
    total = np.zeros(len(columns[0]), np.int64)
    for size in range(1, len(columns) + 1):
        for some in combinations(columns, size):
            _, back, counts = np.unique(np.stack(some, axis=1), axis=0, return_inverse=True, return_counts=True)
            total += (1 if size % 2 else -1) * counts[back.ravel()]
    return total - 1


def hits(columns: list[NDArray[np.int64]], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.logical_or.reduce([column[pairs[:, 0]] == column[pairs[:, 1]] for column in columns])


class Search:
    """Borders that keep the recall with the fewest pairs in collision."""

    def __init__(self, sources: list[Source], scheme: Fuzzy, recall: float) -> None:
        dice = np.random.default_rng(2005)
        rows, pairs, offset = [], [], 0
        for source in sources:
            chosen = source.pairs[dice.permutation(len(source.pairs))[:MOST_PAIRS]]
            rows.append(deviations(source.letters, scheme))
            pairs.append(chosen + offset)
            offset += len(source.letters)
        anyhow = dice.integers(0, offset, (RANDOM_PAIRS, 2))
        self.ends = np.cumsum([0, *map(len, pairs)])
        self.recall = recall
        every = np.concatenate([*pairs, anyhow[anyhow[:, 0] != anyhow[:, 1]]])
        one, other = (np.concatenate(rows)[every[:, side]] for side in (0, 1))
        looked_at = np.array(scheme.variant_of)
        self.variants = range(scheme.variants)
        self.options: list[tuple[tuple[int, ...], int]] = [
            (near, far)
            for near in combinations(NEAR, scheme.intervals - 1)
            for far in (FAR if scheme.variants > 1 else FAR[-1:])
        ]
        picked = dice.integers(0, len(self.options), (STARTS, scheme.variants))
        self.random = [[self.options[at] for at in row] for row in picked]
        self.coarser: list[list[Variant]] = []
        if scheme.intervals == 3:
            two = Search(sources, replace(scheme, intervals=2), recall).run()[1]
            self.coarser = [[((*near, NEVER), far) for near, far in two]]

        def agree(classes: NDArray[np.bool_], border: int) -> NDArray[np.bool_]:
            return ((one[:, classes] >= border) == (other[:, classes] >= border)).all(axis=1)

        self.near = {(v, border): agree(looked_at == v, border) for v in self.variants for border in NEAR}
        self.far = {(v, border): agree(looked_at != v, border) for v in self.variants for border in FAR}

    def collide(self, variant: int, borders: Variant) -> NDArray[np.bool_]:
        near, far = borders
        return np.logical_and.reduce([self.far[variant, far], *(self.near[variant, border] for border in near)])

    def cost(self, hit: NDArray[np.bool_]) -> float:
        spans = zip(self.ends[:-1], self.ends[1:], strict=True)
        averaged = np.mean([hit[start:end].mean() for start, end in spans if end > start])
        found = min(averaged, hit[: self.ends[-1]].mean())
        return float(hit[self.ends[-1] :].mean() + 5 * max(0.0, self.recall - found))

    def run(self) -> tuple[float, list[Variant]]:
        """From the borders of a coarser scheme, and from some at random: one descent may end in a hollow."""
        return min(self.descend(start) for start in [*self.coarser, *self.random])

    def descend(self, start: list[Variant]) -> tuple[float, list[Variant]]:
        chosen = list(start)
        before: list[Variant] = []
        cost = 9.0
        while chosen != before:
            before = list(chosen)
            for v in self.variants:
                others = [self.collide(w, chosen[w]) for w in self.variants if w != v]
                rest = np.logical_or.reduce([np.zeros_like(self.collide(v, chosen[v])), *others])
                cost, chosen[v] = min((self.cost(rest | self.collide(v, option)), option) for option in self.options)
        return cost, chosen


def judged(name: str, letters: NDArray[np.int64], pairs: NDArray[np.int64], scheme: Fuzzy) -> str:
    columns = codes(letters, scheme)
    sizes = collisions(columns)
    met = hits(columns, pairs).sum()
    recall = met / max(1, len(pairs))
    return (
        f"{name:24} {len(letters):6,} documents {len(pairs):6,} true pairs  recall {recall:.3f}  ε {1 - recall:.3f}"
        f"  collision set mean {sizes.mean():7.1f} ({sizes.mean() / len(sizes):.3f}) max {sizes.max():5}"
        f"  precision {2 * met / max(1, sizes.sum()):.3f}\n"
    )


def together(sources: list[Source]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    offsets = np.cumsum([0, *(len(source.letters) for source in sources)])
    pairs = [source.pairs + offset for source, offset in zip(sources, offsets, strict=False)]
    return np.concatenate([source.letters for source in sources]), np.concatenate(pairs)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    asked.add_argument("--most", type=int, default=6000, help="documents of a folder, chosen by a hash of their paths")
    asked.add_argument("--cosine", type=float, default=0.8)
    asked.add_argument("--recall", type=float, default=0.9)
    asked.add_argument("--leave-out", action="store_true", help="also set the borders without each folder")
    asked.add_argument(
        "--shape", action="append", type=shape, metavar="INTERVALS,VARIANTS", help="look for the borders of these only"
    )
    asked.add_argument("--only", action="store_true", help="judge the borders nearkin has, look for no others")
    given = asked.parse_args()
    sources = [read(folder, given.most, given.cosine) for folder in given.folders]
    for intervals, variants in [] if given.only else given.shape or BORDERS:
        scheme = Fuzzy.parse(parse_spec(f"fuzzy:intervals={intervals},variants={variants}"))
        cost, borders = Search(sources, scheme, given.recall).run()
        say(f"({intervals}, {variants}): {borders!r}  # {cost:.4f} of all pairs\n".replace(str(NEVER), "NEVER"))
    scheme = Fuzzy.parse(parse_spec("fuzzy"))
    for left in sources if given.leave_out else []:
        _, borders = Search([source for source in sources if source is not left], scheme, given.recall).run()
        BORDERS[scheme.intervals, scheme.variants], kept = tuple(borders), BORDERS[scheme.intervals, scheme.variants]
        say("without " + judged(left.name, left.letters, left.pairs, scheme))
        BORDERS[scheme.intervals, scheme.variants] = kept
    say(f"{scheme.spec}\n")
    for source in sources:
        say(judged(source.name, source.letters, source.pairs, scheme))
        own = replace(scheme, reference=source.reference)
        say(judged("  its own reference", source.letters, source.pairs, own))
    say(judged("all", *together(sources), scheme))


def shape(text: str) -> tuple[int, int]:
    intervals, variants = map(int, text.split(","))
    return intervals, variants


def say(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
