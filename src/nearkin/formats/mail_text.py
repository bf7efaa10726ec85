"""Header fields of mail as a reader sees them: encoded words (RFC 2047, with the language of RFC 2231 §5), and bytes
beyond ASCII that stand there raw.

Not by Python's own: it knows fewer charsets, turns raw bytes into U+FFFD, and leaves all of a field encoded where one
word of it is wrong.
"""

import binascii
import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from nearkin.formats.charset import codec_of, labelled
from nearkin.text.decode import decode

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
