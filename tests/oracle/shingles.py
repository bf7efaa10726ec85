"""Shingles as sets (Broder 1997 §2 and §3)."""

from dataclasses import dataclass
from functools import cache

from nearkin import _native
from oracle import rabin


@cache
def fingerprint(window: bytes) -> int:
    return rabin.fingerprint(window, _native.POLYNOMIAL)


def shingles(text: bytes, window: int) -> set[bytes]:
    """Every run of `window` bytes; a text shorter than that is compared whole, an empty one has none."""
    if len(text) < window:
        return {text} if text else set()
    return {text[i : i + window] for i in range(len(text) - window + 1)}


def resemblance(a: bytes, b: bytes, window: int) -> float:
    first, second = shingles(a, window), shingles(b, window)
    return len(first & second) / len(first | second)


def containment(a: bytes, b: bytes, window: int) -> float:
    """Of a in b."""
    first, second = shingles(a, window), shingles(b, window)
    return len(first & second) / len(first)


def covered(text: bytes, other: bytes, window: int) -> int:
    """Bytes of the text that lie in a shingle which the other text has too."""
    common = shingles(text, window) & shingles(other, window)
    inside: set[int] = set()
    for i in range(len(text)):
        if text[i : i + window] in common and (len(text) >= window or i == 0):
            inside.update(range(i, min(i + window, len(text))))
    return len(inside)


def adaptive_modulus(windows: int, sample: int, most: int) -> int:
    """2^i with the smallest i for which windows / 2^i ≤ sample, at most `most`."""
    i = 0
    while windows / (1 << i) > sample:
        i += 1
    return min(1 << i, most)


@dataclass(frozen=True)
class Sample:
    features: frozenset[int]
    modulus: int

    def at(self, modulus: int) -> frozenset[int]:
        if modulus == self.modulus:
            return self.features
        return frozenset(feature for feature in self.features if feature % modulus == 0)


def sampled(text: bytes, window: int, modulus: int) -> Sample:
    """The shingles whose fingerprint is 0 mod n. A text compared whole is always in its own sample."""
    all_features = {fingerprint(shingle) for shingle in shingles(text, window)}
    if len(text) >= window:
        all_features = {feature for feature in all_features if feature % modulus == 0}
    return Sample(frozenset(all_features), modulus)


def adaptively_sampled(text: bytes, window: int, sample: int, most: int) -> Sample:
    """By the length; and where less than a quarter of the sample comes of it, by the distinct shingles if these ask for
    less than half the modulus."""
    modulus = adaptive_modulus(max(1, len(text) - window + 1), sample, most)
    found = sampled(text, window, modulus)
    distinct = len(shingles(text, window))
    if 4 * len(found.features) < sample and distinct <= sample * (modulus // 2):
        return sampled(text, window, adaptive_modulus(distinct, sample, most))
    return found


def overlap(a: Sample, b: Sample) -> tuple[int, int, int]:
    """In common, of a, of b: at the larger modulus of the two."""
    modulus = max(a.modulus, b.modulus)
    first, second = a.at(modulus), b.at(modulus)
    return len(first & second), len(first), len(second)
