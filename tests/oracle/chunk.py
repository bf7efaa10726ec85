"""The basic sliding window algorithm, Forman 2005 §2.2, and the permutation of fingerprints a seed stands for."""

from collections.abc import Callable

ALL_BITS = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def cut(text: bytes, *, window: int, divisor: int, residue: int, fingerprint: Callable[[bytes], int]) -> list[bytes]:
    ends = [k for k in range(window, len(text)) if fingerprint(text[k - window : k]) % divisor == residue]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True) if end > start]


def mix(value: int) -> int:
    """The finaliser of splitmix64 (Stafford's variant 13)."""
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & ALL_BITS
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & ALL_BITS
    return value ^ value >> 31


def permuted(value: int, seed: int) -> int:
    if seed == 0:
        return value
    times = mix((seed + GOLDEN) & ALL_BITS) | 1
    return mix(((value ^ mix(seed)) * times) & ALL_BITS)
