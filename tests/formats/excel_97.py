"""A book of Excel 97 to 2003: cells by xlwt, and by hand in its last sheet what xlwt cannot write ([MS-XLS])."""

import io
import re
import struct

from formats.office import say
from formats.outlook import ole, stream
from formats.powerpoint_97 import drawing, properties, shape

XLS_PLACES = (
    "cell", "second sheet", "header", "footer", "first header", "comment", "text box", "long box", "word art",
    "alt text", "chart", "button",
)  # fmt: skip
END = b"\x0a\0\0\0"


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def unicode(text: str, *, length: str = "<H") -> bytes:
    try:
        return struct.pack(length, len(text)) + b"\0" + text.encode("latin-1")
    except UnicodeEncodeError:
        return struct.pack(length, len(text)) + b"\1" + text.encode("utf-16-le")


def box(*pieces: str) -> bytes:
    """In so many pieces, the first of them narrow."""
    head = struct.pack("<10xHH4x", len("".join(pieces)), 16)
    narrow = record(0x003C, b"\0" + pieces[0].encode("latin-1"))
    wide = (record(0x003C, b"\1" + piece.encode("utf-16-le")) for piece in pieces[1:])
    return record(0x01B6, head) + narrow + b"".join(wide) + record(0x003C, b"Deleted: runs...")


def more_headers(first: str, *, view: bytes = bytes(16)) -> bytes:
    return record(0x089C, bytes(12) + view + struct.pack("<5H", 2, 0, 0, len(first), 0) + unicode(first))


def beside() -> bytes:
    """What stands in a sheet beside its cells."""
    drawn = drawing(shape(properties(x00C0=say("word art"), x0381=say("alt text"))))
    title = record(0x100D, b"\0\0" + unicode(say("chart"), length="<B"))
    said_in_a_cell = record(0x100D, b"\0\0" + unicode(say("second sheet"), length="<B"))
    chart = record(0x0809, struct.pack("<HH12x", 0x0600, 0x0020)) + title + said_in_a_cell + END
    text = say("long box")
    return b"".join(
        (
            more_headers("&C" + say("first header")),
            more_headers("Deleted: of a view", view=b"v" * 16),
            record(0x00EC, drawn[:40]),
            record(0x003C, drawn[40:]),
            box(say("comment")),
            box(say("text box") + "\n", "Б"),
            box(text[:7], text[7:20], text[20:]),
            box(say("button")),
            chart,
        )
    )


def xls(more: bytes = b"") -> bytes:
    import olefile
    import xlwt

    book = xlwt.Workbook()
    one, sheet = book.add_sheet("one"), book.add_sheet("two")
    one.write(0, 0, say("cell"))
    one.header_str, one.footer_str = b"", b""
    sheet.header_str, sheet.footer_str = f'&L&"Arial,Bold"&12{say("header")}'.encode(), f"&P {say('footer')}".encode()
    sheet.write(5, 3, say("second sheet"))
    for column, code in enumerate((0x00, 0x07, 0x0F, 0x17, 0x1D, 0x24, 0x2A), 2):  # ERRORS
        sheet.row(7).set_cell_error(column, code)
    sheet.row(9).set_cell_boolean(2, 1)
    sheet.write(9, 4, xlwt.Formula("1/0"))
    file = io.BytesIO()
    book.save(file)
    with olefile.OleFileIO(file) as written:
        data = written.openstream("Workbook").read()
    place, result = struct.pack("<HH", 9, 4), struct.pack("<BxBxxxH", 2, 0x07, 0xFFFF)  # which xlwt does not compute
    made = re.sub(rb"(\x06\0..%b..).{8}" % place, lambda found: found[1] + result, data, flags=re.DOTALL)
    assert made != data
    end = made.rindex(END)
    return ole(stream("Workbook", made[:end] + (more or beside()) + END))
