"""The words of two stretches of text, each marked: in both, in one only, or moved elsewhere."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nearkin.matching.passages import Passage
from nearkin.matching.word_edits import word_edits
from nearkin.text.canon import Canon

MANY = 20_000  # words of a stretch; beyond, all of it is marked
FEW = 1_000  # edits within one stretch
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int
    changed: bool
    moved: int | None = None  # the number of the passage it was moved with


def words_of(text: str, start: int, end: int) -> list[Word]:
    return [Word(one[0], one.start(), one.end(), False) for one in WORD.finditer(text, start, end)]


def marked(a: Sequence[Word], b: Sequence[Word], canon: Canon) -> tuple[list[Word], list[Word]]:
    """Words are alike where their canonical forms are. What was moved, or has none, as a dash, never differs."""
    first, second = ([_key(word, canon) for word in side if word.moved is None] for side in (a, b))
    changed = _changed(first, second)
    return _with_changes(a, first, changed[0]), _with_changes(b, second, changed[1])


def _with_changes(words: Sequence[Word], keys: list[bytes], changed: set[int]) -> list[Word]:
    differs = iter([at in changed and key != EMPTY for at, key in enumerate(keys)])
    return [word if word.moved is not None else replace(word, changed=next(differs)) for word in words]


EMPTY = b"\x01"


def _key(word: Word, canon: Canon) -> bytes:
    if canon.raw:
        return word.text.encode("utf-8", "surrogateescape")
    return canon.apply(word.text.encode("utf-8", "replace")).replace(b" ", b"\x02").replace(b"\n", b"\x02") or EMPTY


def _changed(a: list[bytes], b: list[bytes]) -> tuple[set[int], set[int]]:
    everything = set(range(len(a))), set(range(len(b)))
    if len(a) + len(b) > MANY or not a or not b:
        return everything
    first, second = b" ".join(a), b" ".join(b)
    found = word_edits(first, second, most=FEW)
    if found is None:
        return everything
    before, after = _numbers(a), _numbers(b)
    one: set[int] = set()
    other: set[int] = set()
    for edit in found.edits:
        one |= _range(first, edit.a_start, edit.a_end, before)
        other |= _range(second, edit.b_start, edit.b_end, after)
    return one, other


def _range(text: bytes, start: int, end: int, numbers: dict[int, int]) -> set[int]:
    if start == end:
        return set()
    return set(range(numbers[start], numbers[start] + text.count(b" ", start, end) + 1))


def _numbers(keys: list[bytes]) -> dict[int, int]:
    """The number of the word that begins at a byte."""
    found, at = {}, 0
    for number, key in enumerate(keys):
        found[at] = number
        at += len(key) + 1
    return found


def with_moved(words: Sequence[Word], moved: dict[int, tuple[int, int]]) -> list[Word]:
    """Where each of these ranges begins and ends in the text, by the number of its passage."""
    ranges = sorted((start, end, number) for number, (start, end) in moved.items())
    found, at = [], 0
    for word in words:
        while at < len(ranges) and ranges[at][1] <= word.start:
            at += 1
        inside = at < len(ranges) and ranges[at][0] < word.end
        found.append(replace(word, moved=ranges[at][2]) if inside else word)
    return found


def moved_in(moved: dict[int, Passage], *, of_a: bool) -> dict[int, tuple[int, int]]:
    if of_a:
        return {number: (one.a_start, one.a_end) for number, one in moved.items()}
    return {number: (one.b_start, one.b_end) for number, one in moved.items()}
