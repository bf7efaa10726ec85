"""PDF by PDFium: pages, then annotations, form fields and alt texts; attached files are members.

Words that a line's end divides are joined again; running headers are written once. Dots that lead to a number are no
text, nor is that number where it proves to be a page's: it belongs to the paper, and no other format has it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, BinaryIO

import pypdfium2
import pypdfium2.raw as pdfium

from nearkin.formats.adapter import (
    NOT_TAKEN_OUT,
    ContainerMember,
    Extraction,
    Limits,
    MemberBudget,
    Problem,
    TextBuilder,
    failures_summed_up,
)
from nearkin.formats.pdf_layout import joined, said_once, without_leaders
from nearkin.formats.pdf_objects import damaged, form_of, form_text, notes, wide, with_shown
from nearkin.model import Reason

PASSWORD = 4  # FPDF_ERR_PASSWORD
LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+\-Z])(?:(\d\d)'?(\d\d)?)?)?")
# Between two characters of Chinese or Japanese a line's end is no space.
WIDE = "[\u3001-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60]"
WITHIN = re.compile(f"(?<={WIDE})\n(?={WIDE})")
MOST_ELEMENTS = 10_000
DAMAGED_STREAM = Problem(Reason.CORRUPT, "its stream is damaged: what it says from there on is not read")

Place = tuple[int, int]  # of an annotation: the number of its page, and its own


def read(file: BinaryIO, limits: Limits) -> Extraction:
    document = _opened(file)
    pages = len(document)
    held = TextBuilder(limits)  # counts the text while the pages are read
    aside: list[str] = []  # texts of annotations, and alt texts
    pinned: list[Place] = []
    shown: dict[int, str] = {}
    missing = 0
    with form_of(document) as form:
        for number in range(pages):
            page = _page(document, number, form, aside, pinned)
            missing += page is None
            if page and page.strip():
                held.add(page)
                shown[number] = page
    several = f"{pages} page{'s' * (pages != 1)}"
    members = _members(document, file, pinned, limits)
    if missing:
        return _failed(Problem(Reason.CORRUPT, f"{missing} of {several} cannot be read"), document, members)
    shown = dict(zip(shown, joined(list(shown.values())), strict=True))
    prose = TextBuilder(limits)
    for page in said_once(shown, pages):
        prose.line(page)
    lost = _damaged_streams(document, file)
    try:
        form_text(document, prose)
    except Problem as problem:
        if problem.reason is Reason.TOO_LARGE:
            raise
        lost.append(ContainerMember.failed(b"form.xdp", problem))
    for note in aside:
        prose.line(note)
    text = WITHIN.sub("", without_leaders(prose.text(), pages, shown))
    if not text.strip():
        why = Problem(Reason.EMPTY, f"{several} without text: scanned pictures?")
        if lost:
            why = Problem(Reason.CORRUPT, f"no text, and {len(lost)} damaged stream{'s' * (len(lost) != 1)}")
        return _failed(why, document, members)
    return Extraction(text, _properties(document), failures_summed_up(chain(lost, members)))


def _opened(file: BinaryIO) -> Any:
    # PDFium does not always say why a document fails, and the reason of an earlier failure would stand. An empty
    # document sets it to a format error.
    pypdfium2.raw.FPDF_LoadMemDocument(b"", 0, None)
    try:
        return pypdfium2.PdfDocument(file)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == PASSWORD or "password" in str(error).lower():
            raise Problem(Reason.ENCRYPTED, "a password is needed") from error
        raise Problem(Reason.CORRUPT, "damaged: not a readable PDF") from error


def _failed(problem: Problem, document: Any, members: Iterator[ContainerMember]) -> Extraction:
    """A document without text. Its attachments are read all the same; without any, the Problem is raised."""
    for first in members:
        return Extraction(None, _properties(document), failures_summed_up(chain((first,), members)), problem)
    raise problem


def _page(document: Any, number: int, form: Any, aside: list[str], pinned: list[Place]) -> str | None:
    """The text of a page; None where the page is missing. Notes and pinned files are added to `aside` and `pinned`."""
    try:
        page = document[number]
        text = _text(page)
    except pypdfium2.PdfiumError:
        return None
    texts, drawn, files = notes(page, form)
    pinned += [(number, index) for index in files]
    alt_texts = list(_alt_texts(page))
    if drawn and pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS:
        page.close()
        with suppress(pypdfium2.PdfiumError):
            page = document[number]
            texts = with_shown(texts, text, _text(page))
    aside += texts + alt_texts
    page.close()
    return text


def _text(page: Any) -> str:
    text_page = page.get_textpage()
    text: str = text_page.get_text_range().replace("\r\n", "\n").translate(LIGATURES)
    text_page.close()
    return text


def _alt_texts(page: Any) -> Iterator[str]:
    """Alt texts of pictures, from the tree of a tagged file (PDF 1.7 §14.9.3): the first 10,000 elements of a page."""
    tree = pdfium.FPDF_StructTree_GetForPage(page)
    if not tree:
        return
    roots = pdfium.FPDF_StructTree_CountChildren(tree)
    waiting = [pdfium.FPDF_StructTree_GetChildAtIndex(tree, at) for at in reversed(range(min(roots, MOST_ELEMENTS)))]
    for _ in range(MOST_ELEMENTS):
        if not waiting:
            break
        if element := waiting.pop():
            yield wide(
                lambda buffer, size, element=element: pdfium.FPDF_StructElement_GetAltText(element, buffer, size)
            )
            inner = min(pdfium.FPDF_StructElement_CountChildren(element), MOST_ELEMENTS)
            waiting += [pdfium.FPDF_StructElement_GetChildAtIndex(element, at) for at in reversed(range(inner))]
    pdfium.FPDF_StructTree_Close(tree)


def _properties(document: Any) -> dict[str, str]:
    metadata = document.get_metadata_dict()
    values = {
        "title": metadata.get("Title", ""),
        "author": metadata.get("Author", ""),
        "created": _date(metadata.get("CreationDate", "")),
        "modified": _date(metadata.get("ModDate", "")),
    }
    return {key: value.strip() for key, value in values.items() if value.strip()}


def _date(value: str) -> str:
    """D:20260131120000+01'00' as ISO 8601 (PDF 1.7 §7.9.4)."""
    if not (match := DATE.match(value)):
        return ""
    year, *rest = (int(group) if group else None for group in match.groups()[:6])
    month, day, hour, minute, second = (
        number if number is not None else least for number, least in zip(rest, (1, 1, 0, 0, 0), strict=True)
    )
    sign, zone_hours, zone_minutes = match.groups()[6:]
    zone = "" if not sign else "Z" if sign == "Z" else f"{sign}{zone_hours or '00'}:{zone_minutes or '00'}"
    try:
        return datetime(year or 0, month, day, hour, minute, second).isoformat() + zone
    except ValueError:
        return ""


def _damaged_streams(document: Any, file: BinaryIO) -> list[ContainerMember]:
    """Damaged streams, each as a member that failed. In an encrypted file they cannot be recognised."""
    if pdfium.FPDF_GetSecurityHandlerRevision(document) != -1:
        return []
    return [ContainerMember.failed(f"object {number}".encode(), DAMAGED_STREAM) for number in damaged(file)]


def _members(document: Any, file: BinaryIO, pinned: list[Place], limits: Limits) -> Iterator[ContainerMember]:
    """Files of the document, then those pinned to pages; a file that is there twice comes once."""
    budget = MemberBudget(limits)
    seen: set[tuple[bytes, bytes]] = set()
    listed = (partial(document.get_attachment, index) for index in range(document.count_attachments()))
    files: Iterable[Callable[[], Any]] = chain(listed, _pinned(file, pinned) if pinned else ())
    for take in files:
        budget.begin()
        name = b"attachment"
        try:
            attached = take()
            name = attached.get_name().encode("utf-8", "replace") or name
            data = attached.get_data()
        except pypdfium2.PdfiumError:
            yield ContainerMember.failed(name, Problem(Reason.CORRUPT, NOT_TAKEN_OUT))
            continue
        if pinned:
            known = (name, sha256(data).digest())
            if known in seen:
                continue
            seen.add(known)
        yield budget.attached(name, len(data), partial(bytes, data))


def _pinned(file: BinaryIO, places: list[Place]) -> Iterator[Callable[[], Any]]:
    """The files pinned to pages. The document is opened anew: flattened pages have no annotations."""
    document = _opened(file)

    def take(number: int, index: int) -> Any:
        note = pdfium.FPDFPage_GetAnnot(document[number], index)
        attached = pdfium.FPDFAnnot_GetFileAttachment(note)
        if not attached:
            raise pypdfium2.PdfiumError("the file that a note holds is not there")
        return pypdfium2.PdfAttachment(attached, document)

    for number, index in places:
        yield partial(take, number, index)
