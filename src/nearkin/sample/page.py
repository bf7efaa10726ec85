"""Pages of the sample, and controlled edits of them that leave at least a known resemblance.

A page is a title and blocks, written as plain text or as HTML with the very same words in the same order.

A shingle is a window of 20 bytes. A change that touches b bytes in a row destroys at most 19 + b windows; one
more byte covers the separator next to it. With D distinct shingles before, `lost` of them destroyed and
`gained` new ones,

    resemblance = |A ∩ B| / |A ∪ B| ≥ (D − lost) / (D + gained).

D is bounded from below by 0.82 of the page's bytes: punctuation takes up to 0.06 of them, repeated runs of
the prose less than 0.12 (Hindi, the tightest, at 20,000 bytes). The number of edits is chosen by this bound
alone; nothing is measured.
"""

import html
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from nearkin.sample.prose import Dice, Language, Prose


class Shape(Enum):
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"  # one line a row, cells parted by tabs
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A paragraph, list, table or heading."""

    shape: Shape
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A document before it is written to a file."""

    language: Language
    title: str
    blocks: tuple[PageBlock, ...]

    @property
    def size(self) -> int:
        shown = self.language.shown
        return len(self.title.encode()) + sum(
            len(shown(line).encode()) for block in self.blocks for line in block.lines
        )

    def as_section(self) -> tuple[PageBlock, ...]:
        """Return the page as blocks of a longer one."""
        return (PageBlock(Shape.HEADING, (self.title,)), *self.blocks)

    def renamed(self, old: str, new: str) -> "Page":
        blocks = tuple(
            PageBlock(block.shape, tuple(line.replace(old, new) for line in block.lines)) for block in self.blocks
        )
        return replace(self, title=self.title.replace(old, new), blocks=blocks)

    def as_text(self) -> str:
        parts = [self.title, *("\n".join(_text_lines(block)) for block in self.blocks)]
        return self.language.shown("\n\n".join(parts)) + "\n"

    def as_html(self, *, charset: str = "utf-8") -> str:
        shown = self.language.shown
        body = "\n".join(_html(block, turn, self.language) for turn, block in enumerate(self.blocks))
        return (
            f'<!DOCTYPE html>\n<html lang="{self.language.code}"><head><meta charset="{charset}">\n'
            f"<title>{html.escape(shown(self.title), quote=False)}</title>\n"
            "<style>p { margin: 1em 0 } /* styled words are not text */ td { padding: 2px }</style>\n"
            '<script>var hint = "<p>scripted words are not text</p>"; if (1 < 2) { hint = null; }</script>\n'
            f"</head><body>\n<!-- commented words are not text -->\n{body}\n</body></html>\n"
        )


def compose(prose: Prose, dice: Dice, size: int, *, names_product: bool = True) -> list[PageBlock]:
    """Return blocks of `size` bytes together: mostly paragraphs, some lists and tables."""
    lines = prose.passage(dice, size, names_product=names_product)
    cuts = dice.octets(len(lines))
    blocks: list[PageBlock] = []
    at = 0
    for cut in cuts:
        if at >= len(lines):
            break
        taken = lines[at : at + 2 + cut % 5]
        at += len(taken)
        if cut < 200:
            blocks.append(PageBlock(Shape.PARAGRAPH, (" ".join(taken),)))
        elif cut < 236:
            blocks.append(PageBlock(Shape.LIST, tuple(taken)))
        else:
            blocks.append(PageBlock(Shape.TABLE, tuple(map(_row, taken))))
    return blocks


def lower_and_upper(text: str) -> str:
    """Change punctuation and case, and keep the words: for alphabets whose case folding loses nothing."""
    lines = text.replace(". ", "! ").replace(", ", " - ").split("\n")
    return "\n".join(line.upper() if turn % 2 else f"*{line}*" for turn, line in enumerate(lines))


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _row(sentence: str) -> str:
    words = sentence.split(" ")
    half = len(words) // 2
    return " ".join(words[:half]) + "\t" + " ".join(words[half:])


