"""Charts in Word, PowerPoint and Excel files: titles and text boxes, then names of series, categories, and labels taken
from cells (`c15:dlblRangeCache`), each once.

They are kept with the chart ([ECMA-376] part 1 §21.2.2.201, `c:strCache`; `cx:strDim` of newer charts), for those who
have not the sheet it was drawn from. Values are not read. Categories that are dates are told as those in cells are. Of
Excel files only what no cell says.
"""

import re
from datetime import datetime, timedelta

from nearkin.formats.ooxml import add_drawn_text, relations
from nearkin.formats.prose import Prose
from nearkin.formats.sheets import told
from nearkin.formats.zip_parts import Parts

CHARTS = ("chart", "chartEx")  # as relations name them
LABELS = {"strCache", "strLit", "multiLvlStrCache", "strDim", "txData", "tx", "dlblRangeCache"}
NUMBERS = {"numCache", "numLit"}  # of an axis: years, often. Those of a series are values.
POINTS = {"pt", "v"}
SHAPES = "chartUserShapes"  # text boxes drawn in a chart
PIECE = re.compile(r"[^\t\n]+")  # of a text: a cell, or a line of one
DATES = re.compile("[ymdhs]", re.IGNORECASE)  # in the form of a number: it is days since 1900
NO_FORM = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|general|standard', re.IGNORECASE)
LEAP = 60  # the 29th of February 1900, which Excel believes in


def add_drawn(parts: Parts, kind: str, part: str, prose: Prose) -> None:
    """What a relation of that kind leads to."""
    for label in add_around(parts, kind, part, prose):
        prose.line(label)


def add_around(parts: Parts, kind: str, part: str, prose: Prose) -> dict[str, None]:
    """All but its labels, which are given back: of Excel files the cells say most of them."""
    add_drawn_text(parts, part, prose)
    if kind not in CHARTS or parts.lacks(part):
        return {}
    for relation in relations(parts, part):
        if relation.type == SHAPES:
            add_drawn_text(parts, relation.target, prose)
    return _labels(parts, part)


def add_unsaid(labels: dict[str, None], prose: Prose) -> None:
    """Those that no cell says: written into the chart, or left of cells that are gone."""
    unsaid = {label: set(PIECE.findall(label)) for label in labels}
    wanted = set().union(*unsaid.values())
    said = {piece[0] for piece in PIECE.finditer(prose.text()) if piece[0] in wanted} if wanted else set()
    for label, pieces in unsaid.items():
        if not pieces <= said:
            prose.line(label)


def _labels(parts: Parts, part: str) -> dict[str, None]:
    found: dict[str, None] = {}
    labels = points = axes = forms = 0
    said = form = own = ""
    since = 1900
    for event in parts.events(part):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            said += event.name if labels and points else ""
            form += event.name if forms else ""
        elif event.name in LABELS or (event.name in NUMBERS and axes):
            labels += change
            form = ""
        elif event.name == "date1904" and event.kind == "start" and event.get("val") not in ("0", "false"):
            since = 1904
        elif event.name == "cat":
            axes += change
        elif event.name == "formatCode":
            forms += change
        elif event.name in POINTS:
            points += change
            own = event.get("formatCode") or own
            if labels and event.kind == "end" and said.strip():
                is_date = DATES.search(NO_FORM.sub("", own or form))
                found[_day(said.strip(), since) if is_date else said.strip()] = None
            said = "" if event.kind == "end" else said
            own = "" if event.kind == "end" else own
    return found


def _day(said: str, since: int) -> str:
    """A number of days as sheets tell a date ([ECMA-376] part 1 §18.17.4.1); as it is where it is none."""
    try:
        days = float(said)
        if since == 1904:
            day = datetime(1904, 1, 1) + timedelta(days=days)
        else:
            day = datetime(1899, 12, 30 if days >= LEAP else 31) + timedelta(days=days)
        day = (day + timedelta(microseconds=500_000)).replace(microsecond=0)
    except (ValueError, OverflowError):
        return said
    return told(day.time() if 0 <= days < 1 else day)
