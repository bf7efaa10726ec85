"""Excel: names and cells of sheets, then each sheet's headers, comments, text boxes and charts."""

import re
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.cells import add_sheets
from nearkin.formats.chart import add_around, add_unsaid
from nearkin.formats.comments import add_comments
from nearkin.formats.found import Found, Limits
from nearkin.formats.ooxml import add_drawn_text, main_part, properties, relations
from nearkin.formats.prose import Prose
from nearkin.formats.squeezed import squeezed
from nearkin.formats.xml_events import events
from nearkin.formats.zip_parts import Parts

SHEETS = ("worksheet", "chartsheet")
DRAWN = ("chart", "chartEx", "diagramData")
# &L&"Arial,Bold"&12Text: where, font, size; &P is the page's number ([ECMA-376] part 1 §18.3.1.46)
CODES = re.compile(r'&(?:"[^"]*"|\d+|K[0-9A-F]{6}|K\d\d[+-]\d{3}|[A-Z&])')
MARK = b"headerFooter"
START = re.compile(rb"<(?:[\w.-]{1,50}:)?headerFooter\b")
LONGEST_START = 64
TEXTS = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)(?:Header|Footer)[^<>]*>([^<]*)<")


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = Parts(file, limits)
    told = properties(parts)
    prose = Prose(limits)
    book = main_part(parts, "xl/workbook.xml")
    listed = [relation.target for relation in relations(parts, book) if relation.type in SHEETS]
    sheets = [sheet for sheet in listed if parts.has(sheet)]  # calamine says which are missing of those in the book
    for name in add_sheets(squeezed(file, parts, sheets), prose):
        parts.lack(f"sheet {name}")
    labels: dict[str, None] = {}
    for sheet in sheets:
        _add_header(parts, sheet, prose)
        kin = relations(parts, sheet)
        add_comments(parts, kin, prose)
        for drawing in (relation.target for relation in kin if relation.type == "drawing"):
            add_drawn_text(parts, drawing, prose)
            for relation in relations(parts, drawing):
                if relation.type in DRAWN:
                    labels |= add_around(parts, relation.type, relation.target, prose)
    add_unsaid(labels, prose)
    return Found(prose.text(), told, parts.lacking)


def _add_header(parts: Parts, sheet: str, prose: Prose) -> None:
    """It stands at the end of a sheet that may be long: looked for as bytes, a hundred times as fast as XML."""
    tail = b""
    with parts.stream(sheet) as stream:
        while chunk := stream.read(1 << 16):
            window = tail + chunk
            at = window.find(MARK)
            start = START.search(window, max(at - LONGEST_START, 0)) if at >= 0 else None
            if start is None:
                tail = window[-LONGEST_START:]
                continue
            for text in TEXTS.findall(window[start.start() :] + stream.read(1 << 16)):
                prose.line(_plain(text))
            return


def _plain(text: bytes) -> str:
    pieces = [event.name for event in events(BytesIO(b"<t>" + text + b"</t>")) if event.kind == "text"]
    return " ".join(CODES.sub(" ", "".join(pieces)).split())
