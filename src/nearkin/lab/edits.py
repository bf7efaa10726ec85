"""Controlled edits, and how much resemblance they leave at least.

A shingle is a window of 20 bytes. A change that touches b bytes in a row destroys at most 19 + b windows; one
more byte covers the separator next to it. With D distinct shingles before, `lost` of them destroyed and
`gained` new ones,

    resemblance = |A ∩ B| / |A ∪ B| ≥ (D − lost) / (D + gained).

D is bounded from below by 0.82 of the page's bytes: punctuation takes up to 0.06 of them, repeated runs of
the prose less than 0.12 (Hindi, the tightest, at 20,000 bytes). The number of edits is chosen by this bound
alone; nothing is measured.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from nearkin.lab.dice import Dice
from nearkin.sample.page import Block, Page, Shape

WINDOW = 20
DISTINCT = 0.82
FLOOR = 0.76

OPERATIONS = ("insert", "remove", "replace")
PLACEMENTS = ("random", "even")


@dataclass(frozen=True)
class Edit:
    edits: int
    operations: tuple[str, ...]
    placement: str


def affordable(size: int, *, touched: int) -> int:
    """How many edits, each touching at most so many bytes on either side, keep resemblance at the floor."""
    distinct = DISTINCT * size
    return int(distinct * (1 - FLOOR) / (1 + FLOOR) / (WINDOW + touched))


def longest_word(page: Page) -> int:
    """In bytes, of the page and of the language its new words come from."""
    lines = " ".join(line for block in page.blocks for line in block.lines)
    return max(page.language.longest_word, *map(len, lines.encode().split(b" ")))


def edited(page: Page, edit: Edit, dice: Dice, new_word: Callable[[], str]) -> Page:
    """The page with exactly edit.edits words inserted, removed or replaced. Tables and headings stay."""
    lines = [line.split(" ") for block in page.blocks for line in block.lines if _editable(block)]
    positions = _positions(sum(map(len, lines)), edit, dice)
    changed: list[str] = []
    start = 0
    for words in lines:
        here = [at - start for at in positions if start <= at < start + len(words)]
        changed.append(_changed(words, here, edit, dice, new_word))
        start += len(words)
    rest = iter(changed)
    blocks = (
        Block(block.shape, tuple(islice(rest, len(block.lines)))) if _editable(block) else block
        for block in page.blocks
    )
    return Page(page.language, page.title, tuple(blocks))


def _editable(block: Block) -> bool:
    return block.shape in (Shape.PARAGRAPH, Shape.LIST)


def _positions(words: int, edit: Edit, dice: Dice) -> list[int]:
    if edit.placement == "random":
        return dice.distinct(words, edit.edits)
    return [(2 * turn + 1) * words // (2 * edit.edits) for turn in range(edit.edits)]


def _changed(words: Sequence[str], at: Sequence[int], edit: Edit, dice: Dice, new_word: Callable[[], str]) -> str:
    changed = list(words)
    for position in reversed(at):
        operation = dice.pick(edit.operations)
        if operation == "remove":
            del changed[position]
            continue
        fresh = new_word()
        while fresh.casefold() in changed[position].casefold():
            fresh = new_word()
        if operation == "insert":
            changed.insert(position, fresh)
        else:
            changed[position] = fresh
    return " ".join(changed)
