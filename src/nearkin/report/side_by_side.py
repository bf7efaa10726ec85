"""Rows of two texts side by side, word by word, as the screen and the page show them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nearkin.query.alignment import Alignment, Block
from nearkin.report.word_marks import WORD, Elsewhere, Word, is_unspaced, marked, words_of
from nearkin.text.canon import Canon

FEW = 10  # words that are shown rather than counted


@dataclass(frozen=True)
class Row:
    """One block: both sides in words. Where they are the same, long ones are shortened to their ends."""

    block: Block
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
        if len(words) <= 2 * ends + FEW:
            return words, 0
        return words[:ends] + words[-ends:], len(words) - 2 * ends
    head, tail = words_of(text, start, start + room), words_of(text, end - room, end)
    middle = sum(1 for _ in WORD.finditer(text, start, end)) - min(ends, len(head)) - min(ends, len(tail))
    return head[:ends] + tail[-ends:], max(middle, 1)


def _whole_words(blocks: list[Block], a: str, b: str) -> Iterator[Block]:
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
            yield Block(False, at_a, a_start, at_b, b_start)
        yield Block(True, a_start, a_end, b_start, b_end, block.passage)
        at_a, at_b = a_end, b_end
    if len(a) > at_a or len(b) > at_b:
        yield Block(False, at_a, len(a), at_b, len(b))


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
