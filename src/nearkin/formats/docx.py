"""Word: the body, then foot- and endnotes, comments, headers, footers, charts and diagrams.

Runs of text are `w:t`, so what was deleted (`w:delText`) and the codes of fields are out of sight by themselves; what
was moved away is not. A text box is written twice, for new and old programs: it is read once. A document of another
sort that Word shows in place of a paragraph (`w:altChunk`: HTML, RTF, text, Word again) is read by its own reader. One
that cannot be read is reported like a missing part: it costs no other text.
"""

import io
from dataclasses import replace
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ooxml import (
    DRAWINGS,
    Relationship,
    add_alt_text,
    main_part,
    one_alternative,
    properties,
    relationships,
)
from nearkin.formats.package_parts import Parts
from nearkin.formats.registry import HEAD, detect, read_with
from nearkin.formats.sheets import add_drawn
from nearkin.formats.xml import XmlEvent, without_hidden
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import is_page, named_html, visible_text

AROUND = ("footnotes", "endnotes", "comments", "header", "footer")
DRAWN = ("chart", "chartEx", "diagramData")
TABLE_ALT_TEXTS = {"tblCaption", "tblDescription"}
MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "den": "/"}  # den: of a fraction


def read(file: BinaryIO, limits: Limits) -> Extraction:
    parts = Parts(file, limits)
    prose = TextBuilder(limits)
    body = main_part(parts, "word/document.xml")
    parts.require(body)
    _add_part(parts, body, prose, limits)
    related = relationships(parts, body)
    for kind in AROUND:
        for part in _targets(related, kind):
            if parts.has_named(part):
                with parts.tolerating_damage(part, prose.mark()):
                    _add_part(parts, part, prose, limits)
                prose.end()
    around = [part for kind in AROUND for part in _targets(related, kind)]
    drawings = [*related, *(relation for part in around for relation in relationships(parts, part))]
    for kind in DRAWN:
        for part in _targets(drawings, kind):
            add_drawn(parts, kind, part, prose)
    return Extraction(prose.text(), properties(parts), parts.failed_parts)


def _targets(related: list[Relationship], kind: str) -> list[str]:
    return sorted(
        {relation.target for relation in related if relation.type == kind}, key=lambda part: (len(part), part)
    )


def _hides(event: XmlEvent, parent: str) -> bool:
    return event.name in ("del", "moveFrom")


def _add_part(parts: Parts, part: str, prose: TextBuilder, limits: Limits) -> None:
    in_run = 0
    targets: dict[str, str] | None = None  # of relationships by id, once they are needed
    choices: list[str] = []  # of an old drop-down field, whose value is in no run
    choice = ""
    alt = ""  # the alt text of the drawing around: that of a picture stands twice, at the drawing and at the picture
    for event in without_hidden(one_alternative(parts.events(part)), _hides):
        if event.kind == "text":
            if in_run:
                prose.add(event.name)
        elif event.kind == "start":
            if event.name == "t":
                in_run += 1
            elif event.name == "p":
                prose.end()  # of a box drawn within a paragraph
            elif event.name in MARKS and not event.get("pos"):  # a tab stop has a position
                prose.add(MARKS[event.name])
            elif event.name == "sym":
                prose.add(_symbol(event.get("char")))
            elif event.name in DRAWINGS:
                add_alt_text(event, prose, but=alt if event.name == "cNvPr" else "")
                alt = event.get("descr") if event.name == "docPr" else alt
            elif event.name in TABLE_ALT_TEXTS:
                prose.line(event.get("val"))
            elif event.name == "textpath":
                prose.line(event.get("string"))
            elif event.name == "altChunk":
                if targets is None:
                    targets = {relation.id: relation.target for relation in relationships(parts, part)}
                target = targets.get(event.get("id"))
                if target and parts.has_named(target):
                    _add_embedded(parts, target, prose, limits)
            elif event.name == "ddList":
                choices, choice = [], ""
            elif event.name == "listEntry":
                choices.append(event.get("val"))
            elif event.name == "result":
                choice = event.get("val")
            elif event.name == "default":
                choice = choice or event.get("val")
        elif event.name == "ddList":
            prose.add(_choice(choices, choice))
        elif event.name == "t":
            in_run -= 1
        elif event.name == "p":
            prose.end()
    prose.end()


def _choice(choices: list[str], chosen: str) -> str:
    """The choice that is shown: the first where none was chosen ([ECMA-376] part 1 §17.16.28)."""
    number = int(chosen) if chosen.isdecimal() and len(chosen) < 9 else 0
    return choices[number] if number < len(choices) else ""


def _symbol(code: str) -> str:
    """A symbol's character. Symbol fonts sit in the private use area at F000 + code: such symbols are no letters."""
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    return chr(point) if 0x20 <= point < 0xD800 else ""


def _add_embedded(parts: Parts, part: str, prose: TextBuilder, limits: Limits) -> None:
    """Add the text of a document of another sort."""
    if limits.depth <= 0:
        raise Problem(Reason.TOO_LARGE, "Word files in Word files, too deep")
    try:
        prose.line(_embedded_text(parts, part, replace(limits, depth=limits.depth - 1)))
    except Problem as problem:
        if problem.reason is Reason.TOO_LARGE:  # limits are those of the whole document
            raise
        if problem.reason is not Reason.EMPTY:
            parts.record_problem(part, problem)


def _embedded_text(parts: Parts, part: str, limits: Limits) -> str:
    data, name = parts.data(part), part.encode("utf-8", "replace")
    file = io.BytesIO(data)
    if chosen := detect(data[:HEAD], name, file):
        document = read_with(chosen, file, limits)
        _record_failures(document, part, parts)
        if document.problem is not None:
            raise document.problem
        return document.text or ""
    text = decode(data, html=named_html(name)).text
    page = is_page(text.encode(), named_html=named_html(name))
    return visible_text(text.encode()).decode() if page else text


def _record_failures(document: Extraction, part: str, parts: Parts) -> None:
    """Members of an embedded document are not read, as those of the document around it are not; failed ones are
    recorded."""
    try:
        for member in document.members:
            if member.problem is not None:
                parts.record_problem(f"{part}/{member.name.decode('utf-8', 'replace')}", member.problem)
    except Problem as problem:
        parts.record_problem(part, problem)
