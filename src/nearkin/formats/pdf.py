"""PDF by PDFium: pages, then annotations, form fields and alt texts; attached files are members.

Words that a line's end divides are joined again; running headers are said once. Dots that lead to a number are no text,
nor is that number where it proves to be a page's: it tells of the paper, and no other format has it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_ushort
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

from nearkin.formats.divided import joined
from nearkin.formats.found import Found, Limits, Member, Problem
from nearkin.formats.lacking import few_failed
from nearkin.formats.leaders import without_leaders
from nearkin.formats.pdf_streams import damaged
from nearkin.formats.prose import Prose
from nearkin.formats.running import said_once
from nearkin.model import Reason

PASSWORD = 4  # FPDF_ERR_PASSWORD
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+\-Z])(?:(\d\d)'?(\d\d)?)?)?")
# Between two characters of Chinese or Japanese a line's end is no space.
WIDE = "[\u3001-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60]"
WITHIN = re.compile(f"(?<={WIDE})\n(?={WIDE})")
LONGEST_NOTE = 1 << 20
MOST_ELEMENTS = 10_000
LOST = Problem(Reason.CORRUPT, "its stream is damaged: what it says from there on is not read")


def read(file: BinaryIO, limits: Limits) -> Found:
    import pypdfium2

    # PDFium does not always say why a document fails: what it said of another would stand. Nothing is a format error.
    pypdfium2.raw.FPDF_LoadMemDocument(b"", 0, None)
    try:
        document = pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD or "password" in str(error).lower():
            raise Problem(Reason.ENCRYPTED, "a password is needed") from error
        raise Problem(Reason.CORRUPT, str(error)) from error
    pages = len(document)
    held = Prose(limits)  # counts the text while the pages are read
    notes: list[str] = []
    shown: dict[int, str] = {}
    missing = 0
    with _form(document) as form:
        for number in range(pages):
            page = _page(document, number, form, notes)
            missing += page is None
            if page and page.strip():
                held.add(page)
                shown[number] = page
    if missing:
        raise Problem(Reason.CORRUPT, f"{missing} of {pages} page{'s' * (pages != 1)} cannot be read")
    shown = dict(zip(shown, joined(list(shown.values())), strict=True))
    prose = Prose(limits)
    for page in said_once(shown, pages):
        prose.line(page)
    for note in notes:
        prose.line(note)
    text = WITHIN.sub("", without_leaders(prose.text(), pages, shown))
    lost = _lost(document, file)
    if not text.strip() and lost:
        raise Problem(Reason.CORRUPT, f"no text, and {len(lost)} damaged stream{'s' * (len(lost) != 1)}")
    if not text.strip():
        raise Problem(Reason.EMPTY, f"{pages} page{'s' * (pages != 1)} without text: scanned pictures?")
    return Found(text, _properties(document), few_failed(chain(lost, _members(document, limits))))


@contextmanager
def _form(document: Any) -> Iterator[Any]:
    """What knows the fields of a form, those whose widgets are but a part of them too; None: there is no form."""
    import pypdfium2.raw as pdfium

    config = pdfium.FPDF_FORMFILLINFO(version=2)  # no scripts are run; it must live as long as the form
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, config) if pdfium.FPDF_GetFormType(document) else None
    try:
        yield form
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def _page(document: Any, number: int, form: Any, notes: list[str]) -> str | None:
    """None: it is not there."""
    import pypdfium2

    try:
        page = document[number]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return None
    told: str = text.get_text_range().replace("\r\n", "\n").translate(LIGATURES)
    text.close()
    notes.extend(_notes(page, form))
    notes.extend(_alt_texts(page))
    page.close()
    return told


def _notes(page: Any, form: Any) -> Iterator[str]:
    import pypdfium2.raw as pdfium

    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        if kind == pdfium.FPDF_ANNOT_WIDGET:
            yield _string(note, b"V") or (_value(form, note) if form else "")
        elif kind not in (pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_LINK):
            yield _string(note, b"Contents")
        pdfium.FPDFPage_CloseAnnot(note)


def _alt_texts(page: Any) -> Iterator[str]:
    """Of pictures, from the tree of a tagged file (PDF 1.7 §14.9.3), the first 10,000 elements of a page."""
    import pypdfium2.raw as pdfium

    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    roots = pdfium.FPDF_StructTree_CountChildren(tree)
    waiting = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, at) for at in reversed(range(min(roots, MOST_ELEMENTS)))]
    for _ in range(MOST_ELEMENTS):
        if not waiting:
            break
        if element := waiting.pop():
            yield _wide(
                lambda buffer, size, element=element: pdfium.FPDF_StructElement_GetAltText(element, buffer, size)
            )
            inner = min(pdfium.FPDF_StructElement_CountChildren(element), MOST_ELEMENTS)
            waiting += [pdfium.FPDF_StructElement_GetChildAtIndex(element, at) for at in reversed(range(inner))]
    pdfium.FPDF_StructTree_Close(tree)


def _string(note: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    return _wide(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(note, key, buffer, size))


def _value(form: Any, note: Any) -> str:
    """Of a field whose widgets are its kids: the value is the field's (PDF 1.7 §12.7.3.1)."""
    import pypdfium2.raw as pdfium

    written = (pdfium.FPDF_FORMFIELD_TEXTFIELD, pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX)
    if pdfium.FPDFAnnot_GetFormFieldType(form, note) not in written:
        return ""  # of buttons it is the name of a state, which nobody sees
    return _wide(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, note, buffer, size))


