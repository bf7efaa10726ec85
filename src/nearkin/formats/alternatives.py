"""What is written several times for programs of several ages, once (`mc:AlternateContent`, [ECMA-376] part 3 §10)."""

from collections.abc import Iterator

from nearkin.formats.xml_events import Event, bare

RUNS = {"t", "text"}  # of drawings; of the old comments on slides
ALT_TEXTS = ("title", "descr", "alt")
# Drawings of old, in VML, and groups of them ([ECMA-376] part 4 §19.1.2).
VML = {"shape", "rect", "roundrect", "oval", "line", "polyline", "arc", "curve", "image", "group"}
DRAWINGS = {"cNvPr", "docPr"} | VML
TOLD = {"textpath": ("string",), "sym": ("char",)}
ELSEWHERE = {"chart", "relIds", "altChunk", "ddList"}  # what these say is in another part, or in what they hold


def chosen(events: Iterator[Event]) -> Iterator[Event]:
    """The first choice that says anything, else the fallback: we know all that programs of today know. A choice that
    says nothing is given too: it may be a picture, and where it stands lines end. One that says no more than an alt
    text does not hide the others, which may have the text of the same drawing, but for their alt texts."""
    depth = 0  # within what is not chosen
    found: list[bool] = []  # for each such element around: something was said
    described: list[bool] = []  # and an alt text
    known: list[bool] = []  # and one before this alternative
    inside: list[str] = []
    for event in events:
        if depth:
            depth += (event.kind == "start") - (event.kind == "end")
            continue
        if found and not found[-1]:
            found[-1] = _says(event, inside[-1])
        if event.kind == "start":
            if event.name == "AlternateContent":
                for states in (found, described, known):
                    states.append(False)
            elif event.name in ("Choice", "Fallback") and inside and inside[-1] == "AlternateContent":
                if found[-1]:
                    depth = 1
                    continue
                known[-1] = described[-1]
            inside.append(event.name)
            if found and event.name in DRAWINGS:
                if any(known):
                    yield _undescribed(event)
                    continue
                described[-1] = described[-1] or any(event.get(key).strip() for key in ALT_TEXTS)
        elif event.kind == "end":
            inside.pop()
            if event.name == "AlternateContent":
                known.pop()
                for states in (found, described):
                    if states.pop() and states:
                        states[-1] = True
        yield event


def _undescribed(event: Event) -> Event:
    others = {name: value for name, value in event.attributes.items() if bare(name) not in ALT_TEXTS}
    return event._replace(attributes=others)


def _says(event: Event, around: str) -> bool:
    if event.kind == "text":
        return around in RUNS and not event.name.isspace()
    return event.kind == "start" and (
        event.name in ELSEWHERE or any(event.get(key).strip() for key in TOLD.get(event.name, ()))
    )
