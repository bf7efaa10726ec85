"""Charts in Word and PowerPoint files: titles, then names of series and categories, each once.

They are kept with the chart ([ECMA-376] part 1 §21.2.2.201, `c:strCache`; `cx:strDim` of newer charts), for those who
have not the sheet it was drawn from. Values are not read, nor categories that are dates. Of Excel files the cells
say them.
"""

import re

from nearkin.formats.ooxml import add_drawn_text
from nearkin.formats.prose import Prose
from nearkin.formats.zip_parts import Parts

CHARTS = ("chart", "chartEx")  # as relations name them
LABELS = {"strCache", "strLit", "multiLvlStrCache", "strDim", "txData"}
NUMBERS = {"numCache", "numLit"}  # of an axis: years, often. Those of a series are values.
POINTS = {"pt", "v"}
DATES = re.compile("[ymdhs]", re.IGNORECASE)  # in the form of a number: it is days since 1900, which nobody sees
QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')


def add_drawn(parts: Parts, kind: str, part: str, prose: Prose) -> None:
    """What a relation of that kind leads to."""
    add_drawn_text(parts, part, prose)
    if kind in CHARTS and parts.has(part):
        for label in _labels(parts, part):
            prose.line(label)


def _labels(parts: Parts, part: str) -> dict[str, None]:
    found: dict[str, None] = {}
    labels = points = axes = forms = 0
    said = form = ""
    for event in parts.events(part):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            said += event.name if labels and points else ""
            form += event.name if forms else ""
        elif event.name in LABELS or (event.name in NUMBERS and axes):
            labels += change
            form = ""
        elif event.name == "cat":
            axes += change
        elif event.name == "formatCode":
            forms += change
        elif event.name in POINTS:
            points += change
            if labels and event.kind == "end" and said.strip() and not DATES.search(QUOTED.sub("", form)):
                found[said.strip()] = None
            said = "" if event.kind == "end" else said
    return found
