"""Bytes to text, whatever the encoding. Never raises, never leaves a lone surrogate.

The encoding is recognised in this order: byte order mark; UTF-16 and UTF-32 without one (a native kernel); ASCII that
switches between character sets, as Japanese mail does; UTF-8, also with a few broken bytes; the charset a page or XML
declares; a guess.

All detectors misread short Latin text ("Größe" becomes Chinese), and charset-normalizer takes half of all
Portuguese for Czech. So with few bytes beyond ASCII among many of it the bet is windows-1252, unless a byte
that is a symbol there stands inside a word, where Eastern European encodings have letters. On 2,163 excerpts
of seven Western languages, 40 to 1,000 characters long, this was always right; the bare detector was right on
76 % of the 939 longer ones.
"""

import codecs
import re
from typing import NamedTuple

from nearkin import _native

GUESS_BYTES = 64 * 1024
ENOUGH_TO_GUESS = 40
DECLARATION_BYTES = 4096
LOOKED_AT = 4096  # bytes by which UTF-16 and UTF-32 without a mark are recognised
WIDE = (None, "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
# Bytes that switch to other characters, the codec, and how many are no accident: `~{2,3}~}` is Chinese in HZ.
SWITCHED = ((b"\x1b$)C", "iso2022_kr", 1), (b"\x1b$", "iso2022_jp_ext", 1), (b"~{", "hz", 8))

BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The WHATWG labels in use, with the codec that reads most of what is labelled so: pages that say iso-8859-1
# mean windows-1252, those that say gb2312 use GB18030. Other labels are ignored, and so is the label UTF-8 of bytes
# that are not.
LABELS = {
    "windows-1252": "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 ascii us-ascii",
    "iso8859-2": "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2",
    "iso8859-3": "iso-8859-3 iso8859-3 latin3",
    "iso8859-4": "iso-8859-4 iso8859-4 latin4",
    "iso8859-5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 iso8859-6 arabic",
    "iso8859-7": "iso-8859-7 iso8859-7 greek",
    "iso8859-8": "iso-8859-8 iso8859-8 iso-8859-8-i hebrew",
    "iso8859-10": "iso-8859-10 iso8859-10 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13",
    "iso8859-14": "iso-8859-14 iso8859-14",
    "iso8859-15": "iso-8859-15 iso8859-15 latin9 latin-9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "koi8-r koi8 koi koi8_r",
    "koi8-u": "koi8-u koi8-ru",
    "cp866": "ibm866 cp866 866",
    "cp874": "windows-874 tis-620 iso-8859-11 iso8859-11 dos-874",
    "windows-1250": "windows-1250 cp1250 x-cp1250",
    "windows-1251": "windows-1251 cp1251 x-cp1251",
    "windows-1253": "windows-1253 cp1253 x-cp1253",
    "windows-1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5",
    "windows-1255": "windows-1255 cp1255 x-cp1255",
    "windows-1256": "windows-1256 cp1256 x-cp1256",
    "windows-1257": "windows-1257 cp1257 x-cp1257",
    "windows-1258": "windows-1258 cp1258 x-cp1258",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese x-gbk iso-ir-58",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5",
    "euc-jp": "euc-jp x-euc-jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j cp932",
    "cp949": "euc-kr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949",
}
CODECS = {label: codec for codec, labels in LABELS.items() for label in labels.split()}

# The encodings that the guess chooses from, the likelier first. Fewer choices make it both quicker and better.
GUESSES = (
    "cp1252 cp1251 koi8_r cp932 euc_jp gb18030 big5hkscs cp949 cp1250 iso8859_2 cp1254 cp1253 iso8859_7 "
    "cp1255 cp1256 iso8859_6 cp1257 cp874 iso8859_5 cp866 mac_cyrillic koi8_u"
)
EASTERN_LATIN = {"cp1250", "iso8859_2", "cp1257"}

COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)""", re.IGNORECASE)
META_CHARSET = re.compile(rb"""<meta[\s/][^>]*?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
ASCII = bytes(range(128))
NEVER_UTF8 = bytes([0xC0, 0xC1, *range(0xF5, 0x100)])
UNDEFINED_IN_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
# Between letters: symbols of windows-1252 that are letters in windows-1250 and ISO 8859-2.
EASTERN_LETTER = re.compile(
    rb"[A-Za-z\xc0-\xff][\x8d-\x8f\x9a\x9d-\x9f\xa1\xa3\xa5\xa6\xa9\xac\xae\xb1\xb3\xb6\xb9\xba\xbc\xbe\xbf][A-Za-z\xc0-\xff]"
)
TURKISH_LETTER = re.compile(rb"[A-Za-z][\xf0\xfd\xfe][A-Za-z]")
SPACES = re.compile(rb"\s+")


