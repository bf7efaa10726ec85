"""Dots that lead to a number at a line's end are no text; the number is, unless it proves to be that of a page.

Income statements and menus have such dots too. So a number goes only in a run of five lines or more like those of a
table of contents: plain integers or small Roman ones, never falling, three different ones at least. Of leader
lines close together all numbers stay where dots lead to anything else, to a number above that of pages among them, or
where they fall more often than once in ten (a list of figures after the contents does once). Where that is no proof, as
of an index, they are looked up on the pages (`formats.looked_up`).
"""

import re
from itertools import pairwise

from nearkin.formats.looked_up import Line, leading
from nearkin.formats.running import value

NUMBER = r"(\n?(?:[1-9]\d{0,4}(?:,\s[1-9]\d{0,4}){0,99}|[ivxlc]{1,7})(?=\n|$))"
LEADERS = re.compile(rf" ?(?:\. ?){{5,}}{NUMBER}?| ?(?:\. ){{3,4}}{NUMBER}")
RUN = 5
DIFFERENT = 3
FALLS = 10
LONGEST_LINE = 1000
APART = 4  # lines between those of one table: headings, a page's first and last line

Place = tuple[bool, int]  # Roman ones come first


def without_leaders(text: str, pages: int, shown: dict[int, str] | None = None) -> str:
    """Of so many pages, of which those with text are shown, by their place."""
    matches = list(LEADERS.finditer(text))
    places = [_place(match, pages) for match in matches]
    between = [text.count("\n", one.end(), other.start()) for one, other in pairwise(matches)]
    starts = [0, *(at for at, lines in enumerate(between, 1) if lines > APART), len(matches)]
    tables = [(first, end) for first, end in pairwise(starts) if end > first]
    proven = {at for first, end in tables for at in _proven(places, first, end)}
    if shown and len(proven) < len(matches):
        proven |= _looked_up(text, matches, tables, proven, pages, shown)
    pieces, done = [], 0
    for at, match in enumerate(matches):
        number = match[1] or match[2] or ""
        if at in proven or not match[2]:  # three or four dots alone may be a sentence's
            pieces += [text[done : match.start()], " ", "" if at in proven else number]
            done = match.end()
    return "".join([*pieces, text[done:]])


def _looked_up(
    text: str,
    matches: list[re.Match[str]],
    tables: list[tuple[int, int]],
    proven: set[int],
    pages: int,
    shown: dict[int, str],
) -> set[int]:
    lines = [_line(text, match) for match in matches]
    left = [(first, end) for first, end in tables if not proven.issuperset(range(first, end))]
    answers = leading([lines[first:end] for first, end in left], shown)
    found = {at for (first, end), answer in zip(left, answers, strict=True) if answer for at in range(first, end)}
    return {at for at in found if lines[at][1] and max(lines[at][1]) <= pages}


def _line(text: str, match: re.Match[str]) -> Line:
    said = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - LONGEST_LINE) : match.start()]
    number = (match[1] or match[2] or "").strip()
    if number and not number[0].isdecimal():
        return said, (value(number),)
    return said, tuple(map(int, re.findall(r"\d+", number)))


def _proven(places: list[Place | None], first: int, end: int) -> list[int]:
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
    return [at for run in runs if len(run) >= RUN and len({places[at] for at in run}) >= DIFFERENT for at in run]


def _place(match: re.Match[str], pages: int) -> Place | None:
    number = (match[1] or match[2] or "").strip()
    if not number or "," in number:
        return None
    worth = value(number)
    return (number.isdecimal(), worth) if worth <= pages else None
