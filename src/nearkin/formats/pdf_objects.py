"""What a PDF holds beside the text of its pages: annotations, fields of forms, XFA forms; and its damaged streams.

What an annotation shows is its appearance ([PDF] 1.7 §12.5.5), which PDFium gives only as a part of the page: so the
page is read once more with its annotations flattened into it, where one has any. What that adds is what they show; a
comment or a value is added only where its appearance does not say it.

Forms of Adobe may be XML in a PDF (XFA 3.3): their pages are made when they are opened, and what stands there instead
is the same in all of them ("Please wait…"). The texts and captions of the form are read, then what was filled in;
choices of lists, scripts, and texts for screen readers, which repeat the captions, are not.

Of a stream that cannot be unpacked, PDFium gives the text before the damage, or nothing, and reports no error. Streams
that may hold text are therefore unpacked once more: pages, forms, objects packed together, tables of characters,
attached files. Pictures and fonts are passed over, by their length where that is true. Objects are found by the words
around them (PDF 1.7 §7.3.8), as in mending a file without its table. Which page an object belongs to is not known.
"""

import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_ulong, c_ushort, create_string_buffer
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

import pypdfium2.raw as pdfium

from nearkin.formats.adapter import Problem, TextBuilder
from nearkin.formats.xml import XmlEvent, events, without_hidden
from nearkin.model import Reason
from nearkin.text.kind import visible_text

LONGEST_NOTE = 1 << 20
MOST_OPTIONS = 10_000  # of a list
LIKELY_SAME = 16  # characters that no other text has by chance, wherever lines end


@contextmanager
def form_of(document: Any) -> Iterator[Any]:
    """PDFium's form of a document, which knows the values of its fields, also of those with several widgets; None where
    there is no form."""
    config = pdfium.FPDF_FORMFILLINFO(version=2)  # no scripts are run; it must live as long as the form
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, config) if pdfium.FPDF_GetFormType(document) else None
    try:
        yield form
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def notes(page: Any, form: Any) -> tuple[list[str], bool, list[int]]:
    """The texts of annotations; whether any of them has an appearance; the numbers of those that hold a file."""
    texts: list[str] = []
    files: list[int] = []
    drawn = False
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        if kind not in (pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_LINK):
            drawn = drawn or bool(pdfium.FPDFAnnot_HasKey(note, b"AP"))
            texts += _field(note, form) if kind == pdfium.FPDF_ANNOT_WIDGET else [_contents(note)]
        if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            files.append(index)
        pdfium.FPDFPage_CloseAnnot(note)
    return [text for text in texts if text.strip()], drawn, files


def with_shown(texts: list[str], before: str, after: str) -> list[str]:
    """What annotations show, then those of their texts that are not shown. `before` and `after`: the page's text
    without and with them."""
    shown = _added(before, after).strip()
    words, letters = f" {' '.join(shown.split())} ", "".join(shown.split())

    def is_shown(text: str) -> bool:
        joined = "".join(text.split())
        return f" {' '.join(text.split())} " in words or (len(joined) >= LIKELY_SAME and joined in letters)

    return [shown, *(text for text in texts if not is_shown(text))]


def _added(before: str, after: str) -> str:
    """The text that annotations add to a page: it comes last; where it does not, it is found line by line."""
    if after.startswith(before):
        return after[len(before) :]
    left = Counter(before.split("\n"))
    lines = []
    for line in after.split("\n"):
        if left[line]:
            left[line] -= 1
        else:
            lines.append(line)
    return "\n".join(lines)


def _contents(note: Any) -> str:
    """A comment's plain text; otherwise its formatted text as plain text ([PDF] 1.7 §12.7.3.4)."""
    if (plain := _string(note, b"Contents")) or not (rich := _string(note, b"RC")):
        return plain
    return visible_text(rich.encode("utf-8", "replace")).decode()


