"""PowerPoint's old binary files, of PowerPoint 97 to 2003 ([MS-PPT]): slide by slide its text, notes and comments; last
headers, footers and what masters show.

Each time such a file is saved, what changed may be added at its end: the last edit leads to the tables that tell where
each slide is now (§2.1.2). A slide that was deleted is in none of the lists. Texts of titles and outlines stand in the
list of slides, and drawings refer to them by number (§2.9.78).
"""

import struct
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.ole import ENCRYPTED, opened, properties
from nearkin.formats.ppt_records import Record, children, record_at, walk
from nearkin.formats.prose import Prose
from nearkin.formats.shape_texts import SHAPE_PROPERTIES, shape_texts
from nearkin.model import Reason

STREAM, CURRENT = "PowerPoint Document", "Current User"
LOCKED_SUMMARY, LOCKED = "EncryptedSummary", 0xF3D1C4DF
CURRENT_USER, EDIT, PLACES = 0x0FF6, 0x0FF5, 0x1772
DOCUMENT, LIST, LISTED, NOTES_ATOM = 0x03E8, 0x0FF0, 0x03F3, 0x03F1
SLIDES, MASTERS, NOTES = 0, 1, 2  # instances of lists
TEXT_HEADER, WIDE, NARROW, REFERENCE, TEXT_BOX = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E, 0xF00D
# Numbers of slides, dates, headers and footers stand in the text as one character each, at a place that is told.
MOVING = {0x0FD8, 0x0FF7, 0x0FF8, 0x0FF9, 0x0FFA, 0x1015}
SHAPE, PLACEHOLDER = 0xF004, 0x0BC3
STRING, COMMENT, COMMENT_TEXT = 0x0FBA, 0x2EE0, 1
AROUND, AROUND_FLAGS = 0x0FD9, 0x0FDA
SHOWN_IF = {0: 0x04, 1: 0x10, 2: 0x20}  # a fixed date, header, footer: instance of the text, bit that it is shown
MARKS = str.maketrans({"\r": "\n", "\x0b": "\n", "\0": None})


def read(file: BinaryIO, limits: Limits) -> Found:
    with opened(file) as storage:
        if any(storage.exists(name) for name in (*ENCRYPTED, LOCKED_SUMMARY)):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        if not storage.exists(CURRENT):
            raise Problem(Reason.UNSUPPORTED, "not of PowerPoint 97 to 2003")
        data, current = storage.openstream(STREAM).read(), storage.openstream(CURRENT).read()
        known = properties(storage)
    show = _Show(data, current, limits)
    show.add_all()
    return Found(show.prose.text(), known)


