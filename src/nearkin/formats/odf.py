"""OpenDocument texts, presentations and drawings: content.xml in its order, notes and comments after it, then headers
and footers from styles.xml. Deletions lie apart (`text:tracked-changes`); insertions are in the text.

Text stands in paragraphs only (ODF 1.3 part 3 §5.1), so what is between tags elsewhere is no text.
"""

from collections.abc import Iterator
from typing import BinaryIO

from nearkin.formats.found import Found, Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event, without
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason

PARAGRAPHS = {"p", "h"}
CELLS = {"table-cell", "covered-table-cell"}
ASIDE = {"note-body", "annotation"}
ALT_TEXTS = {"title", "desc"}
STAMPS = {"creator", "date", "creator-initials", "date-string"}
SECRET = {"tracked-changes", "note-citation", "annotation-end"}
META = {
    "title": "title",
    "initial-creator": "author",
    "creator": "author",
    "creation-date": "created",
    "date": "modified",
}


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose = Prose(limits)
    add(parts, "content.xml", prose)
    add_around(parts, prose)
    return Found(prose.text(), properties(parts), parts.lacking)


def opened(file: BinaryIO, limits: Limits) -> Parts:
    parts = Parts(file, limits)
    manifest = "META-INF/manifest.xml"
    locked = False
    if parts.has(manifest):
        with parts.spared(manifest):
            locked = any(event.name == "encryption-data" for event in parts.events(manifest))
    if locked:
        raise Problem(Reason.ENCRYPTED, "a password is needed")
    return parts


def add_around(parts: Parts, prose: Prose) -> None:
    """Headers and footers of master pages; then the charts, without the tables they draw."""
    if parts.has("styles.xml"):
        _add_spared(parts, "styles.xml", prose)
    for name in sorted(parts.names):
        if name.startswith("object ") and name.endswith("/content.xml"):
            _add_spared(parts, name, prose, tables=False)


def _add_spared(parts: Parts, part: str, prose: Prose, *, tables: bool = True) -> None:
    with parts.spared(parts.written(part), prose.mark()):
        add(parts, part, prose, tables=tables)
    prose.end()


def add(parts: Parts, part: str, prose: Prose, *, cells: bool = True, tables: bool = True) -> None:
    """cells=False: paragraphs that are a cell's value are left out, its comments and drawings are not."""
    notes: list[str] = []  # and comments: written after the text
    noting = writing = 0

    def hides(event: Event, parent: str) -> bool:
        value = event.name in PARAGRAPHS and parent in CELLS
        stamp = parent == "annotation" and event.name in STAMPS
        return stamp or event.name in SECRET or (value and not cells) or (event.name == "table" and not tables)

    for event in without(parts.events(part), hides):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            text = event.name if writing else ""
        elif event.name in PARAGRAPHS or event.name in ALT_TEXTS:
            writing += change
            text = "\n" if event.kind == "end" else ""
        else:
            noting += change if event.name in ASIDE else 0
            text = _mark(event) if event.kind == "start" and writing else ""
        if noting:
            notes.append(text)
        else:
            prose.add(text)
    prose.end()
    prose.add("".join(notes))
    prose.end()


def _mark(event: Event) -> str:
    if event.name == "s":
        count = event.get("c")
        return " " * min(int(count), 100) if count.isdecimal() else " "
    return {"tab": "\t", "line-break": "\n"}.get(event.name, "")


def properties(parts: Parts) -> dict[str, str]:
    found: dict[str, str] = {}
    if parts.has("meta.xml"):
        with parts.spared("meta.xml", found.clear):
            for name, value in _meta(parts):
                if name == "initial-creator" or META[name] not in found:
                    found[META[name]] = value
    return found


def _meta(parts: Parts) -> Iterator[tuple[str, str]]:
    key, value = None, ""
    for event in parts.events("meta.xml"):
        if event.kind == "start":
            key, value = (event.name, "") if event.name in META else (None, "")
        elif event.kind == "end":
            if key and value.strip():
                yield key, value.strip()
            key = None
        elif key:
            value += event.name
