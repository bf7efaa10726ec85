"""An Outlook mail made by hand: the smallest OLE file that can hold it ([MS-CFB]). Streams are padded to 4096 bytes
with zeros, so that none needs the small sectors."""

import struct
from dataclasses import dataclass, field

from formats.office import say

END, FREE = 0xFFFFFFFE, 0xFFFFFFFF
SECTOR = 512


@dataclass
class Node:
    name: str
    kind: int  # 5 root, 1 storage, 2 stream
    data: bytes = b""
    inner: list["Node"] = field(default_factory=list)
    child: int = FREE
    right: int = FREE
    start: int = END


def storage(name: str, *inner: Node) -> Node:
    return Node(name, 1, inner=list(inner))


def stream(name: str, data: bytes) -> Node:
    return Node(name, 2, data.ljust(4096, b"\0") if data else data)


def ole(*inner: Node) -> bytes:
    nodes: list[Node] = [Node("Root Entry", 5, inner=list(inner))]
    for node in nodes:  # grows while it is walked
        for place, child in enumerate(node.inner):
            if place == 0:
                node.child = len(nodes)
            if place + 1 < len(node.inner):
                child.right = len(nodes) + 1
            nodes.append(child)
    fat: list[int] = []
    body = b""

    def put(data: bytes) -> int:
        nonlocal body
        count = -(-len(data) // SECTOR)
        first = len(fat)
        fat.extend([*range(first + 1, first + count), END])
        body += data.ljust(count * SECTOR, b"\0")
        return first

    for node in nodes:
        if node.data:
            node.start = put(node.data)
    entries = b""
    for node in nodes:
        name = node.name.encode("utf-16-le") + b"\0\0"
        entries += struct.pack(
            "<64sHBBIII16sIQQIQ",
            name,
            len(name),
            node.kind,
            1,
            FREE,
            node.right,
            node.child,
            b"",
            0,
            0,
            0,
            node.start,
            len(node.data),
        )
    directory = put(entries)
    tables = 1
    while (len(fat) + tables) * 4 > tables * SECTOR:
        tables += 1
    first = len(fat)
    fat += [0xFFFFFFFD] * tables
    body += b"".join(struct.pack("<I", entry) for entry in fat).ljust(tables * SECTOR, b"\xff")
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        b"",
        0,
        tables,
        directory,
        0,
        4096,
        END,
        0,
        END,
        0,
    )
    header += b"".join(struct.pack("<I", first + place) for place in range(tables)).ljust(436, b"\xff")
    return header + body


def text(key: int, value: str) -> Node:
    return stream(f"__substg1.0_{key:04X}001F", value.encode("utf-16-le"))


def fixed(header: int, **rows: int) -> Node:
    data = b"\0" * header
    for key, value in rows.items():
        data += struct.pack("<HHIQ", 3, int(key[1:], 16), 6, value)
    return stream("__properties_version1.0", data)


MSG_FIELDS = (
    "From: Ann <ann@example.org>",
    "To: Bob <bob@example.org>",
    "Cc: Cy <cy@example.org>",
    "Subject: The subject",
)


def recipient(number: int, kind: int, name: str, address: str) -> Node:
    return storage(f"__recip_version1.0_#{number:08X}", fixed(8, x0C15=kind), text(0x3001, name), text(0x39FE, address))


def msg(*, packed: bool = False) -> bytes:
    inside = storage(
        "__substg1.0_3701000D", fixed(24), text(0x0037, "Inner subject"), text(0x1000, say("embedded mail"))
    )
    attached = b"attached words" * 300
    body = (
        stream("__substg1.0_10090102", lzfu(rb"{\rtf1 " + say("body").encode() + b"}"))
        if packed
        else text(0x1000, say("body"))
    )
    return ole(
        fixed(32, x0039=133486058450000000),
        text(0x0037, "The subject"),
        text(0x0C1A, "Ann"),
        text(0x5D01, "ann@example.org"),
        text(0x1035, "<1@example.org>"),
        body,
        recipient(0, 1, "Bob", "bob@example.org"),
        recipient(1, 2, "Cy", "cy@example.org"),
        storage(
            "__attach_version1.0_#00000000",
            fixed(8),
            text(0x3707, "größe.bin"),
            stream("__substg1.0_37010102", attached),
        ),
        storage("__attach_version1.0_#00000001", fixed(8), text(0x3001, "Inner"), inside),
    )


def lzfu(rtf: bytes) -> bytes:
    """Not packed at all: every token a literal, then the reference that ends it."""
    end = (207 + len(rtf)) % 4096
    out = b""
    for at in range(0, len(rtf) + 1, 8):
        piece = rtf[at : at + 8]
        last = len(piece) < 8
        out += bytes([1 << len(piece) if last else 0]) + piece + (struct.pack(">H", end << 4) if last else b"")
    return struct.pack("<II4sI", len(out) + 12, len(rtf), b"LZFu", 0) + out
