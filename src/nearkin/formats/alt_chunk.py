"""Documents of another sort that Word shows in place of a paragraph (`w:altChunk`): HTML, RTF, text, Word again.

One that cannot be read, or what lacks in it, is told like a part that is missing: it costs no other text.
"""

import io
from dataclasses import replace

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.formats.registry import HEAD, detect, read_with
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import is_page, named_html, visible_text


def add_other(parts: Parts, part: str, prose: Prose, limits: Limits) -> None:
    if limits.depth <= 0:
        raise Problem(Reason.TOO_LARGE, "Word files in Word files, too deep")
    try:
        prose.line(_text(parts, part, replace(limits, depth=limits.depth - 1)))
    except Problem as problem:
        if problem.reason is Reason.TOO_LARGE:  # the limits are those of the whole document
            raise
        if problem.reason is not Reason.EMPTY:
            parts.lack(part, problem)


def _text(parts: Parts, part: str, limits: Limits) -> str:
    data, name = parts.data(part), part.encode("utf-8", "replace")
    file = io.BytesIO(data)
    if chosen := detect(data[:HEAD], name, file):
        document = read_with(chosen, file, limits)
        _tell_lost(document, part, parts)
        if document.problem is not None:
            raise document.problem
        return document.text or ""
    text = decode(data, html=named_html(name)).text
    page = is_page(text.encode(), named_html=named_html(name))
    return visible_text(text.encode()).decode() if page else text


def _tell_lost(document: Found, part: str, parts: Parts) -> None:
    """Members of it are not read, as those of the document around it are not; what failed among them is told."""
    try:
        for member in document.members:
            if member.problem is not None:
                parts.lack(f"{part}/{member.name.decode('utf-8', 'replace')}", member.problem)
    except Problem as problem:
        parts.lack(part, problem)
