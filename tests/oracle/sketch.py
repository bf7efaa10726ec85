"""Sketches as Dahlgaard, Knudsen and Thorup 2017 write them: every shingle is thrown until every slot has one."""

from collections.abc import Iterable

MASK = (1 << 64) - 1


def splitmix64(start: int, step: int) -> int:
    """The number `step` (from 0) of the generator started there (Steele, Lea and Flood 2014)."""
    value = (start + (step + 1) * 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def sketch(fingerprints: Iterable[int], n: int) -> list[int]:
    """What each of the n slots holds: the lowest throw of the first round in which one landed there."""
    shingles = set(fingerprints)
    slots: dict[int, int] = {}
    step = 0
    while shingles and len(slots) < n:
        landed: dict[int, int] = {}
        for shingle in shingles:
            number = splitmix64(shingle, step)
            slot = (number >> 32) * n >> 32
            landed[slot] = min(number, landed.get(slot, number))
        slots = landed | slots
        step += 1
    return [slots[slot] for slot in sorted(slots)]
