"""Documents of another sort that Word shows in place of a paragraph (`w:altChunk`): HTML, RTF, text, Word again."""

import io
from dataclasses import replace

from nearkin.formats.found import Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.formats.table import HEAD, detect, read_with
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import TextKind, named_html, sniff, visible_text


def add_other(data: bytes, name: str, prose: Prose, limits: Limits) -> None:
    if limits.depth <= 0:
        raise Problem(Reason.TOO_LARGE, "Word files in Word files, too deep")
    prose.line(_text(data, name.encode(), replace(limits, depth=limits.depth - 1)))


def _text(data: bytes, name: bytes, limits: Limits) -> str:
    file = io.BytesIO(data)
    if chosen := detect(data[:HEAD], name, file):
        try:
            document = read_with(chosen, file, limits)
            if lost := next((one.problem for one in document.members if one.problem is not None), None):
                raise lost
            return document.text or ""
        except Problem as problem:
            if problem.reason is Reason.EMPTY:
                return ""
            raise
    text = decode(data, html=named_html(name)).text
    page = sniff(text.encode(), named_html=named_html(name)) is TextKind.HTML
    return visible_text(text.encode()).decode() if page else text
