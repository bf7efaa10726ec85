"""The text of mail: header fields, properties, charsets, and which of two bodies is shown.

Header fields are decoded as a person sees them: encoded words (RFC 2047, with the language of RFC 2231 §5), and bytes
beyond ASCII that stand there raw. Python's own decoder is not used: it knows fewer charsets, turns raw bytes into
U+FFFD, and leaves all of a field encoded where one word of it is wrong.

A charset is looked up among nearkin's own labels first, then among Python's names of encodings. Python alone knows
neither windows-874 nor iso-8859-8-i nor x-euc-jp, takes gb2312 for the small set of 1980, and has "encodings" that are
none for mail (idna, undefined, those of one system only). A text that its label cannot read is decoded by its bytes, as
a text without a label.
"""

import binascii
import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from encodings.aliases import aliases
from urllib.parse import unquote_to_bytes

from nearkin.formats.adapter import TextBuilder
from nearkin.text.decode import ASCII, CODECS, decode
from nearkin.text.html import iso_mail_date

# Words, signs of numbers, and signs that say something themselves: of money, percent, arrows, ticks.
WORD = re.compile(r"[-+\u2212]?\w+|[$%\u00a2-\u00a7\u00b0\u00b1\u20a0-\u20bf\u2190-\u2bff]")
COMPARED = 1 << 20  # characters of a plain body whose words are counted
NOTE = 50  # words: a shorter text may say no more than to get a better program
SEEN = ("From", "Reply-To", "To", "Cc", "Date", "Subject")


def add_fields(fields: Mapping[str, str], prose: TextBuilder) -> None:
    """Add the header fields that a person sees above the text."""
    for name in SEEN:
        if fields.get(name):
            prose.line(f"{name}: {fields[name]}")
    prose.add("\n")


def properties(fields: Mapping[str, str]) -> dict[str, str]:
    values = {name.lower(): fields[name] for name in ("Message-ID", *SEEN) if fields.get(name)}
    if "date" in values:
        values["date"] = iso_mail_date(values["date"])
    return {name: value for name, value in values.items() if value}


def shown(plain: str, html: str) -> tuple[bool, bool]:
    """Whether the plain body is the mail's text, and whether the HTML is.

    Mostly both have the same text. The plain one alone is shown where it says all that the HTML says, word for word in
    the same order, and perhaps more (where links lead to). Otherwise the HTML is, as mail programs show it, and with it
    the plain one unless that adds no more than a note: "this mail needs HTML".
    """
    if _says_all(plain, html):
        return True, False
    return len(plain) > COMPARED or not _is_note(plain, html), True


def _says_all(plain: str, html: str) -> bool:
    plain_words = _words(plain)
    return all(word in plain_words for word in _words(html))  # each is looked for after the one before it


def _is_note(plain: str, html: str) -> bool:
    html_words = Counter(_words(html))
    added = (Counter(_words(plain)) - html_words).total()
    return not added or (added < NOTE and 10 * added < html_words.total())


def _words(text: str) -> Iterator[str]:
    return (word[0] for word in WORD.finditer(text.casefold()))


def unflowed(text: str) -> str:
    """Join lines that were cut anywhere, in languages without spaces (RFC 3676, DelSp=yes). Other flowed text stays:
    its lines are cut at spaces, and a line's end is as good as one."""
    pieces: list[str] = []
    goes_on, depth = False, 0  # whether the line before goes on, and how deep it was quoted
    for line in text.split("\n"):
        inside = line.lstrip(">")
        quoted = len(line) - len(inside)
        inside = inside.removeprefix(" ")
        joined = goes_on and quoted == depth
        goes_on, depth = inside.endswith(" ") and inside != "-- ", quoted
        piece = inside if joined else f"\n{line}" if pieces else line
        pieces.append(piece[:-1] if goes_on else piece)
    return "".join(pieces)


FOLDED = re.compile(r"[\r\n]+[ \t]*")
ENCODED = re.compile(r"=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?(.*?)\?=")


def spelled(value: str) -> str:
    """A field's value on one line, its encoded words decoded. Space between two encoded words is left out, and a
    character may stand in both."""
    value = FOLDED.sub(" ", value).strip()
    pieces: list[str] = []
    waiting: list[bytes] = []  # bytes of words that follow each other, all in one charset
    charset = ""
    at = 0
    # After the last end no word can end, and none need be looked for: so the time is linear.
    for word in ENCODED.finditer(value, 0, value.rfind("?=") + 2):
        data = _data(word[2], word[3])
        if data is None:
            continue
        between = value[at : word.start()]
        if not waiting or between.strip() or word[1].lower() != charset:
            pieces.append(labelled(b"".join(waiting), charset))
            pieces.append("" if waiting and not between.strip() else between)
            waiting.clear()
        waiting.append(data)
        charset, at = word[1].lower(), word.end()
    return "".join((*pieces, labelled(b"".join(waiting), charset), value[at:]))


