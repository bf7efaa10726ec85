"""A presentation of PowerPoint 97 made by hand ([MS-PPT]): two edits, of which the second has moved a slide, one slide
that is in no list, and text in every place that a reader sees."""

import struct

from formats.office import say
from formats.outlook import ole, stream
from formats.word_97 import summary

PPT_PLACES = (
    "title", "outline", "text box", "grouped box", "word art", "alt text", "notes", "comment", "second slide",
    "master", "footer", "header of notes", "lone outline", "other notes",
)  # fmt: skip
CONTAINER = 0xF
DOCUMENT, SLIDE, NOTES, MASTER = 1, 2, 3, 4  # numbers of places; 5 the second slide, 6 one that is gone, 7 other notes


def record(kind: int, data: bytes, *, version: int = 0, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(data)) + data


def holding(kind: int, *inner: bytes, instance: int = 0) -> bytes:
    return record(kind, b"".join(inner), version=CONTAINER, instance=instance)


def text(value: str, *, wide: bool = True) -> bytes:
    head = record(0x0F9F, struct.pack("<I", 4))
    return head + (record(0x0FA0, value.encode("utf-16-le")) if wide else record(0x0FA8, value.encode("latin-1")))


def box(*inside: bytes) -> bytes:
    return record(0xF00D, b"".join(inside), version=CONTAINER)


def shape(*inside: bytes, placeholder: bool = False) -> bytes:
    mark = [holding(0xF011, record(0x0BC3, bytes(8)))] if placeholder else []
    return holding(0xF004, *mark, *inside)


def drawing(*shapes: bytes) -> bytes:
    return holding(0x040C, holding(0xF002, holding(0xF003, *shapes)))


def properties(**rows: str) -> bytes:
    """Keys as x0381; one that is not too long for its row among them."""
    long = [(int(key[1:], 16) | 0x8000, value.encode("utf-16-le") + b"\0\0") for key, value in rows.items()]
    table = struct.pack("<HI", 0x0101, 7) + b"".join(struct.pack("<HI", key, len(value)) for key, value in long)
    return record(0xF00B, table + b"".join(value for _, value in long), version=3, instance=len(long) + 1)


def string(value: str, instance: int) -> bytes:
    return record(0x0FBA, value.encode("utf-16-le"), instance=instance)


def around(kind: int, *strings: bytes, flags: int) -> bytes:
    return holding(0x0FD9, record(0x0FDA, struct.pack("<HH", 0, flags)), *strings, instance=kind)


def listed(place: int, slide: int, *texts: bytes) -> bytes:
    return record(0x03F3, struct.pack("<5I", place, 0, len(texts), slide, 0)) + b"".join(texts)


def tag(name: str, data: bytes) -> bytes:
    return holding(0x138A, string(name, 0), record(0x138B, data))


def reference(number: int) -> bytes:
    return record(0x0F9E, struct.pack("<I", number))


def shows(*slides: bytes, times: int = 1, edits: int = 1, table: bytes = b"") -> bytes:
    """Of whole slides and nothing else, the list of them so many times; each edit but the first leads to the
    table that is given, 8 bytes further."""
    list_ = holding(0x0FF0, *(listed(2 + number, 256 + number) for _ in range(times) for number in range(len(slides))))
    data, places = bytes(8), []
    for what in (holding(0x03E8, list_), *slides):
        places.append(len(data))
        data += what
    first = len(data)
    data += record(0x1772, struct.pack(f"<{1 + len(places)}I", len(places) << 20 | 1, *places))
    other, at = len(data), 0
    data += table
    for number in range(edits):
        told = struct.pack("<IHBBIIIIHH", 0, 0, 0, 3, at, other + 8 * (number - 1) if number else first, 1, 8, 1, 0)
        at, data = len(data), data + record(0x0FF5, told)
    current = record(0x0FF6, struct.pack("<3IHHBBH", 20, 0xE391C05F, at, 0, 0x3F4, 3, 0, 0))
    return ole(stream("Current User", current), stream("PowerPoint Document", data))


def ppt(*, mark: int = 0xE391C05F, cut: int = 0, lost: bool = False) -> bytes:
    comment = holding(0x2EE0, string("Deleted author", 0), string(say("comment"), 1), string("Deleted", 2))
    tags = holding(0x1388, tag("___PPT10", comment))
    number = text("*") + record(0x0FD8, struct.pack("<i", 0))
    slide = holding(
        0x03EE,
        record(0x03EF, bytes(24)),
        drawing(
            shape(box(text(say("text box"), wide=False))),
            shape(box(reference(1)), placeholder=True),
            shape(box(reference(0)), placeholder=True),
            holding(0xF003, shape(box(text(say("grouped box") + "\r日本\x0bnext")))),
            shape(properties(x00C0=say("word art"), x0381=say("alt text"), x0380="Deleted name")),
            shape(box(number), placeholder=True),
        ),
        tags,
    )
    notes = holding(0x03F0, record(0x03F1, struct.pack("<2I", 256, 0)), drawing(shape(box(text(say("notes"))))))
    other = holding(0x03F0, record(0x03F1, struct.pack("<2I", 999, 0)), drawing(shape(box(text(say("other notes"))))))
    master = holding(
        0x03F8,
        drawing(shape(box(text("Deleted: click to edit")), placeholder=True), shape(box(text(say("master"))))),
    )
    second = holding(
        0x03EE, drawing(shape(box(text(say("second slide"))))), around(3, string(say("footer"), 2), flags=0x20)
    )
    gone = holding(0x03EE, drawing(shape(box(text("Deleted slide")))))
    old = holding(0x03EE, drawing(shape(box(text("Deleted draft")))))
    outline = (text(say("title")), text(say("outline"), wide=False), text(say("lone outline")))
    document = holding(
        0x03E8,
        holding(0x0FF0, listed(MASTER, 1), listed(MASTER, 2), instance=1),
        holding(0x0FF0, listed(SLIDE, 256, *outline), listed(5, 257), instance=0),
        holding(0x0FF0, listed(NOTES, 1), listed(7, 2), instance=2),
        around(4, string(say("header of notes"), 1), string("Deleted footer", 2), flags=0x10),
    )
    data = b""
    places: dict[int, int] = {}

    def put(number: int, what: bytes) -> None:
        nonlocal data
        places[number] = len(data)
        data += what

    def edit(before: int, numbers: list[list[int]]) -> int:
        nonlocal data
        runs = (struct.pack(f"<{1 + len(run)}I", len(run) << 20 | run[0], *(places[n] for n in run)) for run in numbers)
        table, data = len(data), data + record(0x1772, b"".join(runs))
        told = struct.pack("<IHBBIIIIHH", 0, 0, 0, 3, before, table, DOCUMENT, 8, 1, 0)
        at, data = len(data), data + record(0x0FF5, told)
        return at

    data = bytes(8)  # nothing is at place 0: it says that there is no edit before
    for place, what in enumerate((document, old, notes, master, second, gone, other), 1):
        put(place, what)
    first = edit(0, [[1, 2, 3, 4], [5, 6]])
    put(SLIDE, slide)
    last = edit(first, [[2]] if lost else [[2], [7]])
    current = record(0x0FF6, struct.pack("<3IHHBBH", 20, mark, last, 0, 0x3F4, 3, 0, 0))
    return ole(
        stream("Current User", current),
        stream("PowerPoint Document", data[: len(data) - cut] if cut else data),
        stream("\x05SummaryInformation", summary("The title", "Ann Author")),
    )
