"""OpenDocument texts, presentations and drawings, and what OpenDocument sheets share with them (ODF 1.3 part 3).

Of a text, content.xml comes in its order, then notes, comments and forms, then headers and footers from styles.xml,
then charts. Of a presentation, slides with their notes and comments come first, then footers, then what masters show
on slides; footers, headers and fixed dates are declared once and named by the slides that show them (§10.9.3).

Text stands in paragraphs only (§5.1), and in formulas; characters between tags elsewhere are no text. Deletions lie
apart (`text:tracked-changes`); insertions are in the text. Labels of a form's controls and what was filled in are
attributes (§13); of lists the chosen entry is shown; what is hidden, and passwords, are not. A formula, drawn from
another part, is MathML (§14.3.7), whose text stands where it is drawn. A chart keeps its data in a table of its own,
beside the cells they came from (§11.1): names of series and categories are text, values are not.

A document that is one XML file (`.fodt`) has the same sections under one root, and is read as the zip file it would be.
"""

import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.package_parts import Parts
from nearkin.formats.xml import XmlEvent, without_hidden
from nearkin.model import Reason

CONTENT, STYLES, ABOUT = "content.xml", "styles.xml", "meta.xml"
SECTIONS = {STYLES: "master-styles", ABOUT: "meta"}  # of a flat document; any other part is its body
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

Hides = Callable[[XmlEvent, str], bool]


def read_text_document(file: BinaryIO, limits: Limits) -> Extraction:
    parts = opened(file, limits)
    prose = TextBuilder(limits)
    formulas = Formulas(parts)
    add(parts, CONTENT, prose, formulas)
    add_around(parts, prose, formulas)
    return Extraction(prose.text(), properties(parts), parts.failed_parts)


def opened(file: BinaryIO, limits: Limits) -> Parts:
    flat = file.read(1) in FLAT
    file.seek(0)
    parts = FlatParts(_unfolded(file), limits) if flat else Parts(file, limits)
    manifest = "META-INF/manifest.xml"
    locked = False
    if parts.has(manifest):
        with parts.tolerating_damage(manifest):
            locked = any(event.name == "encryption-data" for event in parts.events(manifest))
    if locked:
        raise Problem(Reason.ENCRYPTED, "a password is needed")
    return parts


class FlatParts(Parts):
    """The parts of a flat document. Charts and deletions, which elsewhere lie in other parts, stand within the text."""


