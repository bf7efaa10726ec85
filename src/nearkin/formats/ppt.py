"""PowerPoint's old binary files, of PowerPoint 97 to 2003 ([MS-PPT]): text, notes and comments slide by slide; then
headers, footers and what masters show.

Each time such a file is saved, changes may be added at its end: the last edit leads to the tables that tell where each
slide is now (§2.1.2). A deleted slide is in none of the lists. Texts of titles and outlines stand in the list of
slides, and drawings refer to them by number (§2.9.78).
"""

import struct
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ole import (
    ENCRYPTED,
    SHAPE_PROPERTIES,
    OfficeRecord,
    children,
    opened,
    properties,
    record_at,
    shape_texts,
    walk,
)
from nearkin.model import Reason

STREAM, CURRENT = "PowerPoint Document", "Current User"
LOCKED_SUMMARY, LOCKED = "EncryptedSummary", 0xF3D1C4DF
CURRENT_USER, EDIT, PLACES = 0x0FF6, 0x0FF5, 0x1772
DOCUMENT, LIST, LISTED, NOTES_ATOM = 0x03E8, 0x0FF0, 0x03F3, 0x03F1
SLIDES, MASTERS, NOTES = 0, 1, 2  # instances of lists
TEXT_HEADER, WIDE, NARROW, REFERENCE, TEXT_BOX = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E, 0xF00D
# Records that say where in a text one character stands for the slide's number, a date, a header or a footer.
FIELDS = {0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015}
SHAPE, PLACEHOLDER = 0xF004, 0x0BC3
STRING, COMMENT, COMMENT_TEXT = 0x0FBA, 0x2EE0, 1
AROUND, AROUND_FLAGS = 0x0FD9, 0x0FDA
SHOWN_IF = {0: 0x04, 1: 0x10, 2: 0x20}  # a fixed date, header, footer: instance of the text, bit that it is shown
MARKS = str.maketrans({"\r": "\n", "\x0b": "\n", "\0": None})


def read(file: BinaryIO, limits: Limits) -> Extraction:
    with opened(file) as storage:
        if any(storage.exists(name) for name in (*ENCRYPTED, LOCKED_SUMMARY)):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        if not storage.exists(CURRENT):
            raise Problem(Reason.UNSUPPORTED, "not of PowerPoint 97 to 2003")
        data, current = storage.openstream(STREAM).read(), storage.openstream(CURRENT).read()
        known = properties(storage)
    presentation = _Presentation(data, current, limits)
    presentation.add_all()
    return Extraction(presentation.prose.text(), known)


