"""Word's old binary files, of Word 97 to 2003 ([MS-DOC]): all text that the table of pieces leads to.

That is, one after the other, the text itself, footnotes, headers and footers, comments, endnotes and text boxes; then
alt texts. Not shown, and not read: codes of fields, and what is marked as deleted. Older files are told apart and not
read.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, pairwise
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.doc_shapes import alt_texts
from nearkin.formats.ole import ENCRYPTED, opened, properties, stream_of
from nearkin.formats.prose import Prose
from nearkin.model import Reason

WORD, WORD_97 = 0xA5EC, 0xC0  # marks of the format and of its first version, mostly 0xC1 ([MS-DOC] §2.5.1)
LOCKED, SECOND_TABLE = 0x0100, 0x0200
COUNTS = "<8i"  # characters of the text, footnotes, headers, macros, comments, endnotes, text boxes, those in headers
HEADERS = 2
COUNTS_AT, RUNS_AT, PIECES_AT = 0x4C, 0xFA, 0x1A2
NARROW = 1 << 30  # a piece of one byte a character
PAGE = 512
DELETED = 0x0800  # sprmCFRMarkDel
OPERANDS = (1, 1, 2, 4, 2, 2, 0, 3)  # bytes, by the upper three bits; 0: the first byte says
OF_FIELDS = re.compile("[\x13-\x15]")  # its code begins, its result begins, it ends
FIELD, END = "\x13", "\x15"
SHOWN = {"\r": "\n", "\x07": "\n", "\x0b": "\n", "\x0c": "\n", "\x0e": "\n", "\x1e": "-", "\t": "\t", "\n": "\n"}
MARKS = str.maketrans({chr(code): SHOWN.get(chr(code), "") for code in range(32)})

Span = tuple[int, int]


def read(file: BinaryIO, limits: Limits) -> Found:
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
        with suppress(Problem, OSError):  # pictures: their alt texts are no part of the text
            data = stream_of(storage, "Data")
        known = properties(storage)
    held = Prose(limits)
    for piece in _pieces(document, table):
        held.add(piece)
    text = held.text()
    prose = Prose(limits)
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
    return Found(prose.text(), known)


def _pieces(document: bytes, table: bytes) -> Iterator[str]:
    """Characters that are deleted are zeros: the places of the others count ([MS-DOC] §2.4.1)."""
    start, size = struct.unpack_from("<2I", document, PIECES_AT)
    at, end = start, start + size
    if not size or end > len(table):
        raise Problem(Reason.CORRUPT, "damaged: where its text is cannot be told")
    while table[at] == 1:  # properties of pieces come first
        at += 3 + int.from_bytes(table[at + 1 : at + 3], "little")
    many = (int.from_bytes(table[at + 1 : at + 5], "little") - 4) // 12
    at += 5
    if at + 12 * many + 4 > end or many < 1:
        raise Problem(Reason.CORRUPT, "damaged: where its text is cannot be told")
    places = struct.unpack_from(f"<{many + 1}I", table, at)
    gone = _deleted(document, table)
    for i, (one, other) in enumerate(pairwise(places)):
        (first,) = struct.unpack_from("<I", table, at + 4 * (many + 1) + 8 * i + 2)
        wide = 1 if first & NARROW else 2
        first = (first & ~NARROW) // 2 if first & NARROW else first
        length = (other - one) * wide
        if length < 0 or first + length > len(document):
            raise Problem(Reason.CORRUPT, "damaged: some of its text is missing")
        some = bytearray(document[first : first + length])
        for at_gone in range(max(bisect_right(gone, (first, 0)) - 1, 0), len(gone)):
            low, high = gone[at_gone]
            if low >= first + length:
                break
            low, high = max(low - first, 0), min(high - first, length)
            some[low:high] = bytes(max(high - low, 0))
        yield some.decode("cp1252", "replace") if wide == 1 else _wide(some)


def _wide(some: bytearray) -> str:
    """Two bytes are one character here, halves of those beyond them too."""
    text = some.decode("utf-16-le", "surrogatepass")
    if 2 * len(text) == len(some):
        return text
    return "".join(map(chr, struct.unpack(f"<{len(some) // 2}H", some)))


def _deleted(document: bytes, table: bytes) -> list[Span]:
    """Where in the file, from the pages of runs of characters ([MS-DOC] §2.9.33)."""
    start, size = struct.unpack_from("<2I", document, RUNS_AT)
    many = (size - 4) // 8
    if many < 1 or start + size > len(table):
        return []
    pages = struct.unpack_from(f"<{many}I", table, start + 4 * (many + 1))
    found: list[Span] = []
    for page in dict.fromkeys(number & 0x3FFFFF for number in pages):
        data = document[page * PAGE : (page + 1) * PAGE]
        if len(data) < PAGE or (runs := data[-1]) * 5 + 5 > PAGE:
            continue
        bounds = struct.unpack_from(f"<{runs + 1}I", data)
        for span, word in zip(pairwise(bounds), data[4 * (runs + 1) :], strict=False):
            if word and _is_deletion(data[2 * word + 1 : 2 * word + 1 + data[2 * word]]):
                found.append(span)
    return sorted(span for span in found if span[0] < span[1])


def _is_deletion(changes: bytes) -> bool:
    at, deleted = 0, False
    while at + 3 <= len(changes):
        what = int.from_bytes(changes[at : at + 2], "little")
        if what == DELETED:
            deleted = changes[at + 2] == 1
        at += 2 + (OPERANDS[what >> 13] or 1 + changes[at + 2])
    return deleted


def _shown(text: str) -> str:
    """Without codes of fields; with them where one never ends: nothing is lost to a broken one."""
    text = text.replace("\0", "")
    pieces: list[str] = []
    codes: list[bool] = []  # of the fields that are open: is this still the code?
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
    return whole.translate(MARKS).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
