"""The words of two stretches of text, each marked: in both, in one only, moved elsewhere or there once more.

Rows of two texts side by side, word by word, as the screen and the page show them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, takewhile

from nearkin.matching.passages import LEAST, word_edits
from nearkin.query.alignment import AlignedBlock, Alignment
from nearkin.text.canon import Canon

MANY = 20_000  # words of a stretch; beyond, all of it is marked
FEW = 1_000  # edits within one stretch
SENTENCE = 100  # characters that stand once more; fewer recur by chance and by habit

# Scripts that write without spaces: South-East Asian, kana, Han. There each letter is a word, with its marks.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
WORD = re.compile(rf"[{UNSPACED}][{MARKS}\u0300-\u036f\ufe00-\ufe0f\U000e0100-\U000e01ef]*|[^\s{UNSPACED}]+")
LETTER = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int
    changed: bool
    moved: int | None = None  # the number of the passage it was moved with
    again: int | None = None  # the number of a passage that stands elsewhere in the other text, too


def words_of(text: str, start: int, end: int) -> list[Word]:
    return [Word(one[0], one.start(), one.end(), False) for one in WORD.finditer(text, start, end)]


def is_unspaced(char: str) -> bool:
    """Whether a letter is a word of its own."""
    return char >= "\u0e00" and LETTER.match(char) is not None


def unit(words: Sequence[Word]) -> str:
    """What is counted, in a text with words like these."""
    return "characters" if 2 * sum(is_unspaced(word.text[0]) for word in words) > len(words) else "words"


def joined(words: Iterable[Word]) -> str:
    """With a space where there is one in the text."""
    text, end = "", None
    for word in words:
        text += word.text if end is None or end == word.start else f" {word.text}"
        end = word.end
    return text


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


class Elsewhere:
    """Stretches of one text that stand elsewhere in the other, by the numbers of their passages."""

    def __init__(self, alignment: Alignment, *, of_a: bool) -> None:
        self._repeated = alignment.repeated
        self._ranges = sorted(
            (one.a_start, one.a_end, number) if of_a else (one.b_start, one.b_end, number)
            for number, one in alignment.elsewhere.items()
        )
        self._reach = list(accumulate((end for _, end, _ in self._ranges), max))

    def numbers(self, start: int, end: int) -> list[int]:
        """Of those that begin here."""
        at = bisect_left(self._ranges, (start,))
        return [number for _, _, number in takewhile(lambda one: one[0] < end, islice(self._ranges, at, None))]

    def marked(self, words: Sequence[Word], start: int, end: int) -> list[Word]:
        """Words of this stretch. Of a passage that only reaches into it too little is here to be told."""
        at = bisect_right(self._reach, start)
        inside = list(takewhile(lambda one: one[0] < end, islice(self._ranges, at, None)))

        def told(repeated: bool, least: int) -> list[int | None]:
            ranges = [
                one
                for one in inside
                if (one[2] in self._repeated) == repeated and min(one[1], end) - max(one[0], start) >= least
            ]
            return _numbered(words, ranges)

        moved, again = told(False, LEAST), told(True, SENTENCE)
        return [replace(word, moved=one, again=other) for word, one, other in zip(words, moved, again, strict=True)]


def _numbered(words: Sequence[Word], ranges: list[tuple[int, int, int]]) -> list[int | None]:
    found: list[int | None] = []
    at = 0
    for word in words:
        while at < len(ranges) and ranges[at][1] <= word.start:
            at += 1
        found.append(ranges[at][2] if at < len(ranges) and ranges[at][0] < word.end else None)
    return found


FEW_WORDS = 10  # words that are shown rather than counted


@dataclass(frozen=True)
class Row:
    """One block: both sides in words. Where they are the same, long ones are shortened to their ends."""

    block: AlignedBlock
    a: list[Word]
    b: list[Word]
    left_out: int = 0  # words in the middle of either side


def rows(alignment: Alignment, a: str, b: str, canon: Canon, *, ends: int | None = None) -> Iterator[Row]:
    """Of texts in whose characters the alignment counts. `ends`: of what is the same only so many words at either
    end."""
    if not canon.raw:
        alignment = replace(alignment, blocks=list(_whole_words(alignment.blocks, a, b)))
    of_a, of_b = Elsewhere(alignment, of_a=True), Elsewhere(alignment, of_a=False)
    for block in alignment.blocks:
        if block.same:
            (first, left_out), (second, _) = (
                _ends(text, start, end, ends)
                for text, start, end in ((a, block.a_start, block.a_end), (b, block.b_start, block.b_end))
            )
            yield Row(block, first, second, left_out)
            continue
        first = of_a.marked(words_of(a, block.a_start, block.a_end), block.a_start, block.a_end)
        second = of_b.marked(words_of(b, block.b_start, block.b_end), block.b_start, block.b_end)
        if first or second:
            yield Row(block, *marked(first, second, canon))


def _ends(text: str, start: int, end: int, ends: int | None) -> tuple[list[Word], int]:
    if ends is None:
        return words_of(text, start, end), 0
    room = 40 * ends  # characters that surely hold so many words, or the words are too long to be shown
    if end - start <= 2 * room:
        words = words_of(text, start, end)
        if len(words) <= 2 * ends + FEW_WORDS:
            return words, 0
        return words[:ends] + words[-ends:], len(words) - 2 * ends
    head, tail = words_of(text, start, start + room), words_of(text, end - room, end)
    middle = sum(1 for _ in WORD.finditer(text, start, end)) - min(ends, len(head)) - min(ends, len(tail))
    return head[:ends] + tail[-ends:], max(middle, 1)


def _whole_words(blocks: list[AlignedBlock], a: str, b: str) -> Iterator[AlignedBlock]:
    """What is the same, without words that only begin or end alike, with the punctuation around it."""
    at_a = at_b = 0
    for block in blocks:
        if not block.same:
            continue
        a_start, b_start = _started(a, block.a_start, at_a), _started(b, block.b_start, at_b)
        if a_start is None or b_start is None:
            a_start, b_start = _next_word(a, block.a_start, block.a_end), _next_word(b, block.b_start, block.b_end)
        if a_start >= block.a_end or b_start >= block.b_end:
            continue  # it began and ended within one word
        a_end, b_end = _ended(a, block.a_end), _ended(b, block.b_end)
        if a_end is None or b_end is None:
            a_end, b_end = _word_before(a, a_start, block.a_end), _word_before(b, b_start, block.b_end)
        if a_start >= a_end or b_start >= b_end:
            continue
        if a_start > at_a or b_start > at_b:
            yield AlignedBlock(False, at_a, a_start, at_b, b_start)
        yield AlignedBlock(True, a_start, a_end, b_start, b_end, block.passage)
        at_a, at_b = a_end, b_end
    if len(a) > at_a or len(b) > at_b:
        yield AlignedBlock(False, at_a, len(a), at_b, len(b))


def _started(text: str, start: int, least: int) -> int | None:
    """Where the marks before a word begin; None: it begins within one."""
    alone = is_unspaced(text[start])
    while start > least and not text[start - 1].isspace() and not is_unspaced(text[start - 1]):
        if text[start - 1].isalnum():
            return start if alone else None
        start -= 1
    return start


def _ended(text: str, end: int) -> int | None:
    alone = is_unspaced(text[end - 1])
    while end < len(text) and not text[end].isspace() and not is_unspaced(text[end]):
        if text[end].isalnum():
            return end if alone else None
        end += 1
    return end


def _next_word(text: str, start: int, end: int) -> int:
    while start < end and not text[start].isspace() and not is_unspaced(text[start]):
        start += 1
    return start


def _word_before(text: str, start: int, end: int) -> int:
    while end > start and not text[end - 1].isspace() and not is_unspaced(text[end - 1]):
        end -= 1
    return end
