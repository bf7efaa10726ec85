"""OpenDocument texts: content.xml in its order, notes, comments and forms after it, then headers and footers from
styles.xml, then charts. Deletions lie apart (`text:tracked-changes`); insertions are in the text.

Text stands in paragraphs only (ODF 1.3 part 3 §5.1), and in formulas; so what is between tags elsewhere is no text. A
document that is one XML file (`.fodt`) has the same sections under one root, and is read as the zip file it would be.
"""

import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem
from nearkin.formats.odf_forms import control_text
from nearkin.formats.odf_object import Formulas, without_values
from nearkin.formats.prose import Prose
from nearkin.formats.xml_events import Event, without
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason

CONTENT, STYLES, ABOUT = "content.xml", "styles.xml", "meta.xml"
SECTIONS = {STYLES: "master-styles", ABOUT: "meta"}  # of a flat document; else its body
FLAT = (b"<", b"\xef", b"\xfe", b"\xff", b" ", b"\t", b"\r", b"\n")  # first bytes of XML
PARAGRAPHS = {"p", "h"}
ASIDE = {"note-body", "annotation"}
ALT_TEXTS = {"title", "desc"}
STAMPS = {"creator", "date", "creator-initials", "date-string"}
SECRET = {"tracked-changes", "note-citation", "annotation-end", "binary-data"}
META = {
    "title": "title",
    "initial-creator": "author",
    "creator": "author",
    "creation-date": "created",
    "date": "modified",
}

Hides = Callable[[Event, str], bool]


def read(file: BinaryIO, limits: Limits) -> Found:
    parts = opened(file, limits)
    prose = Prose(limits)
    formulas = Formulas(parts)
    add(parts, CONTENT, prose, formulas)
    add_around(parts, prose, formulas)
    return Found(prose.text(), properties(parts), parts.lacking)


def opened(file: BinaryIO, limits: Limits) -> Parts:
    flat = file.read(1) in FLAT
    file.seek(0)
    parts = Flat(_unfolded(file), limits) if flat else Parts(file, limits)
    manifest = "META-INF/manifest.xml"
    locked = False
    if parts.has(manifest):
        with parts.spared(manifest):
            locked = any(event.name == "encryption-data" for event in parts.events(manifest))
    if locked:
        raise Problem(Reason.ENCRYPTED, "a password is needed")
    return parts


class Flat(Parts):
    """What lies in other parts else stands within the text: charts, and deletions too."""


