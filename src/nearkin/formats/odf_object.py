"""What OpenDocument files draw from another part: formulas stand where they are drawn, charts come last.

A formula is MathML (ODF 1.3 part 3 §14.3.7), which says it in elements of text. A chart keeps its data in a table of
its own, beside the cells they came from (§11.1): names of series and categories are text, values are not.
"""

from collections.abc import Iterator

from nearkin.formats.adapter import Problem
from nearkin.formats.xml_events import Event
from nearkin.formats.zip_parts import Parts

CELLS = {"table-cell", "covered-table-cell"}
CONTENT = "/content.xml"
MOST_EVENTS = 10_000  # of a formula: they are kept, should it stand at many places


class Formulas:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[str, tuple[Event, ...]] = {}

    def has(self, part: str) -> bool:
        """It was drawn, and need not be read for itself."""
        return bool(self._known.get(part.lower()))

    def drawn(self, events: Iterator[Event]) -> Iterator[Event]:
        return self._drawn(events) if any(name.endswith(CONTENT) for name in self._parts.names) else events

    def _drawn(self, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            yield event
            if event.kind == "start" and event.name == "object" and (place := event.get("href")):
                part = f"{place.removeprefix('./').rstrip('/')}{CONTENT}".lower()
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
