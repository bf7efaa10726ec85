"""Two aligned texts side by side as rows of marked words, for the screen and the comparison page.

A word is in both texts, in one only (changed), moved with a passage, or changed here though its passage stands
elsewhere in the other text, too.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, takewhile

from nearkin.matching.passages import LEAST, word_edits
from nearkin.query.alignment import AlignedBlock, Alignment
from nearkin.text.canon import Canon

MANY = 20_000  # words of a stretch; all words of longer ones are marked as changed
FEW = 1_000  # edits within one stretch; beyond, all words are marked
SENTENCE = 100  # characters of a repeated passage that is marked; shorter ones recur by chance

# Scripts without spaces between words: South-East Asian, kana, Han. Each letter with its marks counts as a word.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
MARKS = "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
WORD = re.compile(rf"[{UNSPACED}][{MARKS}\u0300-\u036f\ufe00-\ufe0f\U000e0100-\U000e01ef]*|[^\s{UNSPACED}]+")
LETTER = re.compile(f"[{UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its place in the text, and its marks."""

    text: str
    start: int
    end: int
    changed: bool
    moved: int | None = None  # number of the passage that it was moved with
    again: int | None = None  # number of its passage that stands elsewhere in the other text, too


def words_of(text: str, start: int, end: int) -> list[Word]:
    return [Word(match[0], match.start(), match.end(), False) for match in WORD.finditer(text, start, end)]


def is_unspaced(char: str) -> bool:
    """Whether a letter is a word of its own."""
    return char >= "\u0e00" and LETTER.match(char) is not None


def unit(words: Sequence[Word]) -> str:
    """Return what is counted in a text with words like these: words, or characters in scripts without spaces."""
    return "characters" if 2 * sum(is_unspaced(word.text[0]) for word in words) > len(words) else "words"


def joined(words: Iterable[Word]) -> str:
    """Join words with a space where the text has one."""
    text, end = "", None
    for word in words:
        text += word.text if end is None or end == word.start else f" {word.text}"
        end = word.end
    return text


def marked(a: Sequence[Word], b: Sequence[Word], canon: Canon) -> tuple[list[Word], list[Word]]:
    """Mark the changed words of two stretches. Words are equal where their canonical forms are. A moved word, or one
    without a canonical form such as a dash, is never changed."""
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
    """Return the numbers of the words of each side that are not in the other."""
    everything = set(range(len(a))), set(range(len(b)))
    if len(a) + len(b) > MANY or not a or not b:
        return everything
    first, second = b" ".join(a), b" ".join(b)
    result = word_edits(first, second, most=FEW)
    if result is None:
        return everything
    before, after = _numbers(a), _numbers(b)
    changed_a: set[int] = set()
    changed_b: set[int] = set()
    for edit in result.edits:
        changed_a |= _range(first, edit.a_start, edit.a_end, before)
        changed_b |= _range(second, edit.b_start, edit.b_end, after)
    return changed_a, changed_b


def _range(text: bytes, start: int, end: int, numbers: dict[int, int]) -> set[int]:
    if start == end:
        return set()
    return set(range(numbers[start], numbers[start] + text.count(b" ", start, end) + 1))


def _numbers(keys: list[bytes]) -> dict[int, int]:
    """Return the number of the word that begins at each byte."""
    numbers, at = {}, 0
    for number, key in enumerate(keys):
        numbers[at] = number
        at += len(key) + 1
    return numbers


class Elsewhere:
    """Stretches of one text that stand elsewhere in the other, by the numbers of their passages."""

    def __init__(self, alignment: Alignment, *, of_a: bool) -> None:
        self._repeated = alignment.repeated
        self._ranges = sorted(
            (passage.a_start, passage.a_end, number) if of_a else (passage.b_start, passage.b_end, number)
            for number, passage in alignment.elsewhere.items()
        )
        self._reach = list(accumulate((end for _, end, _ in self._ranges), max))

    def numbers(self, start: int, end: int) -> list[int]:
        """Return the numbers of the passages that begin in this stretch."""
        at = bisect_left(self._ranges, (start,))
        return [number for _, _, number in takewhile(lambda reach: reach[0] < end, islice(self._ranges, at, None))]

    def marked(self, words: Sequence[Word], start: int, end: int) -> list[Word]:
        """Mark the words of this stretch by their passages, unless too little of a passage lies in the stretch."""
        at = bisect_right(self._reach, start)
        inside = list(takewhile(lambda reach: reach[0] < end, islice(self._ranges, at, None)))

        def numbers_of(repeated: bool, least: int) -> list[int | None]:
            ranges = [
                (first, last, number)
                for first, last, number in inside
                if (number in self._repeated) == repeated and min(last, end) - max(first, start) >= least
            ]
            return _numbered(words, ranges)

        moved, again = numbers_of(False, LEAST), numbers_of(True, SENTENCE)
        return [
            replace(word, moved=in_moved, again=in_again)
            for word, in_moved, in_again in zip(words, moved, again, strict=True)
        ]