class _Presentation:
    """A presentation that is read slide by slide."""

    def __init__(self, data: bytes, current: bytes, limits: Limits) -> None:
        self.prose = TextBuilder(limits)
        self._data = data
        self._around: dict[str, None] = {}  # headers, footers, and what masters show: written once for many slides
        self._of_masters = False
        self._places: dict[int, int] = {}
        self._left = 2 * len(data)  # bytes of slides: listed once each, they are no longer together than the stream
        self._document = self._follow_edits(current)

    def _follow_edits(self, current: bytes) -> OfficeRecord:
        """The record of the document. Edits are followed from the last to the first: the last place of a slide
        counts."""
        if len(current) < 20 or int.from_bytes(current[2:4], "little") != CURRENT_USER:
            raise Problem(Reason.UNSUPPORTED, "not of PowerPoint 97 to 2003")
        mark, at = struct.unpack_from("<2I", current, 12)
        if mark == LOCKED:
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        document, seen = None, set()
        tables: set[int] = set()
        left = len(self._data)  # tables lie beside one another: together they are no longer than that
        while at and at not in seen:
            seen.add(at)
            edit = record_at(self._data, at)
            if edit.kind != EDIT or edit.end - edit.start < 20:
                raise Problem(Reason.CORRUPT, "damaged: its slides cannot be found")
            at, places, first = struct.unpack_from("<3I", self._data, edit.start + 8)
            document = first if document is None else document
            if places in tables:
                continue
            tables.add(places)
            table = record_at(self._data, places)
            left -= table.end - table.start
            if left < 0:
                raise Problem(Reason.CORRUPT, "damaged: its slides cannot be found")
            self._add_places(table)
        return self._at(document or 0, {DOCUMENT})

    def _add_places(self, table: OfficeRecord) -> None:
        place = table.start
        while table.kind == PLACES and place + 4 <= table.end:
            (head,) = struct.unpack_from("<I", self._data, place)
            many, place = min(head >> 20, (table.end - place - 4) // 4), place + 4
            for number, where in enumerate(struct.unpack_from(f"<{many}I", self._data, place), head & 0xFFFFF):
                self._places.setdefault(number, where)
            place += 4 * many

    def _at(self, number: int, kinds: set[int] | None = None) -> OfficeRecord:
        if number not in self._places:
            raise Problem(Reason.CORRUPT, "damaged: a slide, or the list of slides, is missing")
        record = record_at(self._data, self._places[number])
        if kinds is not None and record.kind not in kinds:
            raise Problem(Reason.CORRUPT, "damaged: a slide, or the list of slides, is missing")
        self._left -= record.end - record.start
        if self._left < 0:
            raise Problem(Reason.CORRUPT, "damaged: its slides are listed over and over")
        return record

    def add_all(self) -> None:
        lists = {record.instance: record for record in children(self._data, self._document) if record.kind == LIST}
        notes: dict[int, list[OfficeRecord]] = {}
        for number, _, _ in self._listed(lists.get(NOTES)):
            page = self._at(number)
            notes.setdefault(self._slide_of(page), []).append(page)
        for number, slide, outline in self._listed(lists.get(SLIDES)):
            self._add_page(self._at(number), outline)
            for page in notes.pop(slide, []):
                self._add_page(page, [])
        for page in (page for pages in notes.values() for page in pages):
            self._add_page(page, [])
        self._of_masters = True
        for number, _, _ in self._listed(lists.get(MASTERS)):
            self._add_page(self._at(number), [])
        for record in children(self._data, self._document):
            if record.kind == AROUND:
                self._add_header_and_footer(record)
        for text in self._around:
            self.prose.line(text)

    def _listed(self, list_: OfficeRecord | None) -> list[tuple[int, int, list[str]]]:
        """Of each slide of a list its place, the number by which notes name it, and the texts of its outline."""
        slides: list[tuple[int, int, list[OfficeRecord]]] = []
        for record in children(self._data, list_) if list_ else ():
            if record.kind == LISTED:
                number, _, _, slide = struct.unpack_from("<4I", self._data, record.start)
                slides.append((number, slide, []))
            elif slides:
                slides[-1][2].append(record)
        return [(number, slide, self._texts(records)) for number, slide, records in slides]

    def _slide_of(self, page: OfficeRecord) -> int:
        atoms = (record for record in children(self._data, page) if record.kind == NOTES_ATOM)
        atom = next(atoms, None)
        return 0 if atom is None else int.from_bytes(self._data[atom.start : atom.start + 4], "little")

    def _texts(self, records: list[OfficeRecord]) -> list[str]:
        """A text for each header, also an empty one: drawings refer to texts by their number."""
        texts: list[bytearray] = []  # in UTF-16, whose units places count
        for record in records:
            if record.kind == TEXT_HEADER:
                texts.append(bytearray())
            elif record.kind in (WIDE, NARROW):
                content = self._data[record.start : record.end]
                wide = content if record.kind == WIDE else content.decode("latin-1").encode("utf-16-le")
                texts[-1:] = [bytearray(wide)]
            elif record.kind in FIELDS and texts:
                (place,) = struct.unpack_from("<i", self._data, record.start)
                if 0 <= place < len(texts[-1]) // 2:
                    texts[-1][2 * place : 2 * place + 2] = b"\0\0"
        return [text.decode("utf-16-le", "replace") for text in texts]

    def _add_page(self, page: OfficeRecord, outline: list[str]) -> None:
        """Add a slide, a page of notes, or a master, whose placeholders are not shown ("Click to edit")."""
        referred: set[int] = set()  # numbers of the outline's texts that drawings show
        hidden = self._placeholders(page) if self._of_masters else set()
        skipped: OfficeRecord | None = None
        for edge, record in walk(self._data, page):
            if skipped is not None:
                skipped = None if (edge, record) == ("end", skipped) else skipped
            elif edge == "end":
                continue
            elif record in hidden:
                skipped = record
            elif record.kind == TEXT_BOX:
                inside = list(children(self._data, record))
                for child in inside:
                    if child.kind == REFERENCE:
                        number = int.from_bytes(self._data[child.start : child.start + 4], "little")
                        referred.add(number)
                        self._add_text(outline[number] if number < len(outline) else "")
                for text in self._texts(inside):
                    self._add_text(text)
            elif record.kind in SHAPE_PROPERTIES:
                for text in shape_texts(self._data, record):
                    self._add_text(text)
            elif record.kind == COMMENT:
                for child in children(self._data, record):
                    if child.kind == STRING and child.instance == COMMENT_TEXT:
                        self._add_text(self._string(child))
            elif record.kind == AROUND:
                self._add_header_and_footer(record)
        for number, text in enumerate(outline):
            if number not in referred:
                self._add_text(text)

    def _placeholders(self, page: OfficeRecord) -> set[OfficeRecord]:
        placeholders: set[OfficeRecord] = set()
        shapes: list[OfficeRecord] = []
        for edge, record in walk(self._data, page):
            if record.kind == SHAPE:
                shapes = [*shapes, record] if edge == "start" else shapes[:-1]
            elif record.kind == PLACEHOLDER:
                placeholders.update(shapes[-1:])
        return placeholders

    def _add_header_and_footer(self, around: OfficeRecord) -> None:
        flags = 0
        for child in children(self._data, around):
            if child.kind == AROUND_FLAGS:
                flags = int.from_bytes(self._data[child.start + 2 : child.start + 4], "little")
            elif child.kind == STRING and flags & SHOWN_IF.get(child.instance, 0):
                self._around[self._string(child).translate(MARKS).strip()] = None

    def _string(self, record: OfficeRecord) -> str:
        return self._data[record.start : record.end].decode("utf-16-le", "replace").rstrip("\0")

    def _add_text(self, text: str) -> None:
        shown = text.translate(MARKS).strip()
        if shown and self._of_masters:
            self._around[shown] = None
        elif shown:
            self.prose.line(shown)
