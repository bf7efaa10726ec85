"""Two texts beside each other on a terminal: what is the same shortened, what differs word by word.

The mark between the columns says the same without colours: ≠ where words of both sides differ, < and > where words of
one do, « and » where these stand elsewhere in the other text, too, ↔ where text was moved.
"""

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from nearkin.cli.wording import cells, count, safe

if TYPE_CHECKING:
    from nearkin.cli.screen import Screen
    from nearkin.report.word_marks import Row, Word

ENDS = 12  # words of what is the same, at either end
SHOWN = 200  # rows; the page has all
LONG = 24  # lines of one row
BROKEN = 6  # lines of one word that differs

CHANGED = {"A": "bold red", "B": "bold green"}
AGAIN = {"A": "red", "B": "green"}  # and elsewhere in the other text
MOVED = "magenta"

Piece = tuple[str, str]


def show_side_by_side(screen: "Screen", rows: "Iterator[Row]", *, whole: str) -> None:
    """`whole`: how to see everything."""
    wide = (screen.width - 5) // 2
    screen.line()
    screen.line((f"  {'A':<{wide}}   B", "bold"))
    for row in islice(rows, SHOWN):
        for mark, left, right in _lines(row, wide):
            fill = " " * (wide - sum(cells(text) for text, _ in left))
            between = f" {mark} " if right else f" {mark}"
            screen.line("  ", *left, fill, (between, "dim" if mark == "│" else "yellow"), *right)
    if next(rows, None) is not None:
        screen.note(f"More follows; {whole}")


def _lines(row: "Row", wide: int) -> Iterator[tuple[str, list[Piece], list[Piece]]]:
    from nearkin.report.word_marks import unit

    same = row.block.same
    gap = count(row.left_out, unit(row.a)) if row.left_out else ""
    left, right = (_folded(side, wide, letter, gap, same=same) for letter, side in (("A", row.a), ("B", row.b)))
    none: list[Piece] = []
    for at, (one, other) in enumerate(zip_longest(left, right, fillvalue=none)):
        if at == LONG:
            yield "│", [("…", "dim")], [("…", "dim")]
            return
        yield _mark(one, other), one, other


def _mark(left: list[Piece], right: list[Piece]) -> str:
    styles = [{style for _, style in side} for side in (left, right)]
    out, put = CHANGED["A"] in styles[0], CHANGED["B"] in styles[1]
    less, more = AGAIN["A"] in styles[0], AGAIN["B"] in styles[1]
    if (out or less) and (put or more):
        return "≠"
    if out or put:
        return "<" if out else ">"
    if less or more:
        return "«" if less else "»"
    return "↔" if MOVED in styles[0] | styles[1] else "│"


def _folded(words: "list[Word]", wide: int, letter: str, gap: str, *, same: bool) -> list[list[Piece]]:
    """Lines of words, broken between them; one longer than a line is broken where it differs, and else cut."""
    lines: list[list[Piece]] = []
    line: list[Piece] = []
    used, end = 0, -1
    half = len(words) // 2 if gap else None
    for at, word in enumerate(words):
        if at == half:
            if line:
                lines.append(line)
            lines.append([(_cut(f"… {gap} …", wide), "dim italic")])
            line, used = [], 0
        style = "dim" if same else _style(word, letter)
        spaced = bool(line) and word.start != end
        *whole, text = _broken(safe(word.text), wide, BROKEN if word.changed else 1)
        if line and (whole or used + spaced + cells(text) > wide):
            lines.append(line)
            line, used, spaced = [], 0, False
        lines += [[(part, style)] for part in whole]
        if spaced:
            # A space between two words of one colour is coloured too, so that a changed phrase reads as one.
            line.append((" ", style if style == line[-1][1] and style != "dim" else ""))
            used += 1
        line.append((text, style))
        used += cells(text)
        end = word.end
    return [*lines, line] if line else lines


def _broken(text: str, wide: int, most: int) -> list[str]:
    """In so many lines at the most."""
    parts: list[str] = []
    while len(parts) + 1 < most and cells(text) > wide:
        fits = next(at for at in range(min(len(text), wide), 0, -1) if at == 1 or cells(text[:at]) <= wide)
        parts.append(text[:fits])
        text = text[fits:]
    return [*parts, _cut(text, wide)]


def _style(word: "Word", letter: str) -> str:
    if word.moved is not None:
        return MOVED
    if not word.changed:
        return ""
    return CHANGED[letter] if word.again is None else AGAIN[letter]


def _cut(text: str, wide: int) -> str:
    if cells(text) <= wide:
        return text
    while cells(text) > wide - 1:
        text = text[: max(1, len(text) - max(1, (cells(text) - wide) // 2))]
    return f"{text}…"