def _unfolded(file: BinaryIO) -> BinaryIO:
    """A flat document as a zip file. Each part is the whole document, of which one section is read."""
    unfolded = BytesIO()
    with zipfile.ZipFile(unfolded, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in (CONTENT, STYLES, ABOUT):
            file.seek(0)
            with archive.open(name, "w") as part:
                while chunk := file.read(1 << 20):
                    part.write(chunk)
    unfolded.seek(0)
    return unfolded


def shown_all(event: XmlEvent, parent: str) -> bool:
    return False


def add_around(
    parts: Parts, prose: TextBuilder, formulas: "Formulas", *, hides: Hides = shown_all, names: bool = True
) -> None:
    """Add headers and footers of master pages, then charts. `names`: also names of series and categories, which no cell
    says."""
    if parts.has(STYLES):
        with parts.tolerating_damage(parts.written(STYLES), prose.mark()):
            add(parts, STYLES, prose, formulas, hides=hides)
        prose.end()
    for name in sorted(parts.names):
        if name.endswith(f"/{CONTENT}") and name.count("/") == 1 and not formulas.has(name):
            with parts.tolerating_damage(parts.written(name), prose.mark()):
                shown = without_values(parts.events(name), names=names)
                add_events(shown, prose, hides=lambda event, parent: event.name == "table" and parent != "chart")
            prose.end()


def add(parts: Parts, part: str, prose: TextBuilder, formulas: "Formulas", *, hides: Hides = shown_all) -> None:
    """Add the text of a part."""
    section = SECTIONS.get(part, "body")

    def hidden(event: XmlEvent, parent: str) -> bool:
        return (parent == "document" and event.name != section) or hides(event, parent)

    add_events(drawn(parts, part, formulas), prose, hides=hidden)


def drawn(parts: Parts, part: str, formulas: "Formulas") -> Iterator[XmlEvent]:
    """The events of a part with its formulas, without values of charts and deletions."""
    events = parts.events(part)
    return without_values(_without_deleted(events)) if isinstance(parts, FlatParts) else formulas.insert(events)


def _without_deleted(events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
    """The events without deletions. Flat files of LibreOffice have deletions where they were, between two marks; the
    list of changes says which marks are those of deletions."""
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


def add_events(events: Iterator[XmlEvent], prose: TextBuilder, *, hides: Hides) -> None:
    """Add the text of events: paragraphs, then notes and comments, then controls of forms."""
    notes: list[str] = []
    controls: list[str] = []
    noting = writing = formulas = 0  # how many notes, paragraphs and formulas are open
    last = ["\n", "\n"]  # the last character of the text, and of the notes

    def hidden(event: XmlEvent, parent: str) -> bool:
        stamp = parent == "annotation" and event.name in STAMPS
        source = parent == "semantics" and event.name.startswith("annotation")  # a formula for another program
        return stamp or source or event.name in SECRET or hides(event, parent)

    for event in without_hidden(events, hidden):
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
            text = " " if event.kind == "start" and last[noting > 0].isdecimal() else ""  # 1/2 is not 12
        else:
            noting += change if event.name in ASIDE else 0
            text = _mark(event) if writing or formulas else ""
            if event.kind == "start" and event.attributes and (shown := control_text(event)):
                controls.append(f"{shown}\n")
        last[noting > 0] = text[-1:] or last[noting > 0]
        if noting:
            notes.append(text)
        else:
            prose.add(text)
    prose.end()
    prose.add("".join(notes))
    prose.end()
    prose.add("".join(controls))


def _mark(event: XmlEvent) -> str:
    if event.kind == "end":
        return " " if event.name == "mtd" else ""  # cells of a matrix
    if event.name == "s":
        count = event.get("c")
        return " " * min(int(count), 100) if count.isdecimal() else " "
    return {"tab": "\t", "line-break": "\n"}.get(event.name, "")


def properties(parts: Parts) -> dict[str, str]:
    """Title, author and dates. The first author counts, not the last."""
    values: dict[str, str] = {}
    if parts.has(ABOUT):
        with parts.tolerating_damage(ABOUT, values.clear):
            for name, value in _meta(parts):
                if name == "initial-creator" or META[name] not in values:
                    values[META[name]] = value
    return values


def _meta(parts: Parts) -> Iterator[tuple[str, str]]:
    key, value = None, ""
    about = without_hidden(
        parts.events(ABOUT), lambda event, parent: parent == "document" and event.name != SECTIONS[ABOUT]
    )
    for event in about:
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
# Of a master, slides show the text at these places only; at others they show their own ("Click to edit").
FIXED = {"header", "footer", "date-time", "page-number"}
STAND_INS = FIXED | {"page-count"}  # <number>, <footer>: fields within a text
WITHIN = {"p", "h", "span", "a"}


def read_presentation(file: BinaryIO, limits: Limits) -> Extraction:
    parts = opened(file, limits)
    prose = TextBuilder(limits)
    formulas = Formulas(parts)
    named: dict[str, None] = {}
    slides = _collect_declared(drawn(parts, CONTENT, formulas), named)
    add_events(slides, prose, hides=_on_slides)
    for text in named:
        prose.line(text)
    add_around(parts, prose, formulas, hides=_on_masters)
    return Extraction(prose.text(), properties(parts), parts.failed_parts)


def _collect_declared(events: Iterator[XmlEvent], named: dict[str, None]) -> Iterator[XmlEvent]:
    """The same events. Texts that are declared and that a slide shows are put into `named`, each once."""
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


def _on_slides(event: XmlEvent, parent: str) -> bool:
    elsewhere = parent == "document" and event.name != "body"
    return elsewhere or event.get("placeholder") == "true" or (event.name in STAND_INS and parent in WITHIN)


def _on_masters(event: XmlEvent, parent: str) -> bool:
    kind = event.get("class") if event.attributes else ""
    return (bool(kind) and kind not in FIXED) or (event.name in STAND_INS and parent in WITHIN)


CELLS = {"table-cell", "covered-table-cell"}
OBJECT_CONTENT = "/content.xml"
MOST_EVENTS = 10_000  # of a formula: they are kept, in case it stands at many places


class Formulas:
    """The formulas of a document, each read once from its part and given at every place where it is drawn."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, tuple[XmlEvent, ...]] = {}

    def has(self, part: str) -> bool:
        """Whether the part is a formula that was drawn, and need not be read by itself."""
        return bool(self._known.get(part.lower()))

    def insert(self, events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
        return self._insert(events) if any(name.endswith(OBJECT_CONTENT) for name in self._parts.names) else events

    def _insert(self, events: Iterator[XmlEvent]) -> Iterator[XmlEvent]:
        for event in events:
            yield event
            if event.kind == "start" and event.name == "object" and (place := event.get("href")):
                part = f"{place.removeprefix('./').rstrip('/')}{OBJECT_CONTENT}".lower()
                if part not in self._known and self._parts.has(part):
                    self._known[part] = self._read(part)
                yield from self._known.get(part, ())

    def _read(self, part: str) -> tuple[XmlEvent, ...]:
        """The events of a formula. None where the part is anything else, or damaged: then it is read by itself, and
        reports what is wrong with it."""
        kept: list[XmlEvent] = []
        try:
            for event in self._parts.events(part):
                kept.append(event)
                if kept[0].name != "math" or len(kept) > MOST_EVENTS:
                    return ()
        except Problem:
            return ()
        return tuple(kept)


def without_values(events: Iterator[XmlEvent], *, names: bool = True) -> Iterator[XmlEvent]:
    """Charts without the values they draw. names=False: without their tables, where the cells of sheets say the
    same."""
    inside: list[str] = []  # elements around, from the chart on
    hidden = place = 0  # elements around that are hidden; the number of the cell in its row
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
            is_name = heading or event.get("value-type") == "string" or (place == 1 and categories)
            if (event.name == "table" and not names) or (event.name in CELLS and not is_name):
                hidden = 1
                continue
            inside.append(event.name)
        elif event.kind == "end" and inside:
            inside.pop()
        yield event


LABEL, VALUES = "form:label", ("form:current-value", "form:value")
CHOSEN = ("form:current-selected", "form:selected")
FILLED_IN = {"text", "textarea", "combobox", "formatted-text", "number", "date", "time", "generic-control"}
LABELLED = {"fixed-text", "button", "checkbox", "radio", "frame"}


def control_text(event: XmlEvent) -> str:
    """The text that a form's control shows; empty where the element is no control."""
    attributes = event.attributes
    if event.name in LABELLED:
        return attributes.get(LABEL, "")
    if event.name in FILLED_IN:
        return next((attributes[name] for name in VALUES if attributes.get(name)), "")
    if event.name == "option" and next((attributes[name] for name in CHOSEN if name in attributes), "") == "true":
        return attributes.get(LABEL, "")
    return ""
