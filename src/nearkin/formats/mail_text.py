"""Header fields of mail as a reader sees them: encoded words (RFC 2047, with the language of RFC 2231 §5), and bytes
beyond ASCII that stand there raw.

Not by Python's own: it knows fewer charsets, turns raw bytes into U+FFFD, and leaves all of a field encoded where one
word of it is wrong.

Text of mail by the charset it is labelled with: nearkin's own labels first, then Python's names of encodings.

Python alone knows neither windows-874 nor iso-8859-8-i nor x-euc-jp, takes gb2312 for the small set of 1980, and has
"encodings" that are none for mail (idna, undefined, those of one system only). What its label cannot read is told by
its bytes, as a text without any.

What all mail has: a few header fields, which a reader sees above the text, the properties made of them, and mostly
the same text twice, plain and as HTML.

Lines of mail that are cut anywhere, in languages without spaces (RFC 3676, DelSp=yes): put together again.

Other flowed text is left: its lines are cut at spaces, and a line's end is as good as one.
"""

import binascii
import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from encodings.aliases import aliases
from urllib.parse import unquote_to_bytes

from nearkin.formats.adapter import Prose
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


FOLDED = re.compile(r"[\r\n]+[ \t]*")
ENCODED = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?(.*?)\?=")


def spelled(value: str) -> str:
    """On one line, its encoded words decoded. Space between two of them is none, and a character may be in both."""
    value = FOLDED.sub(" ", value).strip()
    told: list[str] = []
    waiting: list[bytes] = []  # of words that follow each other, all in one charset
    charset = ""
    at = 0
    # After the last end no word can end, and none need be looked for: so the time is linear.
    for word in ENCODED.finditer(value, 0, value.rfind("?=") + 2):
        data = _data(word[2], word[3])
        if data is None:
            continue
        between = value[at : word.start()]
        if not waiting or between.strip() or word[1].lower() != charset:
            told.append(labelled(b"".join(waiting), charset))
            told.append("" if waiting and not between.strip() else between)
            waiting.clear()
        waiting.append(data)
        charset, at = word[1].lower(), word.end()
    return "".join((*told, labelled(b"".join(waiting), charset), value[at:]))


def _data(how: str, said: str) -> bytes | None:
    """None: it is no encoded word after all, and stays as it stands."""
    try:
        if how in "Qq":
            return binascii.a2b_qp(said.encode("ascii"), header=True)
        return binascii.a2b_base64(said.encode("ascii") + b"==")
    except (UnicodeEncodeError, binascii.Error):
        return None


def parameter(told: object) -> str:
    """Of a field, as Python gives it: a text, or charset, language and a text of bytes (RFC 2231 §4)."""
    if not isinstance(told, tuple):
        return spelled(str(told or ""))
    charset, _, value = told
    try:
        return labelled(str(value).encode("latin-1"), charset or "utf-8")
    except UnicodeEncodeError:
        return labelled(unquote_to_bytes(str(value)), charset or "utf-8")


def raw_told(values: Iterable[str], label: str) -> dict[str, str]:
    """Values with bytes beyond ASCII, which the parser has as surrogates, by what they are: UTF-8, else in the charset
    of the mail's text, else in one that is told from all of them together, as each is short."""
    written = {value: value.encode("utf-8", "surrogateescape") for value in values}
    told: dict[str, str] = {}
    rest: dict[str, bytes] = {}
    for value, data in written.items():
        try:
            told[value] = data.decode()
        except UnicodeDecodeError:
            rest[value] = data
    if rest:
        codec = codec_of(label) or ""
        if not codec or codec.startswith(("utf", "iso2022")):
            codec = decode(b"\n".join(rest.values())).encoding
        told |= {value: labelled(data, codec) for value, data in rest.items()}
    return told


# Words, signs of numbers, and signs that say something themselves: of money, percent, arrows, ticks.
WORD = re.compile(r"[-+\u2212]?\w+|[$%\u00a2-\u00a7\u00b0\u00b1\u20a0-\u20bf\u2190-\u2bff]")
COMPARED = 1 << 20  # characters of a plain body whose words are counted
NOTE = 50  # words: what is shorter may tell no more than to get a better program
SEEN = ("From", "Reply-To", "To", "Cc", "Date", "Subject")


def add_fields(fields: Mapping[str, str], prose: Prose) -> None:
    for name in SEEN:
        if fields.get(name):
            prose.line(f"{name}: {fields[name]}")
    prose.add("\n")


def properties(fields: Mapping[str, str]) -> dict[str, str]:
    found = {name.lower(): fields[name] for name in ("Message-ID", *SEEN) if fields.get(name)}
    if "date" in found:
        found["date"] = _iso(found["date"])
    return {name: value for name, value in found.items() if value}


def _iso(date: str) -> str:
    try:
        return parsedate_to_datetime(date).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def shown(plain: str, html: str) -> tuple[bool, bool]:
    """Whether the plain body is the mail's text, and whether the HTML is.

    The plain one alone where it says all that the HTML says, word for word in the same order, and perhaps more (where
    links lead to). Else the HTML, as that is what mail programs show, and with it the plain one unless that adds no
    more than a note: "this mail needs HTML"."""
    if _says_all(plain, html):
        return True, False
    return len(plain) > COMPARED or not _is_note(plain, html), True


def _says_all(plain: str, html: str) -> bool:
    said = _words(plain)
    return all(word in said for word in _words(html))  # each is looked for after the one before it


def _is_note(plain: str, html: str) -> bool:
    meant = Counter(_words(html))
    added = (Counter(_words(plain)) - meant).total()
    return not added or (added < NOTE and 10 * added < meant.total())


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in WORD.finditer(text.casefold()))


def unflowed(text: str) -> str:
    told: list[str] = []
    goes_on, depth = False, 0  # the line before, and how deep it was quoted
    for line in text.split("\n"):
        inside = line.lstrip(">")
        quoted = len(line) - len(inside)
        inside = inside.removeprefix(" ")
        joined = goes_on and quoted == depth
        goes_on, depth = inside.endswith(" ") and inside != "-- ", quoted
        said = inside if joined else f"\n{line}" if told else line
        told.append(said[:-1] if goes_on else said)
    return "".join(told)
