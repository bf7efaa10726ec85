"""A document of Word 97 made by hand ([MS-DOC]): one piece of narrow characters, one of wide ones, a run that is marked
as deleted, a field, and every part that has text of its own."""

import struct
from itertools import accumulate

from formats.office import say
from formats.outlook import ole, stream

DOC_PLACES = (
    "body",
    "cell",
    "second cell",
    "result of a field",
    "insertion",
    "footnote",
    "header",
    "comment",
    "endnote",
    "text box",
    "text box of a header",
    "alt text of a drawing",
    "word art in a header",
    "alt text of a picture",
    "alt text of a linked picture",
)
NARROW = 1 << 30
FIB, PAGE = 1024, 512


def drawings() -> bytes:
    """What they have in common, then those of the text and of the headers."""
    from formats.powerpoint_97 import drawing, holding, properties, shape

    of_text = drawing(shape(properties(x0381=say("alt text of a drawing"))))
    of_headers = drawing(shape(properties(x00C0=say("word art in a header"))))
    return holding(0xF000) + b"\0" + of_text + b"\1" + of_headers


def picture(alt: str, *, kind: int = 0x64, name: bytes = b"") -> bytes:
    from formats.powerpoint_97 import properties, shape

    held = name + shape(properties(x0381=alt)) + b"bytes of the picture"
    return struct.pack("<IHH60x", 68 + len(held), 68, kind) + held


def doc(*, flags: int = 0, version: int = 0xC1, field: str = "\x13 HYPERLINK \x13 a \x14b\x15 \x14{}\x15") -> bytes:
    gone = "Deleted\r"
    main = [
        f"{say('body')}\r",
        f"{say('cell')}\x07{say('second cell')}\x07\x07",
        field.format(say("result of a field")) + "\r",
        gone,
        f"{say('insertion')}\x0bnon\x1ebreaking, 日本 \U0001f600\r",
    ]
    header = f"{say('header')}\r"
    parts = ["".join(main), f"\x02{say('footnote')}\r", header * 2, ""]
    parts += [
        f"\x05{say('comment')}\r",
        f"{say('endnote')}\r",
        f"{say('text box')}\r",
        f"{say('text box of a header')}\r",
    ]
    narrow = "".join(main[:2])
    wide = "".join([*main[2:], *parts[1:], "\r"]).encode("utf-16-le")
    text = FIB + PAGE
    runs_end = text + len(narrow) + len(wide)
    cut = text + len(narrow) + 2 * len(main[2])
    run = struct.pack("<HHHB", 0x4A43, 24, 0x0800, 1)  # its size, and that it is deleted
    page = struct.pack("<4I3B", text, cut, cut + 2 * len(gone), runs_end, 0, 100, 0).ljust(200, b"\0")
    page = (page + bytes([len(run)]) + run).ljust(PAGE - 1, b"\0") + b"\3"
    pieces = struct.pack("<3I", 0, len(narrow), len(narrow) + len(wide) // 2)
    pieces += struct.pack("<HIH", 0, 2 * text | NARROW, 0) + struct.pack("<HIH", 0, text + len(narrow), 0)
    clx = struct.pack("<BHH", 1, 2, 0) + struct.pack("<BI", 2, len(pieces)) + pieces
    bins = struct.pack("<3I", text, runs_end, FIB // PAGE)
    head = bytearray(FIB)
    struct.pack_into("<HH6xH", head, 0, 0xA5EC, version, 0x0200 | flags)
    struct.pack_into("<8i", head, 0x4C, *(len(part.encode("utf-16-le")) // 2 for part in parts))
    struct.pack_into("<2I", head, 0xFA, 0, len(bins))
    struct.pack_into("<2I", head, 0x1A2, len(bins), len(clx))
    shapes = drawings()
    struct.pack_into("<2I", head, 0x22A, len(bins + clx), len(shapes))
    pictures = [picture(say("alt text of a picture")), struct.pack("<IHH60x", 80, 68, 0).ljust(80, b"x")]
    pictures.append(picture(say("alt text of a linked picture"), kind=0x66, name=b"\5a.png"))
    return ole(
        stream("WordDocument", bytes(head) + page + narrow.encode("cp1252") + wide),
        stream("1Table", bins + clx + shapes),
        stream("Data", b"".join(pictures)),
        stream("\x05SummaryInformation", summary("The title", "Ann Author")),
    )


def summary(title: str, author: str, *, many: int | None = None) -> bytes:
    values = [struct.pack("<IHH", 2, 1252, 0)]
    values += [struct.pack("<II", 0x1E, len(one) + 1) + one.encode() + b"\0" for one in (title, author)]
    values.append(struct.pack("<IQ", 0x40, 132_223_104_000_000_000))  # the first of 2020
    at = accumulate(map(len, values), initial=8 + 8 * len(values))
    keys = b"".join(struct.pack("<2I", key, place) for key, place in zip((1, 2, 4, 12), at, strict=False))
    section = struct.pack("<2I", 0, len(values) if many is None else many) + keys + b"".join(values)
    return bytes(44) + struct.pack("<I", 48) + section
