"""Terms, their letters and their cosine, by their definitions (Stein 2005 §3)."""

import math
import re
from collections import Counter
from functools import cache
from pathlib import Path

from oracle import canon

TABLE = Path(__file__).resolve().parents[2] / "native" / "tables" / "stop_words.hpp"
FILED_UNDER = dict(zip("æðøþđħıĸłŋœŧ", "adotdhiklnot", strict=True))


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """As the table lists them, language by language."""
    entries = re.findall(r'\{"(\w\w)",((?:\s*"[^"]*")+)\}', TABLE.read_text("utf-8"))
    return {language: frozenset(" ".join(re.findall(r'"([^"]*)"', body)).split()) for language, body in entries}


def terms(text: str) -> list[str]:
    words = canon.canonical(text, canon.DEFAULT | canon.ACCENTS).split()
    words = [word for word in words if len(word) > 1 or ord(word) >= 0x800]
    chosen = stop_words()["en"]
    for some in stop_words().values():
        if sum(word in some for word in words) > sum(word in chosen for word in words) and len(some & set(words)) >= 4:
            chosen = some
    return [word for word in words if word not in chosen]


def first_letter(term: str) -> str | None:
    letter = FILED_UNDER.get(term[0], term[0])
    return letter if "a" <= letter <= "z" else None


def letter_counts(text: str) -> Counter[str]:
    return Counter(letter for letter in map(first_letter, terms(text)) if letter)


def cosine(a: str, b: str) -> float:
    first, second = Counter(terms(a)), Counter(terms(b))
    product = sum(count * second[term] for term, count in first.items())
    return product / math.sqrt(sum(n * n for n in first.values()) * sum(n * n for n in second.values()))
