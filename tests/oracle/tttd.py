"""TTTD byte by byte, as Forman 2005 §2.2 describes it after Eshghi and Tang."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Tttd:
    window: int
    min: int
    max: int
    divisor: int
    backup: int
    residue: int


def cut(text: bytes, scheme: Tttd, fingerprint: Callable[[bytes], int]) -> list[bytes]:
    chunks: list[bytes] = []
    start = backup = 0
    at = 0
    while at < len(text):
        at += 1
        if at - start < scheme.min:
            continue
        if at >= scheme.window:  # the window is never reset at a boundary
            hashed = fingerprint(text[at - scheme.window : at])
            if hashed % scheme.divisor == scheme.residue:
                chunks.append(text[start:at])
                start, backup = at, 0
                continue
            if hashed % scheme.backup == scheme.residue % scheme.backup:
                backup = at
        if at - start == scheme.max:
            at = backup or at  # after a backup cut scanning goes on from there
            chunks.append(text[start:at])
            start, backup = at, 0
    if start < len(text):
        chunks.append(text[start:])
    return chunks


def shared_bytes(a: list[bytes], b: list[bytes]) -> int:
    """Forman 2005 §2.3: length · min(count in A, count in B), over the chunks of both."""
    return sum(len(chunk) * count for chunk, count in (Counter(a) & Counter(b)).items())
