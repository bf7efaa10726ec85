"""Headers and footers of sheets in xlsb: one record ([MS-XLSB] §2.4 BrtBeginHeaderFooter) of flags and six texts, each
with its length in four bytes. It stands after all cells: looked for as bytes, and believed where the record that ends
it follows."""

import re
from collections.abc import Iterator

BEGIN = re.compile(rb"\xdf\x03([\x80-\xff]{0,3}[\0-\x7f])")  # its number, seven bits a byte, and its size
END = b"\xe0\x03\0"
TEXTS = 6
NONE = 0xFFFFFFFF  # instead of a length


def binary_headers(sheet: bytes) -> Iterator[str]:
    for begin in BEGIN.finditer(sheet):
        size = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(begin[1]))
        end = begin.end() + size
        if sheet.startswith(END, end):
            yield from _texts(sheet[begin.end() + 2 : end])
            return


def _texts(data: bytes) -> Iterator[str]:
    for _ in range(TEXTS):
        length = int.from_bytes(data[:4], "little")
        length = 0 if length == NONE else length
        yield data[4 : 4 + 2 * length].decode("utf-16-le", "replace")
        data = data[4 + 2 * length :]
