"""A few texts of which some are alike, and what makes them so."""

import random
import string

MATCH_COLUMNS = [
    "a",
    "b",
    "resemblance",
    "a_in_b",
    "b_in_a",
    "payload",
    "shared_bytes",
    "exact",
    "low",
    "high",
    "verdict",
    "template",
    "payload_exact",
    "payload_low",
    "payload_high",
]
WINDOW = 20


def prose(seed: int, words: int = 300) -> str:
    dice = random.Random(seed)
    return " ".join("".join(dice.choices(string.ascii_lowercase, k=dice.randint(2, 9))) for _ in range(words))


def shingles(text: str) -> set[str]:
    """The oracle's canonical text is the text itself: lower-case words and single spaces."""
    return {text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)}


def few_texts() -> list[str]:
    first, second = prose(1), prose(2)
    changed = first.split()
    changed[50:53] = ["quite", "another", "end"]
    return [first, " ".join(changed), first, second, f"{second} {prose(3)}", prose(4), "", "", "tiny"]
