"""Word: the body, then foot- and endnotes, comments, headers, footers, charts and diagrams.

Runs of text are `w:t`, so what was deleted (`w:delText`) and the codes of fields are out of sight by themselves; what
was moved away is not. A text box is written twice, for new and old programs: it is read once.
"""

from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits
from nearkin.formats.alt_chunk import add_other
from nearkin.formats.alternatives import DRAWINGS, chosen
from nearkin.formats.chart import add_drawn
from nearkin.formats.ooxml import Relation, add_alt_text, main_part, properties, relations
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event, without
from nearkin.formats.zip_parts import Parts

AROUND = ("footnotes", "endnotes", "comments", "header", "footer")
DRAWN = ("chart", "chartEx", "diagramData")
TABLE_ALT_TEXTS = {"tblCaption", "tblDescription"}
MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "den": "/"}  # den: of a fraction


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = Parts(file, limits)
    prose = Prose(limits)
    body = main_part(parts, "word/document.xml")
    parts.need(body)
    _add(parts, body, prose, limits)
    kin = relations(parts, body)
    for kind in AROUND:
        for part in _of(kin, kind):
            if parts.there(part):
                with parts.spared(part, prose.mark()):
                    _add(parts, part, prose, limits)
                prose.end()
    around = [part for kind in AROUND for part in _of(kin, kind)]
    drawings = [*kin, *(relation for part in around for relation in relations(parts, part))]
    for kind in DRAWN:
        for part in _of(drawings, kind):
            add_drawn(parts, kind, part, prose)
    return Found(prose.text(), properties(parts), parts.lacking)


def _of(kin: list[Relation], kind: str) -> list[str]:
    return sorted({relation.target for relation in kin if relation.type == kind}, key=lambda part: (len(part), part))


def _hides(event: Event, parent: str) -> bool:
    return event.name in ("del", "moveFrom")


def _add(parts: Parts, part: str, prose: Prose, limits: Limits) -> None:
    in_run = 0
    others: dict[str, str] | None = None  # what relations lead to, once it is asked for
    choices: list[str] = []  # of an old drop-down field, whose value is in no run
    choice = ""
    alt = ""  # of the drawing around: of a picture it is said twice, by the drawing and by the picture
    for event in without(chosen(parts.events(part)), _hides):
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
                if others is None:
                    others = {relation.id: relation.target for relation in relations(parts, part)}
                other = others.get(event.get("id"))
                if other and parts.there(other):
                    add_other(parts, other, prose, limits)
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
    """The first where none was chosen ([ECMA-376] part 1 §17.16.28)."""
    number = int(chosen) if chosen.isdecimal() and len(chosen) < 9 else 0
    return choices[number] if number < len(choices) else ""


def _symbol(code: str) -> str:
    """Symbol fonts sit in the private use area at F000 + code: no letters anybody could compare."""
    try:
        point = int(code, 16)
    except ValueError:
        return ""
    return chr(point) if 0x20 <= point < 0xD800 else ""
