"""What a text would take with it, character by character, as the words of group/certificate.py say it."""

import re
import unicodedata

WINDOW = 20


def covered(text: bytes, others: list[bytes]) -> list[bool]:
    """By byte: whether it lies in a run of 20 bytes that another text holds."""
    found = [False] * len(text)
    if len(text) < WINDOW:
        return [any(text in other for other in others)] * len(text)
    for start in range(len(text) - WINDOW + 1):
        if any(text[start : start + WINDOW] in other for other in others):
            found[start : start + WINDOW] = [True] * WINDOW
    return [one and not broken for one, broken in zip(found, breaks(text, others), strict=True)]


def breaks(text: bytes, others: list[bytes]) -> list[bool]:
    """Bytes that are in every window of a gap, where the bytes before and after it are in some other text."""
    there = [any(text[at : at + WINDOW] in other for other in others) for at in range(len(text) - WINDOW + 1)]
    found = [False] * len(text)
    for first in range(1, len(there)):
        if there[first - 1] and not there[first] and True in there[first:]:
            gap = range(first, there.index(True, first))
            for at in range(len(text)):
                found[at] |= all(start <= at < start + WINDOW for start in gap)
    return found


def characters(text: str, mask: list[bool]) -> list[bool]:
    found, at = [], 0
    for char in text:
        size = len(char.encode())
        found.append(all(mask[at : at + size]))
        at += size
    return found


def folded(text: str) -> list[tuple[str, str]]:
    """What was there and what stands there instead, character by character where nothing was changed."""
    found: list[tuple[str, str]] = []
    for piece in re.findall(r"\s+|\S+", text):
        instead = " " if piece.isspace() else unicodedata.normalize("NFC", piece)
        found += [(piece, instead)] if piece != instead else [(char, char) for char in piece]
    return found


def fold(text: str) -> bytes:
    return "".join(instead for _, instead in folded(text)).encode()


def read(text: str, mask: list[bool]) -> list[bool]:
    """A mask of the folded text's bytes by the characters of the text."""
    found, at = [], 0
    for piece, instead in folded(text):
        size = len(instead.encode())
        found += [all(mask[at : at + size])] * len(piece)
        at += size
    return found


def certificate(text: str, kept: str, others: list[str]) -> tuple[int, int, int]:
    """Characters that the kept text lacks; of them those that it has but for spacing; and those that nobody has. The
    others are distinct, and unlike the text and the kept one."""

    def lacks(one: str) -> bool:
        return not all(covered(one.encode(), [kept.encode()]))

    def held(by: list[str]) -> list[bool]:
        return characters(text, covered(text.encode(), [one.encode() for one in by]))

    def reads(by: list[str]) -> list[bool]:
        return read(text, covered(fold(text), [fold(one) for one in by]))

    short, plain_short = len(text.encode()) < WINDOW, len(fold(text)) < WINDOW
    missing = [not one for one in held([kept])]
    there = reads([kept])
    anywhere = held([kept] if short else [kept, *others])
    somewhere = reads([kept] if plain_short else [kept, *filter(lacks, others)])
    alone = [a and not b and not c for a, b, c in zip(missing, anywhere, somewhere, strict=True)]
    return sum(missing), sum(a and b for a, b in zip(missing, there, strict=True)), sum(alone)
