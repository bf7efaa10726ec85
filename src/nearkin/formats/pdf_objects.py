"""What is written on the pages of a PDF: comments, fields of forms, stamps; and the files that are pinned to them.

What an annotation shows is its appearance ([PDF] 1.7 §12.5.5), which PDFium tells only as a part of the page: so the
page is read once more with its annotations flattened into it, where one has any. What it adds is what they show; a
comment or a value is told besides only where that does not say it.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_ushort
from typing import Any

LONGEST_NOTE = 1 << 20
MOST_OPTIONS = 10_000  # of a list
LIKELY_SAME = 16  # characters that no other text would have by chance, wherever lines end


@contextmanager
def form_of(document: Any) -> Iterator[Any]:
    """What knows the fields of a form, those whose widgets are but a part of them too; None: there is no form."""
    import pypdfium2.raw as pdfium

    config = pdfium.FPDF_FORMFILLINFO(version=2)  # no scripts are run; it must live as long as the form
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, config) if pdfium.FPDF_GetFormType(document) else None
    try:
        yield form
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def notes(page: Any, form: Any) -> tuple[list[str], bool, list[int]]:
    """What annotations say; whether any of them has an appearance; which of them hold a file."""
    import pypdfium2.raw as pdfium

    said: list[str] = []
    files: list[int] = []
    drawn = False
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, index)
        if not note:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(note)
        if kind not in (pdfium.FPDF_ANNOT_POPUP, pdfium.FPDF_ANNOT_LINK):
            drawn = drawn or bool(pdfium.FPDFAnnot_HasKey(note, b"AP"))
            said += _field(note, form) if kind == pdfium.FPDF_ANNOT_WIDGET else [_contents(note)]
        if kind == pdfium.FPDF_ANNOT_FILEATTACHMENT:
            files.append(index)
        pdfium.FPDFPage_CloseAnnot(note)
    return [one for one in said if one.strip()], drawn, files


def with_shown(said: list[str], before: str, after: str) -> list[str]:
    """What the annotations show, then what they say besides. before, after: the page without and with them."""
    shown = _added(before, after).strip()
    words, letters = f" {' '.join(shown.split())} ", "".join(shown.split())

    def is_shown(one: str) -> bool:
        joined = "".join(one.split())
        return f" {' '.join(one.split())} " in words or (len(joined) >= LIKELY_SAME and joined in letters)

    return [shown, *(one for one in said if not is_shown(one))]


def _added(before: str, after: str) -> str:
    """They come last; where they do not, by lines."""
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
    """As plain text; else as it is formatted, without that ([PDF] 1.7 §12.7.3.4)."""
    if (plain := _string(note, b"Contents")) or not (rich := _string(note, b"RC")):
        return plain
    from nearkin.text.kind import visible_text

    return visible_text(rich.encode("utf-8", "replace")).decode()


def _field(note: Any, form: Any) -> list[str]:
    """Of lists what is shown of what was chosen, which need not be the value (§12.7.4.4)."""
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, note) if form else -1
    if kind in (pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX) and (chosen := _chosen(note, form)):
        return chosen
    if kind in (pdfium.FPDF_FORMFIELD_PUSHBUTTON, pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return []  # the value is the name of a state, which nobody sees
    if (value := _string(note, b"V")) or not form:
        return [value]
    # Where the widget is but a kid of the field, the value is the field's (§12.7.3.1).
    return [wide(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, note, buffer, size))]


def _chosen(note: Any, form: Any) -> list[str]:
    import pypdfium2.raw as pdfium

    many = min(pdfium.FPDFAnnot_GetOptionCount(form, note), MOST_OPTIONS)
    return [
        wide(lambda buffer, size, at=at: pdfium.FPDFAnnot_GetOptionLabel(form, note, at, buffer, size))
        for at in range(many)
        if pdfium.FPDFAnnot_IsOptionSelected(form, note, at)
    ]


def _string(note: Any, key: bytes) -> str:
    import pypdfium2.raw as pdfium

    return wide(lambda buffer, size: pdfium.FPDFAnnot_GetStringValue(note, key, buffer, size))


def wide(fill: Callable[..., int]) -> str:
    """PDFium tells the size first, then fills a buffer with UTF-16."""
    size = fill(None, 0)
    if not 2 < size <= LONGEST_NOTE:
        return ""
    buffer = (c_ushort * (size // 2))()
    fill(buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0")
