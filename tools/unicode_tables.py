"""native/tables/unicode_tables.hpp: all that canonical text needs of Unicode 16."""

from functools import cache

import unicodedata2 as ucd

BLOCK = 128
TOP = 0x110000

# Kinds of code points, and the trie entries of those that canonical text leaves as they are.
SEPARATOR, PUNCTUATION, LETTER, NUMBER, MARK, DROP, JOINING_LETTER, JOINING_MARK = range(8)
ACCENT = 256  # + combining class: a mark that reorders but never composes
JOINING_ACCENT = 512  # + combining class: a mark that may compose with what is before it
STRINGS = 768  # + offset into the strings: everything that changes

# How the fast path may treat a code point that changes.
SLOW, MAPPED, MAPPED_MARK, MAPPED_SEPARATOR = range(4)
SAME = 15

DROPPED = {
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
    *range(0x180B, 0x1810),
    *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
}

# Case pairs of Unicode 16 that str.casefold of older Pythons does not know. There were none in 15.0 and 15.1.
NEW_FOLDS = {0x1C89: 0x1C8A, 0xA7CB: 0x0264, 0xA7CC: 0xA7CD, 0xA7DA: 0xA7DB, 0xA7DC: 0x019B} | {
    0x10D50 + i: 0x10D70 + i for i in range(22)
}


def casefold(text: str) -> str:
    return "".join(
        c if ucd.category(c) == "Cn" else chr(NEW_FOLDS[ord(c)]) if ord(c) in NEW_FOLDS else c.casefold() for c in text
    )


@cache
def dropped(char: str) -> bool:
    return ord(char) in DROPPED or ucd.category(char) == "Cf"


@cache
def decomposed(char: str, fold: bool) -> str:
    if not fold:
        text: str = ucd.normalize("NFKD", char)
    else:
        before, text = "", char
        while text != before:
            before, text = text, ucd.normalize("NFKD", casefold(ucd.normalize("NFKC", text)))
    return "".join(c for c in text if not dropped(c))


@cache
def kind(char: str) -> int:
    if dropped(char):
        return DROP
    category = ucd.category(char)
    by_letter = {"L": LETTER, "N": NUMBER, "M": MARK, "Z": SEPARATOR}
    return SEPARATOR if category == "Cc" else by_letter.get(category[0], PUNCTUATION)


def primary_composites() -> list[tuple[int, int, int]]:
    """(first, second, composite), without Hangul, which is arithmetic."""
    found = []
    for code in range(0x40000):
        parts = ucd.decomposition(chr(code)).split() if not 0xD800 <= code < 0xE000 else []
        if len(parts) == 2 and not parts[0].startswith("<") and ucd.normalize("NFC", chr(code)) == chr(code):
            found.append((int(parts[0], 16), int(parts[1], 16), code))
    return sorted(found)


