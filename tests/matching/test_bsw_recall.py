"""What is found by signatures that leave shingles out without a theory of their error: bsw (decision 008)."""

import random
from itertools import combinations

import pytest

import nearkin
from oracle.prose import prose
from oracle.shingles import shingles

WINDOW = 20


def edited(text: bytes, edits: int, dice: random.Random) -> bytes:
    words = text.split(b" ")
    for _ in range(edits):
        words[dice.randrange(len(words))] = b"renamed"
    return b" ".join(words)


def families(size: int) -> list[list[bytes]]:
    """A text, versions of it with ever more edits, and one half of it."""
    found = []
    for seed in range(20):
        dice = random.Random(seed)
        text = prose(seed, size)
        found.append([text, *(edited(text, size * step // 1200, dice) for step in (1, 2, 3, 4, 6)), text[: size // 2]])
    return found


def measured(size: int) -> dict[tuple[int, int], tuple[float, float]]:
    """Exact resemblance, and containment of the lesser in the other, of any two of a family."""
    scores = {}
    for number, family in enumerate(families(size)):
        sets = [shingles(text, WINDOW) for text in family]
        for (i, a), (j, b) in combinations(enumerate(sets, number * len(family)), 2):
            shared = len(a & b)
            scores[i, j] = shared / len(a | b), shared / min(len(a), len(b))
    return scores


@pytest.mark.parametrize("threshold", [0.7, 0.85])
@pytest.mark.parametrize(("size", "n"), [(600, 50), (1500, 100), (6000, 100), (6000, 300)])
def test_recall_of_pairs_whose_edits_are_spread(size: int, n: int, threshold: float) -> None:
    texts = [text for family in families(size) for text in family]
    found = nearkin.match(texts, threshold=threshold, scheme=f"bsw:window=20,n={n}", raw=True).to_pylist()
    reported = {(row["a"], row["b"]) if row["a"] < row["b"] else (row["b"], row["a"]): row for row in found}
    scores = measured(size)
    alike = {pair for pair, (resemblance, _) in scores.items() if resemblance >= threshold}
    parts = {pair for pair, (_, containment) in scores.items() if containment >= 0.9}
    assert len(alike) > 50
    assert len(parts) > 20
    assert len(alike.intersection(reported)) / len(alike) >= 0.97
    assert len(parts.intersection(reported)) / len(parts) >= 0.97
    for pair, row in reported.items():
        assert row["exact"]
        assert row["resemblance"] == scores[pair][0]