def _field(note: Any, form: Any) -> list[str]:
    """The text of a form's field. Of lists it is the label of the chosen entry, which need not be the value
    (§12.7.4.4)."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note) if form else -1
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX) and (chosen := _chosen(note, form)):
        return chosen
    if kind in (pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return []  # the value is the name of a state, which no person sees
    if (value := _string(note, b"V")) or not form:
        return [value]
    # Where the widget is only a child of the field, the field has the value (§12.7.3.1).
    return [wide(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, note, buffer, size))]


def _chosen(note: Any, form: Any) -> list[str]:
    count = min(pdfium.FPDFAnnot_GetOptionCount(form, note), MOST_OPTIONS)
    return [
        wide(lambda buffer, size, at=at: pdfium.FPDFAnnot_GetOptionLabel(form, note, at, buffer, size))
        for at in range(count)
        if pdfium.FPDFAnnot_IsOptionSelected(form, note, at)
    ]


def _string(note: Any, key: bytes) -> str:
    return wide(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(note, key, buffer, size))


def wide(fill: Callable[..., int]) -> str:
    """A text of PDFium, which gives the size first, then fills a buffer with UTF-16."""
    size = fill(None, 0)
    if not 2 < size <= LONGEST_NOTE:
        return ""
    buffer = (c_ushort * (size // 2))()
    fill(buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


LARGEST = 64 << 20  # bytes
MOST = 1000  # packets of a form: there are some ten, and PDFium lists all of them anew for each
TEMPLATE, DATA = "template", "datasets"
PLAIN, RICH = "text", "exData"
SILENT = {"script", "items", "assist", "bind", "desc", "extras", "variables", "config"}
BLOCKS = {PLAIN, RICH, "p", "li", "td"}


def form_text(document: Any, prose: TextBuilder) -> None:
    """Add the text of an XFA form. Problem: it is damaged."""
    if pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL:
        _add(without_hidden(events(BytesIO(_packets(document))), _hides), prose)


def _hides(event: XmlEvent, _: str) -> bool:
    return event.name in SILENT or event.get("contentType").startswith("image/")


def _packets(document: Any) -> bytes:
    """The packets of a form, which together are one XML file."""
    count = pdfium.FPDF_GetXFAPacketCount(document)
    if count > MOST:
        raise Problem(Reason.CORRUPT, f"its form is in {count:,} pieces")
    pieces: list[bytes] = []
    size = c_ulong()
    for number in range(count):
        pdfium.FPDF_GetXFAPacketContent(document, number, None, 0, byref(size))
        if sum(map(len, pieces)) + size.value > LARGEST:
            raise Problem(Reason.TOO_LARGE, f"its form is over {LARGEST >> 20} MB")
        buffer = create_string_buffer(size.value)
        pdfium.FPDF_GetXFAPacketContent(document, number, buffer, size.value, byref(size))
        pieces.append(buffer.raw)
    return b"".join(pieces)


def _add(form: Iterator[XmlEvent], prose: TextBuilder) -> None:
    section = ""  # of the file
    shown = 0  # elements around whose text is shown
    for event in form:
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            prose.add(event.name if shown or (section == DATA and event.name.strip()) else "")
            continue
        if event.name in (TEMPLATE, DATA):
            section = event.name if event.kind == "start" else ""
        if section == TEMPLATE and event.name in (PLAIN, RICH):
            shown += change
        if event.name in BLOCKS or section == DATA:
            prose.end()


BLOCK, DICTIONARY, PIECE, LARGEST_PIECE = 1 << 20, 1 << 12, 1 << 12, 1 << 18  # bytes
# No more is unpacked than so many bytes, or so many times the file: a bomb hides no other damage.
LEAST, TIMES = 64 << 20, 32
HEAD = re.compile(rb"(\d{1,10})\s+\d{1,5}\s+obj\b")
START = re.compile(rb"stream(?:\r\n|\n|\r)")
FLATE = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])")
NO_TEXT = re.compile(
    rb"/Subtype\s*/(?:Image|Type1C|CIDFontType0C|OpenType|XML)\b|/Type\s*/(?:XRef|Metadata)\b|/Length[123]\b"
    rb"|/(?:FunctionType|ShadingType|PatternType|Alternate|Width)\b"
)
LENGTH = re.compile(rb"/Length\s+(\d{1,10})\b(?!\s+\d+\s+R)")
END = b"endstream"
LONGEST_HEAD = 20


class _Stream(NamedTuple):
    """A stream of a PDF."""

    number: int  # of its object
    at: int  # its place in the file
    dictionary: bytes


def damaged(file: BinaryIO) -> list[int]:
    """The numbers of objects whose streams are damaged. Of several objects of one number the last counts."""
    broken: dict[int, bool] = {}
    left = max(LEAST, TIMES * file.seek(0, 2))
    streams = _Streams(file)
    at = 0
    while left > 0 and (stream := streams.after(at)):
        at = stream.at
        if not FLATE.search(stream.dictionary) or NO_TEXT.search(stream.dictionary):
            at += _length(file, stream)
            continue
        is_whole, read, unpacked = _unpacked(file, stream, left)
        broken[stream.number] = not is_whole
        at += read if is_whole else 0
        left -= unpacked
    return [number for number, is_broken in broken.items() if is_broken]


class _Streams:
    """Finds the streams of a file, of which one block is held."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._base, self._block = 0, b""

    def after(self, at: int) -> _Stream | None:
        """The first stream that begins there or later. A place near the end of the block is looked at again with the
        bytes after it."""
        while True:
            if not self._base + DICTIONARY <= at < self._base + len(self._block) - DICTIONARY:
                self._base = max(at - DICTIONARY, 0)
                self._file.seek(self._base)
                self._block = self._file.read(BLOCK)
            if stream := self._in_block(at - self._base):
                return stream
            if len(self._block) < BLOCK:
                return None
            at = self._base + BLOCK - len(END)

    def _in_block(self, place: int) -> _Stream | None:
        while match := START.search(self._block, place):
            start, place = match.span()
            if not self._block[max(start - 8, 0) : start].rstrip().endswith(b">>"):
                continue  # mostly the end of a stream
            before = self._block[max(start - DICTIONARY, 0) : start]
            if head := HEAD.search(before, max(before.rfind(b"obj") - LONGEST_HEAD, 0)):
                return _Stream(int(head[1]), self._base + place, before[head.end() :])
        return None


def _length(file: BinaryIO, stream: _Stream) -> int:
    """The length that a stream states, if it ends there; otherwise 0."""
    stated = LENGTH.search(stream.dictionary)
    if not stated:
        return 0
    file.seek(stream.at + int(stated[1]))
    return int(stated[1]) if END in file.read(len(END) + 4) else 0


def _unpacked(file: BinaryIO, stream: _Stream, most: int) -> tuple[bool, int, int]:
    """Unpack a stream: whether it can be, how many bytes were read, and how many they made."""
    unpacker = zlib.decompressobj()
    size, read, made = PIECE, 0, 0
    file.seek(stream.at)
    try:
        while not unpacker.eof and made < most:
            piece = unpacker.unconsumed_tail or file.read(size)
            if not piece:
                return False, read, made
            read += 0 if unpacker.unconsumed_tail else len(piece)
            size = LARGEST_PIECE if read > LARGEST_PIECE else PIECE
            made += len(unpacker.decompress(piece, LARGEST_PIECE))
    except zlib.error:
        return False, read, made
    return True, read - len(unpacker.unused_data) - len(unpacker.unconsumed_tail), made