class _Show:
    def __init__(self, data: bytes, current: bytes, limits: Limits) -> None:
        self.prose = Prose(limits)
        self._data = data
        self._around: dict[str, None] = {}  # headers, footers, and what masters show: of many slides, told once
        self._of_masters = False
        self._places: dict[int, int] = {}
        self._left = 2 * len(data)  # bytes of slides: listed once each, they are no longer together than the stream
        self._document = self._found(current)

    def _found(self, current: bytes) -> Record:
        """Follows the edits, the last first: what it says of a place counts."""
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

    def _add_places(self, table: Record) -> None:
        place = table.start
        while table.kind == PLACES and place + 4 <= table.end:
            (head,) = struct.unpack_from("<I", self._data, place)
            many, place = min(head >> 20, (table.end - place - 4) // 4), place + 4
            for number, where in enumerate(struct.unpack_from(f"<{many}I", self._data, place), head & 0xFFFFF):
                self._places.setdefault(number, where)
            place += 4 * many

    def _at(self, number: int, kinds: set[int] | None = None) -> Record:
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
        lists = {one.instance: one for one in children(self._data, self._document) if one.kind == LIST}
        notes: dict[int, list[Record]] = {}
        for number, _, _ in self._listed(lists.get(NOTES)):
            page = self._at(number)
            notes.setdefault(self._slide_of(page), []).append(page)
        for number, slide, outline in self._listed(lists.get(SLIDES)):
            self._add(self._at(number), outline)
            for page in notes.pop(slide, []):
                self._add(page, [])
        for page in (page for pages in notes.values() for page in pages):
            self._add(page, [])
        self._of_masters = True
        for number, _, _ in self._listed(lists.get(MASTERS)):
            self._add(self._at(number), [])
        for record in children(self._data, self._document):
            if record.kind == AROUND:
                self._hear(record)
        for text in self._around:
            self.prose.line(text)

    def _listed(self, list_: Record | None) -> list[tuple[int, int, list[str]]]:
        """Where a slide is, by which number notes name it, and the texts of its outline."""
        found: list[tuple[int, int, list[Record]]] = []
        for record in children(self._data, list_) if list_ else ():
            if record.kind == LISTED:
                number, _, _, slide = struct.unpack_from("<4I", self._data, record.start)
                found.append((number, slide, []))
            elif found:
                found[-1][2].append(record)
        return [(number, slide, self._texts(records)) for number, slide, records in found]

    def _slide_of(self, page: Record) -> int:
        atoms = (one for one in children(self._data, page) if one.kind == NOTES_ATOM)
        atom = next(atoms, None)
        return 0 if atom is None else int.from_bytes(self._data[atom.start : atom.start + 4], "little")

    def _texts(self, records: list[Record]) -> list[str]:
        """One for each header, though it be empty: they are referred to by their number."""
        found: list[bytearray] = []  # of UTF-16: its units are what places count
        for record in records:
            if record.kind == TEXT_HEADER:
                found.append(bytearray())
            elif record.kind in (WIDE, NARROW):
                text = self._data[record.start : record.end]
                wide = text if record.kind == WIDE else text.decode("latin-1").encode("utf-16-le")
                found[-1:] = [bytearray(wide)]
            elif record.kind in MOVING and found:
                (place,) = struct.unpack_from("<i", self._data, record.start)
                if 0 <= place < len(found[-1]) // 2:
                    found[-1][2 * place : 2 * place + 2] = b"\0\0"
        return [text.decode("utf-16-le", "replace") for text in found]

    def _add(self, page: Record, outline: list[str]) -> None:
        """A slide, a page of notes, or a master, of which only what is no placeholder is shown ("Click to edit")."""
        told: set[int] = set()  # of the outline
        hidden = self._placeholders(page) if self._of_masters else set()
        skipped: Record | None = None
        for what, record in walk(self._data, page):
            if skipped is not None:
                skipped = None if (what, record) == ("end", skipped) else skipped
            elif what == "end":
                continue
            elif record in hidden:
                skipped = record
            elif record.kind == TEXT_BOX:
                inside = list(children(self._data, record))
                for one in inside:
                    if one.kind == REFERENCE:
                        number = int.from_bytes(self._data[one.start : one.start + 4], "little")
                        told.add(number)
                        self._say(outline[number] if number < len(outline) else "")
                for text in self._texts(inside):
                    self._say(text)
            elif record.kind in SHAPE_PROPERTIES:
                for text in shape_texts(self._data, record):
                    self._say(text)
            elif record.kind == COMMENT:
                for one in children(self._data, record):
                    if one.kind == STRING and one.instance == COMMENT_TEXT:
                        self._say(self._string(one))
            elif record.kind == AROUND:
                self._hear(record)
        for number, text in enumerate(outline):
            if number not in told:
                self._say(text)

    def _placeholders(self, page: Record) -> set[Record]:
        found: set[Record] = set()
        shapes: list[Record] = []
        for what, record in walk(self._data, page):
            if record.kind == SHAPE:
                shapes = [*shapes, record] if what == "start" else shapes[:-1]
            elif record.kind == PLACEHOLDER:
                found.update(shapes[-1:])
        return found

    def _hear(self, around: Record) -> None:
        flags = 0
        for one in children(self._data, around):
            if one.kind == AROUND_FLAGS:
                flags = int.from_bytes(self._data[one.start + 2 : one.start + 4], "little")
            elif one.kind == STRING and flags & SHOWN_IF.get(one.instance, 0):
                self._around[self._string(one).translate(MARKS).strip()] = None

    def _string(self, record: Record) -> str:
        return self._data[record.start : record.end].decode("utf-16-le", "replace").rstrip("\0")

    def _say(self, text: str) -> None:
        shown = text.translate(MARKS).strip()
        if shown and self._of_masters:
            self._around[shown] = None
        elif shown:
            self.prose.line(shown)
