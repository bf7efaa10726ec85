"""Forms of Adobe that are XML in a PDF (XFA 3.3): their pages are made when they are opened, and what stands there
instead is the same in all of them ("Please wait…").

Read are the texts and captions of the form, then what was filled in. Not: choices of lists, scripts, texts for screen
readers, which repeat the captions.
"""

from collections.abc import Iterator
from ctypes import byref, c_ulong, create_string_buffer
from io import BytesIO
from typing import Any

from nearkin.formats.adapter import Problem
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event, events, without
from nearkin.model import Reason

LARGEST = 64 << 20  # bytes
MOST = 1000  # packets; there are some ten, and PDFium lists all of them anew for each
TEMPLATE, DATA = "template", "datasets"
PLAIN, RICH = "text", "exData"
SILENT = {"script", "items", "assist", "bind", "desc", "extras", "variables", "config"}
BLOCKS = {PLAIN, RICH, "p", "li", "td"}


def form_text(document: Any, prose: Prose) -> None:
    """Added to the text. Problem: it is damaged."""
    import pypdfium2.raw as pdfium

    if pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL:
        _add(without(events(BytesIO(_packets(document))), _hides), prose)


def _hides(event: Event, _: str) -> bool:
    return event.name in SILENT or event.get("contentType").startswith("image/")


def _packets(document: Any) -> bytes:
    """One after the other they are one file."""
    import pypdfium2.raw as pdfium

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


def _add(form: Iterator[Event], prose: Prose) -> None:
    section = ""  # of the file
    said = 0  # elements around whose text is shown
    for event in form:
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            prose.add(event.name if said or (section == DATA and event.name.strip()) else "")
            continue
        if event.name in (TEMPLATE, DATA):
            section = event.name if event.kind == "start" else ""
        if section == TEMPLATE and event.name in (PLAIN, RICH):
            said += change
        if event.name in BLOCKS or section == DATA:
            prose.end()
