"""The Similarity Index from strings, as Roth 2011 §3 tells it; Soundex and the Rabin fingerprint are given."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

LUCENE = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
was will with
"""
STOP_WORDS = set(LUCENE.split())


@dataclass(frozen=True)
class Index:
    method: int
    stream: str
    variation: str
    k: int = 0
    w: int = 0
    seed: int = 0


def java_hash(text: str) -> int:
    """String.hashCode() over UTF-16."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0
    for at in range(0, len(units), 2):
        value = (31 * value + int.from_bytes(units[at : at + 2], "little")) % 2**32
    return value - 2**32 if value >= 2**31 else value


def stream(text: bytes, index: Index, soundex: Callable[[str], str | None]) -> list[str]:
    """Words, Soundex tokens, or characters (UTF-16 units, as Java has them)."""
    ascii_lower = text.lower()
    words = [word.decode("utf-8", "surrogateescape") for word in ascii_lower.split()]
    if index.variation in "BD":
        words = [word for word in words if word not in STOP_WORDS]
    if index.stream == "char":
        kept = "".join(words)
        if index.variation in "CD":
            kept = "".join(letter for letter in kept if letter not in "aeiou")
        units = kept.encode("utf-16-le", "surrogatepass")
        return [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    if index.stream == "soundex":
        words = [code for word in words if (code := soundex(word)) is not None]
    return list(dict.fromkeys(words)) if index.variation in "CD" else words


def grams(tokens: Sequence[str], k: int, between: str) -> list[int]:
    if not tokens:
        return []
    k = min(k, len(tokens))
    return [java_hash(between.join(tokens[at : at + k])) for at in range(len(tokens) - k + 1)]


def winnow(fingerprints: list[int], w: int) -> list[int]:
    places = []
    w = min(w, len(fingerprints))
    for start in range(len(fingerprints) - w + 1):
        window = range(start, start + w)
        place = min(window, key=lambda at: (fingerprints[at], -at), default=None)
        if place is not None and place not in places:
            places.append(place)
    return [fingerprints[place] for place in places]


def third(fingerprints: list[int], seed: int) -> list[int]:
    """Each with the chance of what is wanted among what is left."""
    kept: list[int] = []
    wanted, state = -(-len(fingerprints) // 3), seed
    for at, fingerprint in enumerate(fingerprints):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        if (z ^ z >> 31) % (len(fingerprints) - at) < wanted - len(kept):
            kept.append(fingerprint)
    return kept


def similarity_index(
    text: bytes, index: Index, soundex: Callable[[str], str | None], rabin: Callable[[bytes], int]
) -> int | None:
    tokens = stream(text, index, soundex)
    if index.method == 13:
        sketch = [java_hash(token) for token, _ in Counter(tokens).most_common(200)]
        return sum(sketch) if sketch else None
    fingerprints = grams(tokens, index.k, "" if index.stream == "char" else " ")
    if index.method == 14:
        while len(fingerprints) > 1:
            fingerprints = grams([str(one) for one in fingerprints], index.k, " ")
        return fingerprints[0] if fingerprints else None
    sketch = [
        lambda: fingerprints,
        lambda: [one for one in fingerprints if one % 25 == 0],
        lambda: winnow(fingerprints, index.w),
        lambda: sorted(fingerprints)[:400],
        lambda: sorted(fingerprints, reverse=True)[:400],
        lambda: third(fingerprints, index.seed),
    ][(index.method - 1) // 2]()
    if not sketch:
        return None
    if index.method % 2:
        return sum(sketch)
    hashed = rabin(b"".join(one.to_bytes(4, "big", signed=True) for one in sketch))
    return hashed - 2**64 if hashed >= 2**63 else hashed


def similar(one: int, other: int) -> bool:
    """Whether the other lies within 30 % of the first (§4.2); in whole numbers, as floats round."""
    return one == other or 10 * abs(other - one) < 3 * abs(one)
