"""XML as a stream of events: nothing is held but the names of open elements.

Expat keeps open elements on the heap, so 300,000 levels are fine. Entities a document declares are never expanded in
its text (a billion laughs stay one `&lol9;`), in attributes expat itself stops at a hundredfold; nothing external is
fetched.
Names come without prefix: strict and transitional files differ in namespaces, not in names.
"""

from collections.abc import Callable, Iterator
from html.entities import html5
from typing import IO, NamedTuple
from xml.parsers import expat

from nearkin.formats.adapter import Problem
from nearkin.model import Reason

CHUNK = 1 << 16
LONGEST_TOKEN = 16 << 20  # of one tag: expat holds it whole


class Event(NamedTuple):
    kind: str  # "start", "end" or "text"
    name: str  # without prefix; the text itself
    attributes: dict[str, str]  # names with their prefix

    def get(self, name: str) -> str:
        """The attribute of that name, whatever its prefix; the one without a prefix first."""
        if not self.attributes or name in self.attributes:
            return self.attributes.get(name, "")
        return next((value for key, value in self.attributes.items() if bare(key) == name), "")


MOST_NAMES = 10_000  # remembered
NONE: dict[str, str] = {}


def bare(name: str) -> str:
    return name.rpartition(":")[2]


class _Bare(dict[str, str]):
    def __missing__(self, name: str) -> str:
        if len(self) > MOST_NAMES:
            self.clear()
        self[name] = bare(name)
        return self[name]


def events(stream: IO[bytes], *, encoding: str | None = None) -> Iterator[Event]:
    parser = expat.ParserCreate(encoding)
    ready: list[Event] = []
    names = _Bare()
    parser.StartElementHandler = lambda name, attributes: ready.append(Event("start", names[name], attributes))
    parser.EndElementHandler = lambda name: ready.append(Event("end", names[name], NONE))
    parser.CharacterDataHandler = lambda text: ready.append(Event("text", text, NONE))

    def other(text: str) -> None:
        """With a default handler expat hands references over instead of expanding them."""
        if text[0] == "&":
            ready.append(Event("text", html5.get(text[1:], text), NONE))

    parser.DefaultHandler = other
    fed = waiting = 0
    try:
        # Expat begins a tag anew with each chunk until it has all of it: chunks grow with what waits, or a long one
        # would take quadratic time.
        while chunk := stream.read(CHUNK + min(waiting, LONGEST_TOKEN // 4)):
            parser.Parse(chunk, False)
            fed += len(chunk)
            waiting = fed - parser.CurrentByteIndex
            if waiting > LONGEST_TOKEN:
                raise Problem(Reason.TOO_LARGE, "an XML tag of over 16 MB")
            yield from ready
            ready.clear()
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        yield from ready  # what stands before the mistake
        raise Problem(Reason.CORRUPT, f"broken XML: {error}") from error
    yield from ready


def without(events: Iterator[Event], hides: Callable[[Event, str], bool]) -> Iterator[Event]:
    """The events outside of elements that are hidden with all that is in them. hides: an element, and its parent."""
    depth = 0
    around = [""]
    for event in events:
        if depth:
            depth += (event.kind == "start") - (event.kind == "end")
            continue
        if event.kind == "start":
            if hides(event, around[-1]):
                depth = 1
                continue
            around.append(event.name)
        elif event.kind == "end":
            around.pop()
        yield event
