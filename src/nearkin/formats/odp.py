"""OpenDocument presentations and drawings: slides, their notes and comments, footers; last what masters show on slides.

Footers, headers and fixed dates are declared once and named by the slides that show them (ODF 1.3 part 3 §10.9.3).
"""

from collections.abc import Iterator
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits
from nearkin.formats.odf import CONTENT, add_around, add_events, drawn, opened, properties
from nearkin.formats.odf_object import Formulas
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event

DECLARED = {"footer-decl": "use-footer-name", "header-decl": "use-header-name", "date-time-decl": "use-date-time-name"}
PAGES = {"page", "notes"}
# On a master these have a place, and what is typed there; what slides show at others is their own ("Click to edit").
FIXED = {"header", "footer", "date-time", "page-number"}
STAND_INS = FIXED | {"page-count"}  # <number>, <footer>: fields within a text
WITHIN = {"p", "h", "span", "a"}


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose = Prose(limits)
    formulas = Formulas(parts)
    named: dict[str, None] = {}
    slides = _naming(drawn(parts, CONTENT, formulas), named)
    add_events(slides, prose, hides=_on_slides)
    for text in named:
        prose.line(text)
    add_around(parts, prose, formulas, hides=_on_masters)
    return Found(prose.text(), properties(parts), parts.lacking)


def _naming(events: Iterator[Event], named: dict[str, None]) -> Iterator[Event]:
    """The same events; meanwhile what is declared and shown is put aside, each text once."""
    texts: dict[tuple[str, str], list[str]] = {}
    key: tuple[str, str] | None = None
    for event in events:
        yield event
        if event.kind == "start" and event.name in DECLARED:
            key = (DECLARED[event.name], event.get("name"))
            texts[key] = []
        elif event.kind == "end" and event.name in DECLARED:
            key = None
        elif event.kind == "text" and key:
            texts[key].append(event.name)
        elif event.kind == "start" and event.name in PAGES:
            for use in DECLARED.values():
                if pieces := texts.pop((use, event.get(use)), ()):
                    named["".join(pieces).strip()] = None


def _on_slides(event: Event, parent: str) -> bool:
    elsewhere = parent == "document" and event.name != "body"
    return elsewhere or event.get("placeholder") == "true" or (event.name in STAND_INS and parent in WITHIN)


def _on_masters(event: Event, parent: str) -> bool:
    kind = event.get("class") if event.attributes else ""
    return (bool(kind) and kind not in FIXED) or (event.name in STAND_INS and parent in WITHIN)
