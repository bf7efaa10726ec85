"""A page: a title and blocks, as plain text or as HTML with the very same words in the same order."""

import html
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from nearkin.lab.dice import Dice
from nearkin.lab.vocabulary import Language
from nearkin.sample.prose import Prose


class Shape(Enum):
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"  # one line a row, cells parted by tabs
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Block:
    shape: Shape
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    language: Language
    title: str
    blocks: tuple[Block, ...]

    @property
    def size(self) -> int:
        shown = self.language.shown
        return len(self.title.encode()) + sum(
            len(shown(line).encode()) for block in self.blocks for line in block.lines
        )

    def as_section(self) -> tuple[Block, ...]:
        """The whole page as blocks of a longer one."""
        return (Block(Shape.HEADING, (self.title,)), *self.blocks)

    def renamed(self, old: str, new: str) -> "Page":
        blocks = tuple(
            Block(block.shape, tuple(line.replace(old, new) for line in block.lines)) for block in self.blocks
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


def compose(prose: Prose, dice: Dice, size: int, *, names_product: bool = True) -> list[Block]:
    """Blocks of size bytes together: mostly paragraphs, some lists and tables."""
    lines = prose.passage(dice, size, names_product=names_product)
    cuts = dice.octets(len(lines))
    blocks: list[Block] = []
    at = 0
    for cut in cuts:
        if at >= len(lines):
            break
        taken = lines[at : at + 2 + cut % 5]
        at += len(taken)
        if cut < 200:
            blocks.append(Block(Shape.PARAGRAPH, (" ".join(taken),)))
        elif cut < 236:
            blocks.append(Block(Shape.LIST, tuple(taken)))
        else:
            blocks.append(Block(Shape.TABLE, tuple(map(_row, taken))))
    return blocks


def lower_and_upper(text: str) -> str:
    """Other punctuation and case, the same words: for alphabets whose case folding loses nothing."""
    lines = text.replace(". ", "! ").replace(", ", " - ").split("\n")
    return "\n".join(line.upper() if turn % 2 else f"*{line}*" for turn, line in enumerate(lines))


def decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _row(sentence: str) -> str:
    words = sentence.split(" ")
    half = len(words) // 2
    return " ".join(words[:half]) + "\t" + " ".join(words[half:])


def _text_lines(block: Block) -> Iterable[str]:
    if block.shape is Shape.LIST:
        return (f"- {line}" for line in block.lines)
    if block.shape is Shape.TABLE:
        return (line.replace("\t", " | ") for line in block.lines)
    return block.lines


def _html(block: Block, turn: int, language: Language) -> str:
    lines = [html.escape(language.shown(line), quote=False) for line in block.lines]
    if block.shape is Shape.HEADING:
        return f"<h2>{lines[0]}</h2>"
    if block.shape is Shape.LIST:
        # The second half is a list inside the last item of the first: nested, yet in reading order.
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
    """Tags inside words, entities, a comment or a break between words; turn decides which."""
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