def _wide(fill: Callable[..., int]) -> str:
    """PDFium tells the size first, then fills a buffer with UTF-16."""
    size = fill(None, 0)
    if not 2 < size <= LONGEST_NOTE:
        return ""
    buffer = (c_ushort * (size // 2))()
    fill(buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")


def _properties(document: Any) -> dict[str, str]:
    told = document.get_metadata_dict()
    found = {
        "title": told.get("Title", ""),
        "author": told.get("Author", ""),
        "created": _date(told.get("CreationDate", "")),
        "modified": _date(told.get("ModDate", "")),
    }
    return {key: value.strip() for key, value in found.items() if value.strip()}


def _date(told: str) -> str:
    """D:20260131120000+01'00' as ISO 8601 (PDF 1.7 §7.9.4)."""
    if not (match := DATE.match(told)):
        return ""
    year, *rest = (int(group) if group else None for group in match.groups()[:6])
    month, day, hour, minute, second = (
        value if value is not None else least for value, least in zip(rest, (1, 1, 0, 0, 0), strict=True)
    )
    sign, zone_hours, zone_minutes = match.groups()[6:]
    zone = "" if not sign else "Z" if sign == "Z" else f"{sign}{zone_hours or '00'}:{zone_minutes or '00'}"
    try:
        return datetime(year or 0, month, day, hour, minute, second).isoformat() + zone
    except ValueError:
        return ""


def _lost(document: Any, file: BinaryIO) -> list[Member]:
    """Damaged streams, each as a member that failed. In an encrypted file they cannot be told."""
    import pypdfium2.raw as pdfium

    if pdfium.FPDF_GetSecurityHandlerRevision(document) != -1:
        return []
    return [Member(f"object {number}".encode(), b"", problem=LOST) for number in damaged(file)]


def _members(document: Any, limits: Limits) -> Iterator[Member]:
    import pypdfium2

    from nearkin.formats.members import Counted

    counted = Counted(limits)
    for index in range(document.count_attachments()):
        counted.begin()
        name = b"attachment"
        try:
            attached = document.get_attachment(index)
            name = attached.get_name().encode("utf-8", "replace") or name
            data = attached.get_data()
        except pypdfium2.PdfiumError as error:
            yield Member(name, b"", problem=Problem(Reason.CORRUPT, str(error)))
            continue
        yield counted.attached(name, len(data), partial(bytes, data))