def _data(encoding: str, word: str) -> bytes | None:
    """The bytes of an encoded word; None where it is none after all, and stays as it stands."""
    try:
        if encoding in "Qq":
            return binascii.a2b_qp(word.encode("ascii"), header=True)
        return binascii.a2b_base64(word.encode("ascii") + b"==")
    except (UnicodeEncodeError, binascii.Error):
        return None


def parameter(given: object) -> str:
    """A field's parameter as text. Python gives a text, or charset, language and a text of bytes (RFC 2231 §4)."""
    if not isinstance(given, tuple):
        return spelled(str(given or ""))
    charset, _, value = given
    try:
        return labelled(str(value).encode("latin-1"), charset or "utf-8")
    except UnicodeEncodeError:
        return labelled(unquote_to_bytes(str(value)), charset or "utf-8")


def decode_raw(values: Iterable[str], label: str) -> dict[str, str]:
    """Decode values with bytes beyond ASCII, which the parser has as surrogates: as UTF-8, otherwise in the charset of
    the mail's text, otherwise in one that is guessed from all of them together, as each is short."""
    written = {value: value.encode("utf-8", "surrogateescape") for value in values}
    decoded: dict[str, str] = {}
    rest: dict[str, bytes] = {}
    for value, data in written.items():
        try:
            decoded[value] = data.decode()
        except UnicodeDecodeError:
            rest[value] = data
    if rest:
        codec = codec_of(label) or ""
        if not codec or codec.startswith(("utf", "iso2022")):
            codec = decode(b"\n".join(rest.values())).encoding
        decoded |= {value: labelled(data, codec) for value, data in rest.items()}
    return decoded


NO_CHARSET = frozenset(["idna", "punycode", "undefined", "mbcs", "oem", "raw-unicode-escape", "unicode-escape"])
# Labels that mail programs write, beyond those of pages.
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
# Mail that is labelled ASCII and is not has no useful label.
SAYS_NOTHING = frozenset(("ascii", "us-ascii", "ansi_x3.4-1968", "ansi_x3_4_1968", "unknown-8bit", "x-unknown"))
JAPANESE = frozenset(("iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "iso2022_jp_ext"))
SHIFT = re.compile(rb"\x1b(\$[@B]|\([BIJ])")


def codec_of(label: str) -> str | None:
    """Python's name of a charset; None where the label is unknown or says nothing."""
    label = label.strip("\"' \t").lower()
    if label in SAYS_NOTHING:
        return None
    if known := CODECS.get(label) or WRITTEN.get(label):
        return known
    page = CODE_PAGE.fullmatch(label)
    name = f"cp{page[1]}" if page else NO_LETTER.sub("_", label)
    if not page and name not in PYTHONS:  # Python would look for any other name in its folders, each time anew
        return None
    try:
        codec = codecs.lookup(name)
    except LookupError:
        return None
    return codec.name if codec._is_text_encoding and codec.name not in NO_CHARSET else None


def labelled(data: bytes, label: str, *, html: bool = False) -> str:
    """Decode bytes by the charset they are labelled with; by themselves where that cannot read them."""
    codec = codec_of(label) if label else None
    if codec:
        text = _read(data, codec)
        beyond = len(data.translate(None, ASCII)) or data.count(b"\x1b")
        if 10 * text.count("\ufffd") <= beyond and is_encodable(text):
            return text.removeprefix("\ufeff")
    return decode(data, html=html).text


def is_encodable(text: str) -> bool:
    """Whether no half of a surrogate pair stands in the text. UTF-7 may make one, and the parser has raw bytes so."""
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
    """The text after an escape sequence. Ends of lines are one byte in any set."""
    if shift in (b"(B", b"(J"):
        return piece.decode("ascii", "replace")
    if shift == b"(I":
        return bytes(byte | 0x80 if byte > 32 else byte for byte in piece).decode("cp932", "replace")
    return re.sub(rb"[\x21-\x7e]{2}", _in_shift_jis, piece).decode("cp932", "replace")


def _in_shift_jis(pair: re.Match[bytes]) -> bytes:
    row, cell = pair[0]
    lead = ((row + 1) >> 1) + (0x70 if row < 0x5F else 0xB0)
    return bytes((lead, cell + (0x7E if row % 2 == 0 else 0x1F if cell < 0x60 else 0x20)))