class Tables:
    def __init__(self) -> None:
        self.composites = primary_composites()
        self.seconds = {chr(second) for _, second, _ in self.composites}
        self.seconds |= {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
        # The kernel takes a kept starter back when a mark follows it: composing must not change what it is.
        assert all(kind(chr(first)) == kind(chr(whole)) for first, _, whole in self.composites)
        self.strings: list[int] = []
        self.known: dict[tuple[int, ...], int] = {}
        self.index: list[int] = []
        self.blocks: list[int] = []
        seen: dict[tuple[int, ...], int] = {}
        for start in range(0, TOP, BLOCK):
            if 0x40000 <= start < 0xE0000:  # four planes hold all characters but a few at 0xE0000
                self.index.append(self.index[-1])
                continue
            block = tuple(self.entry(code) for code in range(start, start + BLOCK))
            if block not in seen:
                seen[block] = len(seen)
                self.blocks += block
            self.index.append(seen[block])

    def joins(self, char: str) -> bool:
        return ucd.combining(char) != 0 or char in self.seconds

    def entry(self, code: int) -> int:
        if 0xD800 <= code < 0xE000:
            return SEPARATOR
        char = chr(code)
        if 0xAC00 <= code < 0xAC00 + 11172:
            return LETTER
        folded, plain = decomposed(char, True), decomposed(char, False)
        if not folded and not plain:
            return DROP
        if folded == plain == char:
            return self.unchanged(char)
        return STRINGS + self.changed(char, folded, plain)

    def unchanged(self, char: str) -> int:
        order = ucd.combining(char)
        if order:
            assert kind(char) == MARK
            return (JOINING_ACCENT if char in self.seconds else ACCENT) + int(order)
        if char in self.seconds:
            return {LETTER: JOINING_LETTER, MARK: JOINING_MARK}[kind(char)]
        return kind(char)

    def changed(self, char: str, folded: str, plain: str) -> int:
        composed = ucd.normalize("NFC", folded)
        kinds = [kind(c) for c in composed]
        how = SLOW
        joins = self.joins(folded[0]) or self.joins(plain[0])
        if not joins:
            if all(k in (LETTER, NUMBER, MARK) for k in kinds) and not ucd.combining(composed[-1]):
                how = MAPPED_MARK if kinds[0] == MARK else MAPPED
            elif kinds[0] != MARK and all(k in (SEPARATOR, PUNCTUATION, MARK) for k in kinds):
                how = MAPPED_SEPARATOR  # when punctuation is ignored
        units = [utf16(text) for text in (folded, plain, composed)]
        same = units[1] == units[0]
        assert len(units[0]) < 32
        assert same or len(units[1]) < SAME
        # The kernel takes whatever changes for a starter, but for U+0345, which stays where case counts.
        assert not ucd.combining(char) or char == "\u0345" or char not in folded + plain
        header = (
            kind(char)
            | how << 3
            | (NUMBER in kinds) << 5
            | joins << 6
            | len(units[0]) << 7
            | (SAME if same else len(units[1])) << 12
        )
        record = [header, *units[0], *([] if same else units[1])]
        if how in (MAPPED, MAPPED_MARK) and len(folded) > 1:
            record += [len(units[2]), *units[2]]
        key = tuple(record)
        if key not in self.known:
            self.known[key] = len(self.strings)
            self.strings += record
        return self.known[key]


def utf16(text: str) -> list[int]:
    data = text.encode("utf-16-le")
    return [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]


def array(kind_of: str, name: str, values: list[int]) -> str:
    lines, line = [], ""
    for value in map(str, values):
        if len(line) + len(value) + 1 > 118:
            lines.append(line)
            line = ""
        line += value + ","
    return f"inline constexpr {kind_of} {name}[] = {{\n" + "\n".join([*lines, line]) + "\n};\n"


def header() -> str:
    tables = Tables()
    assert STRINGS + len(tables.strings) < 65536, len(tables.strings)
    return f"""\
// Made by tools/unicode_tables.py from Unicode {ucd.unidata_version}.
//
// kBlocks[kIndex[c / {BLOCK}] * {BLOCK} + c % {BLOCK}] is the entry of code point c.
// Below {STRINGS}, the code point stays as it is:
//   {SEPARATOR} separator, {PUNCTUATION} punctuation, {LETTER} letter, {NUMBER} number, {MARK} mark,
//   {DROP} dropped;
//   {JOINING_LETTER} letter and {JOINING_MARK} mark that may compose with what is before them;
//   {ACCENT} + class: a mark that never composes, {JOINING_ACCENT} + class: one that may.
// From {STRINGS} on, it is {STRINGS} + an offset into kStrings, where there are
//   a header: kind 3 bits; fast path 2 bits ({SLOW} slow, {MAPPED} mapped, {MAPPED_MARK} mapped mark,
//   {MAPPED_SEPARATOR} mapped separator); has a number 1 bit; joins 1 bit; length of D
//   with case folded 5 bits; length of NFKD 4 bits ({SAME}: the same as D);
//   D and, unless it is the same, NFKD in UTF-16;
//   for mapped ones of more than one character the length and the UTF-16 of the composed form.
// kComposites is sorted by first, then second.
#pragma once

#include <cstdint>

namespace nearkin::tables {{

struct Composite {{
  std::uint32_t first, second, whole;
}};

inline constexpr Composite kComposites[] = {{
{chr(10).join(f"{{{a},{b},{c}}}," for a, b, c in tables.composites)}
}};

{array("std::uint16_t", "kIndex", tables.index)}
{array("std::uint16_t", "kBlocks", tables.blocks)}
{array("std::uint16_t", "kStrings", tables.strings)}
}}  // namespace nearkin::tables
"""