def _text_lines(block: PageBlock) -> Iterable[str]:
    if block.shape is Shape.LIST:
        return (f"- {line}" for line in block.lines)
    if block.shape is Shape.TABLE:
        return (line.replace("\t", " | ") for line in block.lines)
    return block.lines


def _html(block: PageBlock, turn: int, language: Language) -> str:
    lines = [html.escape(language.shown(line), quote=False) for line in block.lines]
    if block.shape is Shape.HEADING:
        return f"<h2>{lines[0]}</h2>"
    if block.shape is Shape.LIST:
        # The second half is a list inside the last item of the first half: nested, yet in reading order.
        half = (len(lines) + 1) // 2
        inner = "".join(f"<li>{line}</li>" for line in lines[half:])
        outer = "".join(f"<li>{line}</li>" for line in lines[: half - 1])
        return (
            f"<ul>{outer}<li>{lines[half - 1]}<ol>{inner}</ol></li></ul>" if inner else f"<ul><li>{lines[0]}</li></ul>"
        )
    if block.shape is Shape.TABLE:
        rows = ("".join(f"<td>{cell}</td>" for cell in line.split("\t")) for line in lines)
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    return "".join(f"<p>{_marked_up(line, turn)}</p>" for line in lines)


def _marked_up(line: str, turn: int) -> str:
    """Put tags inside words, and entities, a comment or a break between words; `turn` decides which."""
    if line[:4].isalpha():
        line = f"<b>{line[:2]}</b>{line[2:]}"
    if turn % 4 == 1:
        line = line.replace("e", "&#101;", 1).replace("'", "&rsquo;")
        line = line.replace("é", "&eacute;").replace("ü", "&uuml;")
    elif turn % 4 == 2:
        line = line.replace(". ", ".<br>").replace(", ", ",&nbsp;")
    elif turn % 4 == 3:
        line = line.replace(". ", ".<!-- unseen --> ", 1)
        line = line.replace("or", "o<i>r</i>", 1)
    return line


WINDOW = 20
DISTINCT = 0.82
FLOOR = 0.76

OPERATIONS = ("insert", "remove", "replace")
PLACEMENTS = ("random", "even")


@dataclass(frozen=True)
class EditPlan:
    """How many edits of which sort, and where."""

    edits: int
    operations: tuple[str, ...]
    placement: str


def affordable(size: int, *, touched: int) -> int:
    """Return how many edits keep resemblance at the floor, where each touches at most so many bytes on either side."""
    distinct = DISTINCT * size
    return int(distinct * (1 - FLOOR) / (1 + FLOOR) / (WINDOW + touched))


def longest_word(page: Page) -> int:
    """Return the bytes of the longest word of the page and of its language, which new words come from."""
    lines = " ".join(line for block in page.blocks for line in block.lines)
    return max(page.language.longest_word, *map(len, lines.encode().split(b" ")))


def edited(page: Page, edit: EditPlan, dice: Dice, new_word: Callable[[], str]) -> Page:
    """Return the page with exactly edit.edits words inserted, removed or replaced. Tables and headings stay."""
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
        PageBlock(block.shape, tuple(islice(rest, len(block.lines)))) if _editable(block) else block
        for block in page.blocks
    )
    return Page(page.language, page.title, tuple(blocks))


def _editable(block: PageBlock) -> bool:
    return block.shape in (Shape.PARAGRAPH, Shape.LIST)


def _positions(words: int, edit: EditPlan, dice: Dice) -> list[int]:
    if edit.placement == "random":
        return dice.distinct(words, edit.edits)
    return [(2 * turn + 1) * words // (2 * edit.edits) for turn in range(edit.edits)]


def _changed(words: Sequence[str], at: Sequence[int], edit: EditPlan, dice: Dice, new_word: Callable[[], str]) -> str:
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
