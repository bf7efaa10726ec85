"""Shingles of any unit, by definition (Broder 1997 §2), and their fingerprints."""

import re
from collections import Counter

from nearkin import _native
from oracle import rabin
from oracle.soundex import soundex

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
BAD_BYTE = 0x110000

Unit = tuple[bytes, int]  # what it is told apart by, and where it begins
Shingle = tuple[tuple[bytes, ...], int, int]  # its units, where it begins, its occurrence


def units(text: bytes, unit: str) -> list[Unit]:
    match unit:
        case "byte":
            return [(text[i : i + 1], i) for i in range(len(text))]
        case "char":
            found, at = [], 0
            for char in text.decode("utf-8", "surrogateescape"):
                piece = char.encode("utf-8", "surrogateescape")
                found.append((piece, at))
                at += len(piece)
            return found
        case "word":
            return [(m[0], m.start()) for m in re.finditer(rb"[^ \t-\r]+", text)]
        case "line":
            return [(m[0], m.start()) for m in re.finditer(rb"[^\r\n]+", text)]
        case "soundex":
            codes = [(soundex(word.decode("utf-8", "replace")), at) for word, at in units(text, "word")]
            return [(code.encode(), at) for code, at in codes if code]
    raise AssertionError(unit)


def shingles(text: bytes, unit: str, window: int) -> list[Shingle]:
    """In order of the text. The occurrence counts from 1; a text of fewer units than the window is one shingle."""
    all_units = units(text, unit)
    width = min(window, len(all_units))
    seen = Counter[tuple[bytes, ...]]()
    found = []
    for i in range(len(all_units) - width + 1 if all_units else 0):
        piece = tuple(name for name, _ in all_units[i : i + width])
        seen[piece] += 1
        found.append((piece, all_units[i][1], seen[piece]))
    return found


def shingle_set(text: bytes, unit: str, window: int, *, label: bool) -> set[object]:
    """Option A with labels, option B without."""
    found = shingles(text, unit, window)
    return {(piece, k) for piece, _, k in found} if label else {piece for piece, _, _ in found}


def mix(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def value(name: bytes, unit: str) -> int:
    match unit:
        case "char":
            char = name.decode("utf-8", "surrogateescape")
            return BAD_BYTE + name[0] if 0xDC80 <= ord(char) <= 0xDCFF else ord(char)
        case "soundex":
            return int.from_bytes(name)
    return mix(rabin.fingerprint(name, _native.POLYNOMIAL))


def fingerprint(piece: tuple[bytes, ...], occurrence: int, unit: str, *, label: bool, seed: int, bits: int) -> int:
    text = b"".join(piece) if unit == "byte" else b"".join(value(name, unit).to_bytes(8) for name in piece)
    found = rabin.fingerprint(text, _native.POLYNOMIAL)
    if label:
        found = mix((found + occurrence * GOLDEN) & MASK)
    if seed:
        found = mix((found ^ mix(seed)) * (mix((seed + GOLDEN) & MASK) | 1) & MASK)
    return found & (1 << bits) - 1