class Decoded(NamedTuple):
    """A text, and the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes, *, html: bool = False) -> Decoded:
    """Decode bytes of unknown encoding. `html`: the charset of a meta element counts."""
    if mark_and_encoding := marked(data):
        mark, encoding = mark_and_encoding
        return _read(data[len(mark) :], encoding)
    if wide := wide_without_mark(data):
        return _read(data, wide)
    if switched := _switched(data):
        return switched
    try:
        return Decoded(data.decode(), "utf-8")
    except UnicodeDecodeError:
        pass
    beyond = len(data.translate(None, ASCII))
    if _nearly_utf8(data, beyond):
        return _read(data, "utf-8")
    if label := _declared(data, html=html):
        declared = _read(data, label)
        if _believable(declared.text, beyond):
            return declared
    return _read(data, _guessed(data))


def _nearly_utf8(data: bytes, beyond: int) -> bool:
    """Whether bytes are cut or patched UTF-8, not another encoding: a few broken bytes among many whole characters.
    `beyond`: how many bytes are no ASCII."""
    # This is mostly decided without decoding, which is slow over broken bytes: characters beyond ASCII have two bytes
    # or more.
    if 40 * (len(data) - len(data.translate(None, NEVER_UTF8))) > beyond:
        return False
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return 20 * broken <= len(text) - len(text.encode("ascii", "ignore")) - broken


def _read(data: bytes, encoding: str) -> Decoded:
    return Decoded(without_lone_surrogates(data.decode(encoding, "replace")), encoding)


def without_lone_surrogates(text: str) -> str:
    """The text with halves of surrogate pairs replaced: no encoding of Unicode can hold them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def marked(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark that data begin with, and its encoding."""
    return next(((mark, encoding) for mark, encoding in BOMS if data.startswith(mark)), None)


def wide_without_mark(data: bytes) -> str | None:
    return WIDE[_native.detect_wide(data[:LOOKED_AT])]


def _switched(data: bytes) -> Decoded | None:
    """Decode ISO-2022-JP, ISO-2022-KR and HZ. They look like ASCII, and are recognised by the bytes that switch to
    other characters, and by these characters."""
    if not data.isascii():  # it ends at the first such byte, where a search for marks would go through all of it
        return None
    for mark, encoding, least in SWITCHED:
        if mark in data:
            decoded = _read(data, encoding)
            beyond = len(decoded.text) - len(decoded.text.encode("ascii", "ignore"))
            if beyond >= least and 20 * decoded.text.count("\ufffd") < beyond:
                return decoded
    return None


def _declared(data: bytes, *, html: bool) -> str | None:
    start = data[:DECLARATION_BYTES]
    label = XML_ENCODING.match(start) or (META_CHARSET.search(COMMENT.sub(b"", start)) if html else None)
    return CODECS.get(label[1].decode("ascii", "replace").lower()) if label else None


def _believable(text: str, beyond: int) -> bool:
    """Whether a declared charset is right. One that cannot read a tenth of the bytes beyond ASCII is a mistake."""
    return 10 * text.count("\ufffd") <= beyond


def _guessed(data: bytes) -> str:
    data = data.translate(None, b"\0")
    sample = data if len(data) <= GUESS_BYTES else _whole_lines(data[:GUESS_BYTES])
    beyond = len(sample.translate(None, ASCII))
    few = beyond < ENOUGH_TO_GUESS and 3 * beyond < len(SPACES.sub(b"", sample))
    eastern = EASTERN_LETTER.search(sample) is not None
    if few and not (eastern or TURKISH_LETTER.search(sample) or UNDEFINED_IN_1252.search(sample)):
        return "windows-1252"
    best = _best_guess(sample)
    return "windows-1252" if best is None or (best in EASTERN_LATIN and not eastern) else best


def _whole_lines(sample: bytes) -> bytes:
    """The sample up to its last whole line: a cut in a character would rule out the right encoding."""
    return sample[: sample.rfind(b"\n") + 1] or sample[: sample.rfind(b" ") + 1] or sample


def _best_guess(sample: bytes) -> str | None:
    from charset_normalizer import from_bytes  # few files need a guess

    best = from_bytes(sample, cp_isolation=GUESSES.split()).best()
    return best.encoding if best else None