def _numbered(words: Sequence[Word], ranges: list[tuple[int, int, int]]) -> list[int | None]:
    """Return for each word the number of the range that it lies in."""
    numbers: list[int | None] = []
    at = 0
    for word in words:
        while at < len(ranges) and ranges[at][1] <= word.start:
            at += 1
        numbers.append(ranges[at][2] if at < len(ranges) and ranges[at][0] < word.end else None)
    return numbers


FEW_WORDS = 10  # words that are shown rather than counted


@dataclass(frozen=True)
class AlignedRow:
    """The words of both sides of a block. A long block that is the same in both is shortened to its ends."""

    block: AlignedBlock
    a: list[Word]
    b: list[Word]
    left_out: int = 0  # words in the middle of either side that are not shown


def rows(alignment: Alignment, a: str, b: str, canon: Canon, *, ends: int | None = None) -> Iterator[AlignedRow]:
    """Yield the rows of two texts; the alignment counts their characters. `ends`: show only so many words at either end
    of a block that is the same."""
    if not canon.raw:
        alignment = replace(alignment, blocks=list(_whole_words(alignment.blocks, a, b)))
    of_a, of_b = Elsewhere(alignment, of_a=True), Elsewhere(alignment, of_a=False)
    for block in alignment.blocks:
        if block.same:
            (first, left_out), (second, _) = (
                _ends(text, start, end, ends)
                for text, start, end in ((a, block.a_start, block.a_end), (b, block.b_start, block.b_end))
            )
            yield AlignedRow(block, first, second, left_out)
            continue
        first = of_a.marked(words_of(a, block.a_start, block.a_end), block.a_start, block.a_end)
        second = of_b.marked(words_of(b, block.b_start, block.b_end), block.b_start, block.b_end)
        if first or second:
            yield AlignedRow(block, *marked(first, second, canon))


def _ends(text: str, start: int, end: int, ends: int | None) -> tuple[list[Word], int]:
    if ends is None:
        return words_of(text, start, end), 0
    room = 40 * ends  # characters that hold so many words, unless the words are too long to be shown
    if end - start <= 2 * room:
        words = words_of(text, start, end)
        if len(words) <= 2 * ends + FEW_WORDS:
            return words, 0
        return words[:ends] + words[-ends:], len(words) - 2 * ends
    head, tail = words_of(text, start, start + room), words_of(text, end - room, end)
    middle = sum(1 for _ in WORD.finditer(text, start, end)) - min(ends, len(head)) - min(ends, len(tail))
    return head[:ends] + tail[-ends:], max(middle, 1)


def _whole_words(blocks: list[AlignedBlock], a: str, b: str) -> Iterator[AlignedBlock]:
    """Cut blocks at word boundaries: a word that only begins or ends alike is not the same. Punctuation around a block
    belongs to it."""
    at_a = at_b = 0
    for block in blocks:
        if not block.same:
            continue
        a_start, b_start = _started(a, block.a_start, at_a), _started(b, block.b_start, at_b)
        if a_start is None or b_start is None:
            a_start, b_start = _next_word(a, block.a_start, block.a_end), _next_word(b, block.b_start, block.b_end)
        if a_start >= block.a_end or b_start >= block.b_end:
            continue  # the block began and ended within one word
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
    """Return where the punctuation before a word begins; None: `start` lies within a word."""
    alone = is_unspaced(text[start])
    while start > least and not text[start - 1].isspace() and not is_unspaced(text[start - 1]):
        if text[start - 1].isalnum():
            return start if alone else None
        start -= 1
    return start


def _ended(text: str, end: int) -> int | None:
    """Return where the punctuation after a word ends; None: `end` lies within a word."""
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
