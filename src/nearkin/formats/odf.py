"""OpenDocument texts: content.xml in its order, notes, comments and forms after it, then headers and footers from
styles.xml, then charts. Deletions lie apart (`text:tracked-changes`); insertions are in the text.

Text stands in paragraphs only (ODF 1.3 part 3 §5.1), and in formulas; so what is between tags elsewhere is no text. A
document that is one XML file (`.fodt`) has the same sections under one root, and is read as the zip file it would be.

Controls of forms in OpenDocument files (ODF 1.3 part 3 §13): their labels and what was filled in are attributes.

Of lists what is chosen is shown; what is hidden, and passwords, are not.

What OpenDocument files draw from another part: formulas stand where they are drawn, charts come last.

A formula is MathML (ODF 1.3 part 3 §14.3.7), which says it in elements of text. A chart keeps its data in a table of
its own, beside the cells they came from (§11.1): names of series and categories are text, values are not.

OpenDocument presentations and drawings: slides, their notes and comments, footers; last what masters show on slides.

Footers, headers and fixed dates are declared once and named by the slides that show them (ODF 1.3 part 3 §10.9.3).
"""

import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import Found, Limits, Problem, Prose
from nearkin.formats.xml import Event, without
from nearkin.formats.zip_parts import Parts
from nearkin.model import Reason

LABEL, VALUES = "form:label", ("form:current-value", "form:value")
CHOSEN = ("form:current-selected", "form:selected")
FILLED_IN = {"text", "textarea", "combobox", "formatted-text", "number", "date", "time", "generic-control"}
LABELLED = {"fixed-text", "button", "checkbox", "radio", "frame"}


def control_text(event: Event) -> str:
    """Nothing where it is no control."""
    told = event.attributes
    if event.name in LABELLED:
        return told.get(LABEL, "")
    if event.name in FILLED_IN:
        return next((told[name] for name in VALUES if told.get(name)), "")
    if event.name == "option" and next((told[name] for name in CHOSEN if name in told), "") == "true":
        return told.get(LABEL, "")
    return ""


CELLS = {"table-cell", "covered-table-cell"}
OBJECT_CONTENT = "/content.xml"
MOST_EVENTS = 10_000  # of a formula: they are kept, should it stand at many places


class Formulas:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, tuple[Event, ...]] = {}

    def has(self, part: str) -> bool:
        """It was drawn, and need not be read for itself."""
        return bool(self._known.get(part.lower()))

    def drawn(self, events: Iterator[Event]) -> Iterator[Event]:
        return self._drawn(events) if any(name.endswith(OBJECT_CONTENT) for name in self._parts.names) else events

    def _drawn(self, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            yield event
            if event.kind == "start" and event.name == "object" and (place := event.get("href")):
                part = f"{place.removeprefix('./').rstrip('/')}{OBJECT_CONTENT}".lower()
                if part not in self._known and self._parts.has(part):
                    self._known[part] = self._read(part)
                yield from self._known.get(part, ())

    def _read(self, part: str) -> tuple[Event, ...]:
        """Nothing where it is anything else, or damaged: that is read for itself, and says what is wrong with it."""
        kept: list[Event] = []
        try:
            for event in self._parts.events(part):
                kept.append(event)
                if kept[0].name != "math" or len(kept) > MOST_EVENTS:
                    return ()
        except Problem:
            return ()
        return tuple(kept)


def without_values(events: Iterator[Event], *, names: bool = True) -> Iterator[Event]:
    """Charts without what they draw. names=False: without their tables, where the sheets say the same."""
    inside: list[str] = []  # elements around, from the chart on
    hidden = place = 0  # elements around that are hidden; which cell of the row it is
    categories = heading = False
    for event in events:
        if hidden:
            hidden += (event.kind == "start") - (event.kind == "end")
            continue
        if event.kind == "start" and (inside or event.name == "chart"):
            if not inside:
                categories = False
            categories = categories or event.name == "categories"
            if event.name == "table-row":
                place, heading = 0, inside[-1] == "table-header-rows"
            place += event.name in CELLS
            name = heading or event.get("value-type") == "string" or (place == 1 and categories)
            if (event.name == "table" and not names) or (event.name in CELLS and not name):
                hidden = 1
                continue
            inside.append(event.name)
        elif event.kind == "end" and inside:
            inside.pop()
        yield event


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


def read_text_document(file: BinaryIO, limits: Limits) -> Found:
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


DECLARED = {"footer-decl": "use-footer-name", "header-decl": "use-header-name", "date-time-decl": "use-date-time-name"}
PAGES = {"page", "notes"}
# On a master these have a place, and what is typed there; what slides show at others is their own ("Click to edit").
FIXED = {"header", "footer", "date-time", "page-number"}
STAND_INS = FIXED | {"page-count"}  # <number>, <footer>: fields within a text
WITHIN = {"p", "h", "span", "a"}


def read_presentation(file: BinaryIO, limits: Limits) -> Found:
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
