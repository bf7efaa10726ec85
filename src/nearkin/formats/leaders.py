"""Dots that lead to a number at a line's end are no text; the number is, unless it proves to be that of a page.

Income statements and menus have such dots too. So a number goes only in a run of five lines or more like those of a
table of contents: plain integers or small Roman ones, never falling, three different ones at least. Of leader
lines close together all numbers stay where dots lead to anything else, to a number above that of pages among them, or
where they fall more often than once in ten (a list of figures after the contents does once).
"""

import re
from itertools import pairwise

from nearkin.formats.running import value

NUMBER = r"(\n?(?:[1-9]\d{0,4}|[ivxlc]{1,7})(?=\n|$))"
LEADERS = re.compile(rf" ?(?:\. ?){{5,}}{NUMBER}?| ?(?:\. ){{3,4}}{NUMBER}")
RUN = 5
DIFFERENT = 3
FALLS = 10
APART = 4  # lines between those of one table: headings, a page's first and last line

Place = tuple[bool, int]  # Roman ones come first


def without_leaders(text: str, pages: int) -> str:
    matches = list(LEADERS.finditer(text))
    places = [_place(match, pages) for match in matches]
    between = [text.count("\n", one.end(), other.start()) for one, other in pairwise(matches)]
    starts = [0, *(at for at, lines in enumerate(between, 1) if lines > APART), len(matches)]
    proven = {at for first, end in pairwise(starts) for at in _proven(places, first, end)}
    pieces, done = [], 0
    for at, match in enumerate(matches):
        number = match[1] or match[2] or ""
        if at in proven or not match[2]:  # three or four dots alone may be a sentence's
            pieces += [text[done : match.start()], " ", "" if at in proven else number]
            done = match.end()
    return "".join([*pieces, text[done:]])


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
    if not (number := (match[1] or match[2] or "").strip()):
        return None
    worth = value(number)
    return (number.isdecimal(), worth) if worth <= pages else None
