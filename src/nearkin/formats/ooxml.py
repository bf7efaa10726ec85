"""What Word, PowerPoint and Excel files have in common: relationships, properties, drawings (ECMA-376).

Parts are found by their relationships, not by their usual names: what is not referred to is not shown. A part that is
referred to and missing is among them: whoever reads it asks `Parts.there`, so that no text is lost without a word. One
that is damaged costs itself (`Parts.spared`).
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple
from urllib.parse import unquote

from nearkin.formats.adapter import Problem
from nearkin.formats.alternatives import ALT_TEXTS, RUNS, chosen
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event, without
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason

CORE = {"title": "title", "creator": "author", "created": "created", "modified": "modified"}
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
MOST_MISSING = 10_000  # then no more are looked for: 300,000, in a file of 1.6 MB, took 11 s
NOWHERE = ("", "NULL")
# Fields whose text is none of the document's: numbers and dates of slides; "[CELLRANGE]" of labels in charts.
STAND_INS = (
    "slidenum", "datetime", "CELLRANGE", "SERIESNAME", "CATEGORYNAME", "VALUE", "XVALUE", "YVALUE", "BUBBLESIZE",
    "PERCENTAGE",
)  # fmt: skip
SHAPES = {"sp", "pic", "graphicFrame", "cxnSp"}


class Relation(NamedTuple):
    id: str
    type: str  # the last word of its address: header, slide, comments
    target: str  # a part's name


def relations(parts: Parts, source: str) -> list[Relation]:
    folder, name = posixpath.split(source)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if not parts.has(place):
        return []
    found: list[Relation] = []
    with parts.spared(place, found.clear):
        for event in parts.events(place):
            if event.kind == "start" and event.name == "Relationship" and (path := _path(parts, folder, event)):
                found.append(Relation(event.get("Id"), event.get("Type").rpartition("/")[2], path))
                parts.missed += not parts.has(path)
                if parts.missed > MOST_MISSING and not parts.has(path):
                    parts.lack(
                        place, Problem(Reason.TOO_LARGE, f"over {MOST_MISSING:,} parts that it names are missing")
                    )
                    break
    return found


def _path(parts: Parts, folder: str, relation: Event) -> str:
    """Nothing where it leads to no part: to a place in this one, to another file, or nowhere (NULL, as Office says)."""
    target = relation.get("Target").partition("#")[0]
    outside = relation.get("TargetMode").lower() == "external" or ADDRESS.match(target)
    if outside or target.rpartition("/")[2] in NOWHERE:
        return ""
    path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
    return path if parts.has(path) else unquote(path)  # zip programs may have written the name without its escapes


def main_part(parts: Parts, usual: str) -> str:
    for relation in relations(parts, ""):
        if relation.type == "officeDocument" and parts.has(relation.target):
            return relation.target
    return usual


def properties(parts: Parts) -> dict[str, str]:
    found: dict[str, str] = {}
    for relation in relations(parts, ""):
        if relation.type == "core-properties" and parts.has(relation.target):  # no text: it may be missing
            key = None
            with parts.spared(relation.target, found.clear):
                for event in parts.events(relation.target):
                    if event.kind == "start":
                        key = CORE.get(event.name)
                    elif event.kind == "end":
                        key = None
                    elif key:
                        found[key] = found.get(key, "") + event.name
    return {key: value.strip() for key, value in found.items() if value.strip()}


def add_drawn_text(parts: Parts, part: str, prose: Prose, *, placeholders: bool = True) -> None:
    """Text of shapes, charts and diagrams: runs `a:t`, paragraphs `a:p`, and the alt texts of what is a picture.

    Of layouts and masters a reader sees only what is no placeholder ("Click to edit"): placeholders=False."""
    if parts.there(part):
        with parts.spared(part, prose.mark()):
            _add_drawn_text(parts, part, prose, placeholders)
        prose.end()


def _add_drawn_text(parts: Parts, part: str, prose: Prose, placeholders: bool) -> None:
    hidden = set() if placeholders else _placeholders(chosen(parts.events(part)))
    shapes = count()
    in_run = 0

    def hides(event: Event, parent: str) -> bool:
        if event.name in SHAPES:
            return next(shapes) in hidden
        return event.name == "fld" and event.get("type").startswith(STAND_INS)

    for event in without(chosen(parts.events(part)), hides):
        if event.kind == "start":
            if event.name in RUNS:
                in_run += 1
            elif event.name in ("cNvPr", "docPr"):
                add_alt_text(event, prose)
            elif event.name in ("br", "tab"):
                prose.add("\n" if event.name == "br" else "\t")
        elif event.kind == "end":
            if event.name in RUNS:
                in_run -= 1
            if event.name in ("p", "text", "tr", "cm"):
                prose.end()
            elif event.name == "tc":
                prose.add("\t")
        elif in_run:
            prose.add(event.name)


def add_alt_text(event: Event, prose: Prose, *, but: str = "") -> None:
    """Of a drawing; or of an old one, in VML (`alt`). but: this was said already."""
    for key in ALT_TEXTS:
        if (text := event.get(key)) and text != but:
            prose.line(text)


def _placeholders(events: Iterator[Event]) -> set[int]:
    found: set[int] = set()
    number = -1
    for event in events:
        if event.kind == "start" and event.name in SHAPES:
            number += 1
        elif event.kind == "start" and event.name == "ph":
            found.add(number)
    return found
