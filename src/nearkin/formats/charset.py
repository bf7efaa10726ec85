"""Text of mail by the charset it is labelled with: nearkin's own labels first, then Python's names of encodings.

Python alone knows neither windows-874 nor iso-8859-8-i nor x-euc-jp, takes gb2312 for the small set of 1980, and has
"encodings" that are none for mail (idna, undefined, those of one system only). What its label cannot read is told by
its bytes, as a text without any.
"""

import codecs
import re
from encodings.aliases import aliases

from nearkin.text.decode import ASCII, CODECS, decode

NO_CHARSET = frozenset(["idna", "punycode", "undefined", "mbcs", "oem", "raw-unicode-escape", "unicode-escape"])
# As mail programs write them, beyond the labels of pages.
WRITTEN = {
    "unicode-1-1-utf-7": "utf-7",
    "x-unicode-2-0-utf-7": "utf-7",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "iso-8859-6-e": "iso8859-6",
}
CODE_PAGE = re.compile(r"(?:x-)?(?:cp|dos|ibm|ms|win|windows)[-_]?(\d{3,5})")
NO_LETTER = re.compile(r"[^a-z0-9]+")
PYTHONS = frozenset((*aliases, *aliases.values()))
# Mail that says it is ASCII and is not says nothing of what it is.
SAYS_NOTHING = frozenset(("ascii", "us-ascii", "ansi_x3.4-1968", "ansi_x3_4_1968", "unknown-8bit", "x-unknown"))
JAPANESE = frozenset(("iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext"))
SHIFT = re.compile(rb"\x1b(\$[@B]|\([BIJ])")


def codec_of(label: str) -> str | None:
    """Python's name of it; None: nobody knows the label, or it says nothing."""
    label = label.strip("\"' \t").lower()
    if label in SAYS_NOTHING:
        return None
    if known := CODECS.get(label) or WRITTEN.get(label):
        return known
    page = CODE_PAGE.fullmatch(label)
    name = f"cp{page[1]}" if page else NO_LETTER.sub("_", label)
    if not page and name not in PYTHONS:  # others would be looked for in its folders, each anew
        return None
    try:
        found = codecs.lookup(name)
    except LookupError:
        return None
    return found.name if found._is_text_encoding and found.name not in NO_CHARSET else None


def labelled(data: bytes, label: str, *, html: bool = False) -> str:
    codec = codec_of(label) if label else None
    if codec:
        text = _read(data, codec)
        beyond = len(data.translate(None, ASCII)) or data.count(b"\x1b")
        if 10 * text.count("\ufffd") <= beyond and _is_whole(text):
            return text.removeprefix("\ufeff")
    return decode(data, html=html).text


def _is_whole(text: str) -> bool:
    """UTF-7 may make half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeError:
        return _japanese(data) if codec in JAPANESE else data.decode(codec, "replace")


def _japanese(data: bytes) -> str:
    """ISO-2022-JP as Windows writes it: with characters of its own (①, ㈱, 髙) and half-width letters."""
    ascii_first, *shifted = SHIFT.split(data)
    pairs = zip(shifted[::2], shifted[1::2], strict=True)
    return ascii_first.decode("ascii", "replace") + "".join(_shifted(piece, shift) for shift, piece in pairs)


def _shifted(piece: bytes, shift: bytes) -> str:
    """What follows an escape sequence. Ends of lines are one byte in any set."""
    if shift in (b"(B", b"(J"):
        return piece.decode("ascii", "replace")
    if shift == b"(I":
        return bytes(byte | 0x80 if byte > 32 else byte for byte in piece).decode("cp932", "replace")
    return re.sub(rb"[\x21-\x7e]{2}", _in_shift_jis, piece).decode("cp932", "replace")


def _in_shift_jis(pair: re.Match[bytes]) -> bytes:
    row, cell = pair[0]
    lead = ((row + 1) >> 1) + (0x70 if row < 0x5F else 0xB0)
    return bytes((lead, cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)))
