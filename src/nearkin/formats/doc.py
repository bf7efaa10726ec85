"""Word's old binary files, of Word 97 to 2003 ([MS-DOC]): all text that the table of pieces leads to.

That is, one after the other, the text itself, footnotes, headers and footers, comments, endnotes and text boxes; then
alt texts and WordArt. Codes of fields, and what is marked as deleted, are not shown and not read. Older files are
recognised and not read.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ole import (
    ENCRYPTED,
    SHAPE_PROPERTIES,
    OfficeRecord,
    opened,
    properties,
    record_at,
    shape_texts,
    stream_of,
    walk,
)
from nearkin.model import Reason
from nearkin.text.decode import without_lone_surrogates

WORD, WORD_97 = 0xA5EC, 0xC0  # marks of the format and of its first version, mostly 0xC1 ([MS-DOC] §2.5.1)
LOCKED, SECOND_TABLE = 0x0100, 0x0200
COUNTS = "<8i"  # characters of the text, footnotes, headers, macros, comments, endnotes, text boxes, those in headers
HEADERS = 2
COUNTS_AT, RUNS_AT, PIECES_AT = 0x4C, 0xFA, 0x1A2
NARROW = 1 << 30  # a piece of one byte a character
PAGE = 512
DELETED = 0x0800  # sprmCFRMarkDel
OPERANDS = (1, 1, 2, 4, 2, 2, 0, 3)  # bytes of an operand, by the upper three bits; 0 where its first byte says
OF_FIELDS = re.compile("[\x13-\x15]")  # a field's code begins, its result begins, it ends
FIELD, END = "\x13", "\x15"
SHOWN = {"\r": "\n", "\x07": "\n", "\x0b": "\n", "\x0c": "\n", "\x0e": "\n", "\x1e": "-", "\t": "\t", "\n": "\n"}
MARKS = str.maketrans({chr(code): SHOWN.get(chr(code), "") for code in range(32)})

Span = tuple[int, int]


def read(file: BinaryIO, limits: Limits) -> Extraction:
    with opened(file) as storage:
        if any(storage.exists(name) for name in ENCRYPTED):
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        document = storage.openstream("WordDocument").read()
        mark, version, flags = *struct.unpack_from("<HH", document), *struct.unpack_from("<H", document, 10)
        if mark != WORD or version < WORD_97:
            raise Problem(Reason.UNSUPPORTED, "not of Word 97 to 2003")
        if flags & LOCKED:
            raise Problem(Reason.ENCRYPTED, "a password is needed")
        table = storage.openstream("1Table" if flags & SECOND_TABLE else "0Table").read()
        data = b""
        with suppress(Problem, OSError):  # pictures, whose alt texts are no part of the text
            data = stream_of(storage, "Data")
        known = properties(storage)
    held = TextBuilder(limits)
    for piece in _pieces(document, table):
        held.add(piece)
    text = held.text()
    prose = TextBuilder(limits)
    ends = list(accumulate(struct.unpack_from(COUNTS, document, COUNTS_AT), initial=0))
    if min(b - a for a, b in pairwise(ends)) < 0 or ends[-1] > len(text):
        raise Problem(Reason.CORRUPT, "damaged: some of its text is missing")
    if text[ends[-1] :].translate(MARKS).strip():  # a mark ends it where there are notes and the like ([MS-DOC] §2.4.1)
        raise Problem(Reason.CORRUPT, "damaged: it has more text than it says")
    for place, (start, end) in enumerate(pairwise(ends)):
        lines = _shown(text[start:end]).split("\n")
        for line in dict.fromkeys(lines) if place == HEADERS else lines:  # each section has its headers
            prose.line(line)
    for line in alt_texts(document, table, data):
        prose.line(line)
    return Extraction(prose.text(), known)


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    """The text, piece by piece. Deleted characters become zeros, as the places of the others count ([MS-DOC]
    §2.4.1)."""
    start, size = struct.unpack_from("<2I", document, PIECES_AT)
    at, end = start, start + size
    if not size or end > len(table):
        raise Problem(Reason.CORRUPT, "damaged: where its text is cannot be told")
    while table[at] == 1:  # properties of pieces come first
        at += 3 + int.from_bytes(table[at + 1 : at + 3], "little")
    count = (int.from_bytes(table[at + 1 : at + 5], "little") - 4) // 12
    at += 5
    if at + 12 * count + 4 > end or count < 1:
        raise Problem(Reason.CORRUPT, "damaged: where its text is cannot be told")
    places = struct.unpack_from(f"<{count + 1}I", table, at)
    gone = _deleted(document, table)
    for i, (begin, after) in enumerate(pairwise(places)):
        (first,) = struct.unpack_from("<I", table, at + 4 * (count + 1) + 8 * i + 2)
        wide = 1 if first & NARROW else 2
        first = (first & ~NARROW) // 2 if first & NARROW else first
        length = (after - begin) * wide
        if length < 0 or first + length > len(document):
            raise Problem(Reason.CORRUPT, "damaged: some of its text is missing")
        piece = bytearray(document[first : first + length])
        for at_gone in range(max(bisect_right(gone, (first, 0)) - 1, 0), len(gone)):
            low, high = gone[at_gone]
            if low >= first + length:
                break
            low, high = max(low - first, 0), min(high - first, length)
            piece[low:high] = bytes(max(high - low, 0))
        yield piece.decode("cp1252", "replace") if wide == 1 else _wide(piece)


def _wide(piece: bytearray) -> str:
    """A piece of two bytes a character. Halves of surrogate pairs count as characters here."""
    text = piece.decode("utf-16-le", "surrogatepass")
    if 2 * len(text) == len(piece):
        return text
    return "".join(map(chr, struct.unpack(f"<{len(piece) // 2}H", piece)))


def _deleted(document: bytes, table: bytes) -> list[Span]:
    """The spans of the file that are deleted, from the pages of runs of characters ([MS-DOC] §2.9.33)."""
    start, size = struct.unpack_from("<2I", document, RUNS_AT)
    count = (size - 4) // 8
    if count < 1 or start + size > len(table):
        return []
    pages = struct.unpack_from(f"<{count}I", table, start + 4 * (count + 1))
    deleted: list[Span] = []
    for page in dict.fromkeys(number & 0x3FFFFF for number in pages):
        data = document[page * PAGE : (page + 1) * PAGE]
        if len(data) < PAGE or (runs := data[-1]) * 5 + 5 > PAGE:
            continue
        bounds = struct.unpack_from(f"<{runs + 1}I", data)
        for span, word in zip(pairwise(bounds), data[4 * (runs + 1) :], strict=False):
            if word and _is_deletion(data[2 * word + 1 : 2 * word + 1 + data[2 * word]]):
                deleted.append(span)
    return sorted(span for span in deleted if span[0] < span[1])


def _is_deletion(changes: bytes) -> bool:
    at, deleted = 0, False
    while at + 3 <= len(changes):
        change = int.from_bytes(changes[at : at + 2], "little")
        if change == DELETED:
            deleted = changes[at + 2] == 1
        at += 2 + (OPERANDS[change >> 13] or 1 + changes[at + 2])
    return deleted


def _shown(text: str) -> str:
    """The text without codes of fields. Where a field never ends, its codes stay: no text is lost to a broken field."""
    text = text.replace("\0", "")
    pieces: list[str] = []
    codes: list[bool] = []  # for each field that is open: whether its code goes on
    at = 0
    open_codes = 0
    for mark in OF_FIELDS.finditer(text):
        if not open_codes:
            pieces.append(text[at : mark.start()])
        at = mark.end()
        if mark[0] == FIELD:
            codes.append(True)
            open_codes += 1
        elif codes:
            open_codes -= codes[-1]
            codes[-1] = False
            if mark[0] == END:
                codes.pop()
    whole = "".join([*pieces, text[at:]]) if not codes else text
    return without_lone_surrogates(whole.translate(MARKS))


DRAWINGS_AT = 0x22A  # in the document: where they lie in the table, and how many bytes
PICTURE_HEAD = 68  # bytes
SHAPE, NAMED_FILE = 0x64, 0x66  # what a picture's head says of what follows; the name of a file comes first


def alt_texts(document: bytes, table: bytes, data: bytes) -> list[str]:
    """Alt texts and WordArt. Drawings lie in the table stream (§2.9.172 OfficeArtContent), pictures that stand in a
    line in the data stream, one after the other (§2.9.192 PICFAndOfficeArtData). Of damaged ones the texts before the
    damage are read, without a Problem: they are no part of the text."""
    texts: list[str] = []
    for shapes in (_drawings(document, table), _pictures(data)):
        try:
            for stream, shape in shapes:
                for edge, record in walk(stream, shape):
                    if edge == "start" and record.kind in SHAPE_PROPERTIES:
                        texts += (text.rstrip("\0") for text in shape_texts(stream, record))
        except (Problem, struct.error):
            continue
    return [text for text in texts if text.strip()]


def _drawings(document: bytes, table: bytes) -> Iterator[tuple[bytes, OfficeRecord]]:
    """The drawings of the text and of the headers, each behind a byte that says which. The data that both share comes
    first."""
    start, size = struct.unpack_from("<2I", document, DRAWINGS_AT)
    end = min(start + size, len(table))
    if size and start < end:
        place = record_at(table, start, end).end
        while place + 1 < end:
            record = record_at(table, place + 1, end)
            yield table, record
            place = record.end


def _pictures(data: bytes) -> Iterator[tuple[bytes, OfficeRecord]]:
    place = 0
    while place + PICTURE_HEAD < len(data):
        size, head, kind = struct.unpack_from("<IHH", data, place)
        if size < PICTURE_HEAD or head != PICTURE_HEAD:
            return
        start = place + PICTURE_HEAD + (1 + data[place + PICTURE_HEAD] if kind == NAMED_FILE else 0)
        if kind in (SHAPE, NAMED_FILE):
            yield data, record_at(data, start, min(place + size, len(data)))
        place += size
