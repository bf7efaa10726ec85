"""Text with the entropy of English, from a seed: texts repeat words of one vocabulary, but no sentences."""

import random
from itertools import accumulate

LETTERS = "etaoinshrdlucmfwypvbgk"
VOCABULARY = 2000
_dice = random.Random("vocabulary")
LEXICON = ["".join(_dice.choices(LETTERS, k=_dice.randint(2, 9))) for _ in range(VOCABULARY)]
WEIGHTS = list(accumulate(1 / (10 + rank) for rank in range(VOCABULARY)))


def words(seed: int, count: int) -> list[str]:
    return random.Random(seed).choices(LEXICON, cum_weights=WEIGHTS, k=count)


def prose(seed: int, size: int) -> bytes:
    """Exactly so many bytes."""
    return " ".join(words(seed, size // 3 + 10)).encode()[:size]
