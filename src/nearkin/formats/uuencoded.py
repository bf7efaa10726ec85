"""Files that stand in the text of a mail, as before MIME (uuencode, IEEE 1003.1): taken out, as mail programs do."""

import binascii
import re
from collections.abc import Iterator

BEGIN = re.compile(r"^begin [0-7]{3,4} +(\S[^\n]*)\n", re.MULTILINE)
LINE = re.compile(r"[^\n]*\n?")


def taken_out(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The text without them, and of each its name and bytes. What is not quite one stays in the text."""
    files: list[tuple[str, bytes]] = []
    kept: list[str] = []
    at = 0
    while begin := BEGIN.search(text, at):
        data: list[bytes] = []
        end = begin.end()
        for line in _lines(text, begin.end()):
            end += len(line)
            if line.rstrip() == "end" and data:
                kept.append(text[at : begin.start()])
                files.append((begin[1].strip(), b"".join(data)))
                break
            if (read := _read(line.rstrip("\n"))) is None:
                end = begin.end()
                kept.append(text[at:end])
                break
            data.append(read)
        else:
            break
        at = end
    return "".join((*kept, text[at:])), files


def _lines(text: str, at: int) -> Iterator[str]:
    while at < len(text) and (line := LINE.match(text, at)):
        yield line[0]
        at = line.end()


def _read(line: str) -> bytes | None:
    """None: no such line. Its first character tells how many bytes are in it; spaces at its end may be lost."""
    if not line.isascii():
        return None
    if line.strip(" `") == "":
        return b""
    size = (ord(line[0]) - 32) % 64
    whole = 1 + (size + 2) // 3 * 4
    if not whole // 2 < len(line) <= whole + 1:
        return None
    try:
        return binascii.a2b_uu(line[:whole])
    except binascii.Error:
        return None
