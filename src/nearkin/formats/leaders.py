"""Dots that lead to a number at a line's end are no text; the number is, unless it proves to be that of a page.

Income statements, menus and lists of prices have such dots too. So numbers are looked up (`formats.looked_up`): what
a line says must stand on the page that it leads to. Five lines are enough where they are like those of contents: plain
integers or small Roman ones, never falling, three different ones at least, none above the number of pages, no other
leader lines close by, and between such runs at most one fall in ten lines (a list of figures follows the contents).
Else, as of an index, it takes more.
"""

import re
from itertools import pairwise

from nearkin.formats.looked_up import Line, Pages
from nearkin.formats.pdf_layout import value

NUMBER = r"(\n?(?:[1-9]\d{0,4}(?:,\s[1-9]\d{0,4}){0,99}|[ivxlc]{1,7})(?=\n|$))"
LEADERS = re.compile(rf" ?(?:\. ?){{5,}}{NUMBER}?| ?(?:\. ){{3,4}}{NUMBER}")
RUN = 5
DIFFERENT = 3
FALLS = 10
LONGEST_LINE = 1000
APART = 4  # lines between those of one table: headings, a page's first and last line

Place = tuple[bool, int]  # Roman ones come first


def without_leaders(text: str, pages: int, shown: dict[int, str]) -> str:
    """Of so many pages, of which those with text are shown, by their place."""
    matches = list(LEADERS.finditer(text))
    proven = _proven(text, matches, pages, shown)
    pieces, done = [], 0
    for at, match in enumerate(matches):
        number = match[1] or match[2] or ""
        if at in proven or not match[2]:  # three or four dots alone may be a sentence's
            pieces += [text[done : match.start()], " ", "" if at in proven else number]
            done = match.end()
    return "".join([*pieces, text[done:]])


def _proven(text: str, matches: list[re.Match[str]], pages: int, shown: dict[int, str]) -> set[int]:
    between = [text.count("\n", one.end(), other.start()) for one, other in pairwise(matches)]
    starts = [0, *(at for at, lines in enumerate(between, 1) if lines > APART), len(matches)]
    lines = [_line(text, match) for match in matches]
    places = [_place(match, pages) for match in matches]
    known = Pages(shown, lines)
    proven: set[int] = set()
    for first, end in pairwise(starts):
        for run in _rising(places, first, end):
            if known.prove_rising([lines[at] for at in run]):
                proven.update(run)
        if not proven.issuperset(range(first, end)) and known.prove(lines[first:end]):
            proven.update(at for at in range(first, end) if lines[at][1] and max(lines[at][1]) <= pages)
    return proven


def _line(text: str, match: re.Match[str]) -> Line:
    said = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - LONGEST_LINE) : match.start()]
    number = (match[1] or match[2] or "").strip()
    if number and not number[0].isdecimal():
        return said, (value(number),)
    return said, tuple(map(int, re.findall(r"\d+", number)))


def _rising(places: list[Place | None], first: int, end: int) -> list[list[int]]:
    """The runs of a table that may be one of contents."""
    runs: list[list[int]] = [[]]
    last: Place = (False, 0)
    for at in range(first, end):
        if (place := places[at]) is None:
            return []
        if place < last:
            runs.append([])
        runs[-1].append(at)
        last = place
    if (len(runs) - 1) * FALLS > end - first:
        return []
    return [run for run in runs if len(run) >= RUN and len({places[at] for at in run}) >= DIFFERENT]


def _place(match: re.Match[str], pages: int) -> Place | None:
    number = (match[1] or match[2] or "").strip()
    if not number or "," in number:
        return None
    worth = value(number)
    return (number.isdecimal(), worth) if worth <= pages else None