def _unfolded(file: BinaryIO) -> BinaryIO:
    """Each part is the whole, of which one section is read."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in (CONTENT, STYLES, ABOUT):
            file.seek(0)
            with archive.open(name, "w") as part:
                while chunk := file.read(1 << 20):
                    part.write(chunk)
    made.seek(0)
    return made


def shown_all(event: Event, parent: str) -> bool:
    return False


def add_around(parts: Parts, prose: Prose, formulas: Formulas, *, hides: Hides = shown_all, names: bool = True) -> None:
    """Headers and footers of master pages; then charts. names: of series and categories, where no cell says them."""
    if parts.has(STYLES):
        with parts.spared(parts.written(STYLES), prose.mark()):
            add(parts, STYLES, prose, formulas, hides=hides)
        prose.end()
    for name in sorted(parts.names):
        if name.endswith(f"/{CONTENT}") and name.count("/") == 1 and not formulas.has(name):
            with parts.spared(parts.written(name), prose.mark()):
                shown = without_values(parts.events(name), names=names)
                add_events(shown, prose, hides=lambda event, parent: event.name == "table" and parent != "chart")
            prose.end()


def add(parts: Parts, part: str, prose: Prose, formulas: Formulas, *, hides: Hides = shown_all) -> None:
    section = SECTIONS.get(part, "body")

    def hidden(event: Event, parent: str) -> bool:
        return (parent == "document" and event.name != section) or hides(event, parent)

    add_events(drawn(parts, part, formulas), prose, hides=hidden)


def drawn(parts: Parts, part: str, formulas: Formulas) -> Iterator[Event]:
    """With formulas, without values of charts and deletions."""
    events = parts.events(part)
    return without_values(_without_deleted(events)) if isinstance(parts, Flat) else formulas.drawn(events)


def _without_deleted(events: Iterator[Event]) -> Iterator[Event]:
    """Flat files of LibreOffice have deletions where they were, between two marks; apart is only which they are."""
    region = ""
    deleted: set[str] = set()
    within: set[str] = set()
    for event in events:
        if event.kind == "text" and within:
            continue
        yield event
        if event.kind != "start":
            continue
        if event.name == "changed-region":
            region = event.get("id")
        elif event.name == "deletion":
            deleted.add(region)
        elif event.name == "change-start" and event.get("change-id") in deleted:
            within.add(event.get("change-id"))
        elif event.name == "change-end":
            within.discard(event.get("change-id"))
    if within:
        raise Problem(Reason.CORRUPT, "damaged: deleted text has no end")


def add_events(events: Iterator[Event], prose: Prose, *, hides: Hides) -> None:
    notes: list[str] = []  # and comments: written after the text
    controls: list[str] = []  # of forms: after these
    noting = writing = formulas = 0
    last = ["\n", "\n"]  # what was said last, in the text and in the notes

    def hidden(event: Event, parent: str) -> bool:
        stamp = parent == "annotation" and event.name in STAMPS
        source = parent == "semantics" and event.name.startswith("annotation")  # of a formula, for another program
        return stamp or source or event.name in SECRET or hides(event, parent)

    for event in without(events, hidden):
        change = (event.kind == "start") - (event.kind == "end")
        if event.kind == "text":
            text = event.name if (writing or formulas) and not (formulas and event.name.isspace()) else ""
        elif event.name in PARAGRAPHS or event.name in ALT_TEXTS:
            # Boxes and pictures stand within paragraphs, whose words are not theirs.
            text = "\n" if event.kind == "end" or (writing and last[noting > 0] != "\n") else ""
            writing += change
        elif event.name == "math":
            formulas += change
            text = "" if formulas or writing else "\n"
        elif event.name == "mn" and formulas:
            text = " " if event.kind == "start" and last[noting > 0].isdecimal() else ""  # 1 and 2 of a half are not 12
        else:
            noting += change if event.name in ASIDE else 0
            text = _mark(event) if writing or formulas else ""
            if event.kind == "start" and event.attributes and (told := control_text(event)):
                controls.append(f"{told}\n")
        last[noting > 0] = text[-1:] or last[noting > 0]
        if noting:
            notes.append(text)
        else:
            prose.add(text)
    prose.end()
    prose.add("".join(notes))
    prose.end()
    prose.add("".join(controls))


def _mark(event: Event) -> str:
    if event.kind == "end":
        return " " if event.name == "mtd" else ""  # cells of a matrix
    if event.name == "s":
        count = event.get("c")
        return " " * min(int(count), 100) if count.isdecimal() else " "
    return {"tab": "\t", "line-break": "\n"}.get(event.name, "")


def properties(parts: Parts) -> dict[str, str]:
    found: dict[str, str] = {}
    if parts.has(ABOUT):
        with parts.spared(ABOUT, found.clear):
            for name, value in _meta(parts):
                if name == "initial-creator" or META[name] not in found:
                    found[META[name]] = value
    return found


def _meta(parts: Parts) -> Iterator[tuple[str, str]]:
    key, value = None, ""
    others = without(parts.events(ABOUT), lambda event, parent: parent == "document" and event.name != SECTIONS[ABOUT])
    for event in others:
        if event.kind == "start":
            key, value = (event.name, "") if event.name in META else (None, "")
        elif event.kind == "end":
            if key and value.strip():
                yield key, value.strip()
            key = None
        elif key:
            value += event.name
