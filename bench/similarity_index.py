"""Roth 2011's evaluation (§4 and §5) of the Similarity Index, over a folder of documents whose families are known.

    python -m bench.similarity_index FOLDER                  Table 9's five
    python -m bench.similarity_index FOLDER si:tracking=43B  these
    python -m bench.similarity_index FOLDER --all            all 656 combinations of Table 5's runs, the best ten

The folder holds the documents and truth.json, whose `families` lists their names, one list a family. Every document
is compared with every document, itself too: a hit within a family is correct, one outside a false positive, a miss
within a family a false negative, and the score is correct / (false positives + false negatives).
"""

import argparse
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

from bench.table import table
from nearkin import sign
from nearkin.scheme import parse_scheme
from nearkin.scheme.similarity_index import STREAMS, VARIATIONS, range_of

# Table 9, and what it says of each: false positives, false negatives, correct, score.
PAPER = {
    "si:tracking=43B,k=40": "0 10 35 3.50",
    "si:tracking=47C,k=40": "14 5 40 2.11",
    "si:tracking=43B,k=4": "3 13 32 2.00",
    "si:tracking=3B,k=16": "8 10 35 1.94",
    "si:tracking=21B,k=40": "2 14 31 1.94",
}
RUNS = ((4, 5), (8, 12), (16, 25), (40, 100))  # k and w (Table 5)


class Score(NamedTuple):
    false_positives: int
    false_negatives: int
    correct: int

    @property
    def value(self) -> float:
        return self.correct / max(self.false_positives + self.false_negatives, 1)

    def __str__(self) -> str:
        return f"{self.false_positives} {self.false_negatives} {self.correct} {self.value:.2f}"


def documents(folder: Path) -> dict[str, tuple[int, str]]:
    """Family and text by name. A binary file is read as the paper's Java did, byte by byte."""
    families = json.loads((folder / "truth.json").read_text())["families"]
    return {name: (at, text_of(folder / name)) for at, names in enumerate(families) for name in names}


def text_of(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def score(known: dict[str, tuple[int, str]], spec: str) -> Score:
    numbers = {name: sign(text, spec).features.astype("i8").tolist() for name, (_, text) in known.items()}
    expected = hits = correct = 0
    for a, b in product(known, known):
        related = known[a][0] == known[b][0]
        # An empty sketch has no number and is like nothing, not even itself.
        low, high = range_of(numbers[a][0]) if numbers[a] else (1, 0)
        hit = bool(numbers[b]) and low <= numbers[b][0] <= high
        expected += related
        hits += hit
        correct += related and hit
    return Score(hits - correct, expected - correct, correct)


def combinations() -> Iterator[str]:
    for (k, w), stream, method, variation in product(RUNS, STREAMS, range(1, 15), VARIATIONS):
        if method == 13 and stream == "char":
            continue
        keys = f"si:method={method},stream={stream},variation={variation}"
        keys += "" if method == 13 else f",k={k}"
        yield keys + (f",w={w}" if method in (5, 6) else "")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    options.add_argument("folder", type=Path)
    options.add_argument("specs", nargs="*", default=list(PAPER))
    options.add_argument("--all", action="store_true")
    given = options.parse_args()
    known = documents(given.folder)
    columns = ["scheme", "fp fn correct score", "paper"]
    if not given.all:
        rows = [[parse_scheme(spec).spec, str(score(known, spec)), PAPER.get(spec, "")] for spec in given.specs]
        print(table(columns, rows))
        return
    scored = sorted(((score(known, spec), spec) for spec in combinations()), key=lambda scored: -scored[0].value)
    named = {parse_scheme(spec).spec: figures for spec, figures in PAPER.items()}
    print(table(columns, [[spec, str(result), named.get(spec, "")] for result, spec in scored[:10]]))
    print(f"{len(scored)} combinations, {sum(found.value > 1 for found, _ in scored)} score over 1 (paper: 104 of 672)")


if __name__ == "__main__":
    main()
