"""What Word, PowerPoint and Excel files have in common: relationships, properties, drawings (ECMA-376).

Parts are found by their relationships, not by their usual names: a part that nothing refers to is not shown. A
relationship may lead to a part that is missing: a reader asks `Parts.has_named`, so that no text is lost silently. A
damaged part costs its own text only (`Parts.tolerating_damage`).
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple
from urllib.parse import unquote

from nearkin.formats.adapter import Problem, TextBuilder
from nearkin.formats.package_parts import Parts
from nearkin.formats.xml import XmlEvent, bare, without_hidden
from nearkin.model import Reason

CORE = {"title": "title", "creator": "author", "created": "created", "modified": "modified"}
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
MOST_MISSING = 10_000  # missing parts after which no more are looked for: 300,000, in a file of 1.6 MB, took 11 s
NOWHERE = ("", "NULL")
# Fields whose text is not the document's: numbers and dates of slides; "[CELLRANGE]" of labels in charts.
STAND_INS = (
    "slidenum", "datetime", "CELLRANGE", "SERIESNAME", "CATEGORYNAME", "VALUE", "XVALUE", "YVALUE", "BUBBLESIZE",
    "PERCENTAGE",
)  # fmt: skip
SHAPES = {"sp", "pic", "graphicFrame", "cxnSp"}


class Relationship(NamedTuple):
    """What leads from one part to another."""

    id: str
    type: str  # the last word of its address: header, slide, comments
    target: str  # a part's name


def relationships(parts: Parts, source: str) -> list[Relationship]:
    folder, name = posixpath.split(source)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if not parts.has(place):
        return []
    related: list[Relationship] = []
    with parts.tolerating_damage(place, related.clear):
        for event in parts.events(place):
            if event.kind == "start" and event.name == "Relationship" and (path := _path(parts, folder, event)):
                related.append(Relationship(event.get("Id"), event.get("Type").rpartition("/")[2], path))
                parts.missing_count += not parts.has(path)
                if parts.missing_count > MOST_MISSING and not parts.has(path):
                    parts.record_problem(
                        place, Problem(Reason.TOO_LARGE, f"over {MOST_MISSING:,} parts that it names are missing")
                    )
                    break
    return related


def _path(parts: Parts, folder: str, relation: XmlEvent) -> str:
    """The part that a relationship leads to; empty where it leads to a place in this part, to another file, or nowhere
    (NULL, as Office writes)."""
    target = relation.get("Target").partition("#")[0]
    outside = relation.get("TargetMode").lower() == "external" or ADDRESS.match(target)
    if outside or target.rpartition("/")[2] in NOWHERE:
        return ""
    path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
    return path if parts.has(path) else unquote(path)  # some zip programs write the name without its escapes


def main_part(parts: Parts, usual: str) -> str:
    """The part that the document begins with."""
    for relation in relationships(parts, ""):
        if relation.type == "officeDocument" and parts.has(relation.target):
            return relation.target
    return usual


def properties(parts: Parts) -> dict[str, str]:
    """Title, author and dates."""
    values: dict[str, str] = {}
    for relation in relationships(parts, ""):
        if relation.type == "core-properties" and parts.has(relation.target):  # it is no text, so it may be missing
            key = None
            with parts.tolerating_damage(relation.target, values.clear):
                for event in parts.events(relation.target):
                    if event.kind == "start":
                        key = CORE.get(event.name)
                    elif event.kind == "end":
                        key = None
                    elif key:
                        values[key] = values.get(key, "") + event.name
    return {key: value.strip() for key, value in values.items() if value.strip()}


def add_drawn_text(parts: Parts, part: str, prose: TextBuilder, *, placeholders: bool = True) -> None:
    """Add the text of shapes, charts and diagrams: runs `a:t`, paragraphs `a:p`, and the alt texts of pictures.

    Of layouts and masters a person sees no placeholders ("Click to edit"): placeholders=False.
    """
    if parts.has_named(part):
        with parts.tolerating_damage(part, prose.mark()):
            _add_drawn_text(parts, part, prose, placeholders)
        prose.end()


def _add_drawn_text(parts: Parts, part: str, prose: TextBuilder, placeholders: bool) -> None:
    hidden = set() if placeholders else _placeholders(one_alternative(parts.events(part)))
    shapes = count()
    in_run = 0

    def hides(event: XmlEvent, parent: str) -> bool:
        if event.name in SHAPES:
            return next(shapes) in hidden
        return event.name == "fld" and event.get("type").startswith(STAND_INS)

    for event in without_hidden(one_alternative(parts.events(part)), hides):
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


def add_alt_text(event: XmlEvent, prose: TextBuilder, *, but: str = "") -> None:
    """Add the alt texts of a drawing, also of an old one in VML (`alt`), except one that was added before (`but`)."""
    for key in ALT_TEXTS:
        if (text := event.get(key)) and text != but:
            prose.line(text)


def _placeholders(events: Iterator[XmlEvent]) -> set[int]:
    """The numbers of the shapes that are placeholders."""
    placeholders: set[int] = set()
    number = -1
    for event in events:
        if event.kind == "start" and event.name in SHAPES:
            number += 1
        elif event.kind == "start" and event.name == "ph":
            placeholders.add(number)
    return placeholders


RUNS = {"t", "text"}  # of drawings; of the old comments on slides
ALT_TEXTS = ("title", "descr", "alt")
# Old drawings, in VML, and groups of them ([ECMA-376] part 4 §19.1.2).
VML = {"shape", "rect", "roundrect", "oval", "line", "polyline", "arc", "curve", "image", "group"}
DRAWINGS = {"cNvPr", "docPr"} | VML
TEXT_ATTRIBUTES = {"textpath": ("string",), "sym": ("char",)}
ELSEWHERE = {"chart", "relIds", "altChunk", "ddList"}  # elements whose text is in another part, or in their attributes


def one_alternative(events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
    """Read content that is written several times, for programs of several ages, once (`mc:AlternateContent`, [ECMA-376]
    part 3 §10): the first choice with any text, otherwise the fallback. A choice without text is given too: it may be a
    picture, and lines end where it stands. A choice with no more than an alt text does not hide the others, which may
    have the text of the same drawing, but it hides their alt texts."""
    depth = 0  # of the elements around that are not chosen
    has_text: list[bool] = []  # for each AlternateContent around: a text came
    described: list[bool] = []  # and an alt text
    described_before: list[bool] = []  # and an alt text before this alternative
    inside: list[str] = []
    for event in events:
        if depth:
            depth += (event.kind == "start") - (event.kind == "end")
            continue
        if has_text and not has_text[-1]:
            has_text[-1] = _is_text(event, inside[-1])
        if event.kind == "start":
            if event.name == "AlternateContent":
                for states in (has_text, described, described_before):
                    states.append(False)
            elif event.name in ("Choice", "Fallback") and inside and inside[-1] == "AlternateContent":
                if has_text[-1]:
                    depth = 1
                    continue
                described_before[-1] = described[-1]
            inside.append(event.name)
            if has_text and event.name in DRAWINGS:
                if any(described_before):
                    yield _undescribed(event)
                    continue
                described[-1] = described[-1] or any(event.get(key).strip() for key in ALT_TEXTS)
        elif event.kind == "end":
            inside.pop()
            if event.name == "AlternateContent":
                described_before.pop()
                for states in (has_text, described):
                    if states.pop() and states:
                        states[-1] = True
        yield event


def _undescribed(event: XmlEvent) -> XmlEvent:
    kept = {name: value for name, value in event.attributes.items() if bare(name) not in ALT_TEXTS}
    return event._replace(attributes=kept)


def _is_text(event: XmlEvent, around: str) -> bool:
    """Whether an event has text, or leads to some."""
    if event.kind == "text":
        return around in RUNS and not event.name.isspace()
    return event.kind == "start" and (
        event.name in ELSEWHERE or any(event.get(key).strip() for key in TEXT_ATTRIBUTES.get(event.name, ()))
    )
