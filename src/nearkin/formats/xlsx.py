"""Excel: names and cells of sheets, then each sheet's headers, comments, text boxes and charts."""

import re
from collections import deque
from collections.abc import Collection
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.chart import add_around, add_unsaid
from nearkin.formats.comments import add_comments
from nearkin.formats.lacking import MISSING
from nearkin.formats.ooxml import Relation, add_drawn_text, main_part, properties, relations
from nearkin.formats.page_codes import without_codes
from nearkin.formats.prose import Prose
from nearkin.formats.sheets import add_sheets
from nearkin.formats.squeezed import squeezed
from nearkin.formats.xlsb_headers import binary_headers
from nearkin.formats.xml_events import events
from nearkin.formats.zip_parts import LARGEST, XML, Parts
from nearkin.model import Reason

SHEETS = ("worksheet", "chartsheet")
BESIDE = ("sharedStrings", "styles")
DRAWN = ("chart", "chartEx", "diagramData")
MARK = b"headerFooter"
START = re.compile(rb"<(?:[\w.-]{1,50}:)?headerFooter\b")
LONGEST_START = 64
TEXTS = re.compile(rb"<(?:[\w.-]+:)?(?:odd|even|first)(?:Header|Footer)[^<>]*>([^<]*)<")


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = Parts(file, limits)
    told = properties(parts)
    prose = Prose(limits)
    book = main_part(parts, "xl/workbook.xml")
    kin = relations(parts, book)
    called = _called(parts, book, kin)
    listed = [relation.target for relation in kin if relation.type in SHEETS]
    # Calamine says which are missing of those in the book.
    sheets = {sheet: called.get(sheet, sheet) for sheet in listed if parts.has(sheet)}
    for name, problem in _add_cells(file, parts, sheets, kin, prose).items():
        parts.lack(f"sheet {name}", problem)
    labels: dict[str, None] = {}
    for sheet, name in sheets.items():
        with parts.spared(name, prose.mark()):
            _add_header(parts, sheet, prose)
        labels |= _add_beside(parts, sheet, prose)
    add_unsaid(labels, prose)
    return Found(prose.text(), told, parts.lacking)


def _called(parts: Parts, book: str, kin: list[Relation]) -> dict[str, str]:
    """What sheets are called by those who read of them, by their parts."""
    if not book.endswith(".xml"):  # of xlsb
        return {}
    names = {event.get("id"): event.get("name") for event in parts.events(book) if event.name == "sheet"}
    return {relation.target: f"sheet {names[relation.id]}" for relation in kin if relation.id in names}


def _add_cells(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], kin: list[Relation], prose: Prose
) -> dict[str, Problem]:
    """Without its texts, which lie in a part of their own, a book is nothing. Styles are no text: without them numbers
    stand as they are stored, dates too."""
    texts, styles = ([one.target for one in kin if one.type == kind and parts.has(one.target)] for kind in BESIDE)
    for part in texts:
        parts.drain(part)  # calamine does not look at its checksum
    undo = prose.mark()
    try:
        return _taken(file, parts, sheets, prose)
    except Problem:
        undo()
        for part in styles:
            with parts.spared(part):
                deque(parts.events(part), maxlen=0)
        if not any(map(parts.lacks, styles)):
            for part in texts:  # it may say more clearly what is wrong
                deque(parts.events(part), maxlen=0)
            raise
    return _taken(file, parts, sheets, prose, plain=[part.lower() for part in styles])


def _taken(
    file: BinaryIO, parts: Parts, sheets: dict[str, str], prose: Prose, plain: Collection[str] = ()
) -> dict[str, Problem]:
    """Where a sheet gives nothing, all once more, less strictly."""
    undo = prose.mark()
    try:
        lost = add_sheets(squeezed(file, parts, sheets, plain), prose)
        if all(problem.detail == MISSING.detail for problem in lost.values()) or not parts.can_be_rewritten:
            return lost
    except Problem as problem:
        if problem.reason is not Reason.CORRUPT or not parts.can_be_rewritten:
            raise
    undo()
    return add_sheets(squeezed(file, parts, sheets, plain, loose=True), prose)


def _add_beside(parts: Parts, sheet: str, prose: Prose) -> dict[str, None]:
    """Given back are labels of charts, most of which some cell says."""
    labels: dict[str, None] = {}
    kin = relations(parts, sheet)
    add_comments(parts, kin, prose)
    for drawing in (relation.target for relation in kin if relation.type == "drawing"):
        add_drawn_text(parts, drawing, prose)
        for relation in relations(parts, drawing):
            if relation.type in DRAWN:
                labels |= add_around(parts, relation.type, relation.target, prose)
    return labels


def _add_header(parts: Parts, sheet: str, prose: Prose) -> None:
    """It stands at the end of a sheet that may be long: looked for as bytes, a hundred times as fast as XML."""
    if not sheet.lower().endswith(XML):
        if parts.size(sheet) <= LARGEST:
            for text in binary_headers(parts.data(sheet)):
                prose.line(without_codes(text))
        return
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
    return without_codes("".join(pieces))
