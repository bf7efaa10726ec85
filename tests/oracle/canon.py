"""Canonical text by its definition, step by step (docs/decisions/003-canonical-text.md)."""

from functools import cache

import unicodedata2 as ucd

CASE, PUNCTUATION, DIGITS, ACCENTS = 1, 2, 4, 8
DEFAULT = CASE | PUNCTUATION

INVISIBLE = {
    0x34F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    *range(0x180B, 0x1810),
    0x3164,
    *range(0xFE00, 0xFE10),
    0xFFA0,
}
INVISIBLE |= set(range(0xE0100, 0xE01F0))
ACCENT_BLOCKS = ((0x300, 0x36F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF))


@cache
def casefold(char: str) -> str:
    """str.casefold of Unicode 16, also in a Python that knows an earlier one."""
    code = ord(char)
    if 0x10D50 <= code <= 0x10D65:
        return chr(code + 0x20)
    return {0x1C89: "\u1c8a", 0xA7CB: "\u0264", 0xA7CC: "\ua7cd", 0xA7DA: "\ua7db", 0xA7DC: "\u019b"}.get(
        code, char.casefold()
    )


@cache
def decomposed(char: str, ignore: int) -> str:
    if not ignore & CASE:
        return str(ucd.normalize("NFKD", char))
    before, text = "", char
    while text != before:
        before = text
        text = ucd.normalize("NFKD", "".join(map(casefold, ucd.normalize("NFKC", text))))
    return text


@cache
def removed(char: str, ignore: int) -> bool:
    if ucd.category(char) == "Cf" or ord(char) in INVISIBLE:
        return True
    accent = ucd.category(char) == "Mn" and any(low <= ord(char) <= high for low, high in ACCENT_BLOCKS)
    return accent and bool(ignore & ACCENTS)


@cache
def stays(char: str, ignore: int) -> bool:
    category = ucd.category(char)
    if category[0] == "N":
        return not ignore & DIGITS
    if category[0] in "ZM" or category == "Cc":
        return False
    return category[0] == "L" or not ignore & PUNCTUATION


def composed(text: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """NFC, one starter and its marks at a time, so that origins are known: all have that of their starter."""
    clusters: list[tuple[str, int]] = []
    for char, origin in text:
        if clusters and (ucd.combining(char) or len(ucd.normalize("NFC", clusters[-1][0] + char)) == 1):
            clusters[-1] = clusters[-1][0] + char, clusters[-1][1]
        else:
            clusters.append((char, origin))
    whole = [(char, origin) for cluster, origin in clusters for char in ucd.normalize("NFC", cluster)]
    assert "".join(char for char, _ in whole) == ucd.normalize("NFC", "".join(char for char, _ in text))
    return whole


def canonical_map(text: str, ignore: int = DEFAULT) -> tuple[str, list[int]]:
    """The canonical text, and for each of its characters the index of the character it came from."""
    parts = [(d, i) for i, char in enumerate(text) for d in decomposed(char, ignore) if not removed(d, ignore)]
    kept: list[tuple[str, int]] = []
    for char, origin in composed(parts):
        after_kept = bool(kept) and kept[-1][0] != " "
        if stays(char, ignore) or (ucd.category(char)[0] == "M" and after_kept):
            kept.append((char, origin))
        elif after_kept:
            kept.append((" ", origin))
    if kept and kept[-1][0] == " ":
        kept.pop()
    return "".join(char for char, _ in kept), [origin for _, origin in kept]


def canonical(text: str, ignore: int = DEFAULT) -> str:
    return canonical_map(text, ignore)[0]
