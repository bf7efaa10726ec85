"""Chunks of windows, each named by its smallest fingerprint (Cherkasova 2009 §2)."""

from collections.abc import Sequence


def chunks(fingerprints: Sequence[int], n: int) -> list[list[int]]:
    """Windows after the last boundary through this one; what is left after the last is a chunk too."""
    found: list[list[int]] = []
    chunk: list[int] = []
    for fingerprint in fingerprints:
        chunk.append(fingerprint)
        if fingerprint % n == 0:
            found.append(chunk)
            chunk = []
    return [*found, chunk] if chunk else found


def minima(fingerprints: Sequence[int], n: int) -> list[int]:
    return [min(chunk) for chunk in chunks(fingerprints, n)]
