"""Mail (RFC 5322, MIME): header fields, the plain body, the HTML or both; attachments and embedded mail are members.

The parser's old policy is used: the new one raises over header fields that are not quite right. Members are the bytes
that stand in the mail: line ends stay as they are, and embedded mail is not taken apart, as nobody could put it
together again just so.
"""

import binascii
import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesFeedParser
from functools import partial
from typing import Any, BinaryIO

from nearkin.formats import letter
from nearkin.formats.found import Found, Limits, Member, Problem
from nearkin.formats.lacking import few_failed
from nearkin.formats.members import Counted
from nearkin.formats.prose import Prose
from nearkin.formats.skimmed import Skimmed
from nearkin.formats.table import FORMATS
from nearkin.model import Reason
from nearkin.text.decode import decode
from nearkin.text.kind import visible_text

FOLDED = re.compile(r"[\r\n]+[ \t]*")
SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
EMBEDDED = ("message/rfc822", "message/global")
HEADER = re.compile(rb"\s*[!-9;-~]{1,76}[ \t]*:")
STARTS = 4096  # bytes
# Of parts that have no name. Python's own table also has what the machine's files say, which workers may not open.
ENDINGS = {known.media: known.extensions[0] for known in FORMATS} | {
    "application/json": ".json",
    "application/octet-stream": ".bin",
    "application/pkcs7-mime": ".p7m",
    "application/x-pkcs7-mime": ".p7m",
    "application/xhtml+xml": ".xhtml",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "text/calendar": ".ics",
    "text/csv": ".csv",
    "text/html": ".html",
    "text/plain": ".txt",
    "text/rtf": ".rtf",
    "text/xml": ".xml",
}
AS_THEY_ARE = ("", "7bit", "8bit", "binary")


class Mail(Message):
    """A mail or a part of one. Of the types message/* the parser is told nothing: it would take them apart."""

    def __init__(self, skimmed: Skimmed) -> None:
        super().__init__()
        self._skimmed = skimmed

    @property
    def _held(self) -> str:
        """As the parser left it; asked for, it would be decoded."""
        payload: object = self._payload  # type: ignore[attr-defined]
        return payload if isinstance(payload, str) else ""

    def get_content_type(self) -> str:
        kind = self.kind
        return "application/octet-stream" if kind.startswith("message/") else kind

    @property
    def kind(self) -> str:
        return super().get_content_type()

    @property
    def size(self) -> int:
        """Of its bytes, before they are read: a little more, perhaps."""
        size = self._skimmed.size(self._held)
        return size * 3 // 4 if self.is_base64 else size

    @property
    def is_base64(self) -> bool:
        return self._encoding == "base64"

    @property
    def data(self) -> bytes:
        """Without its transfer encoding."""
        written = self._skimmed.whole(self._held)
        if written is None:
            data = self.get_payload(decode=True)
            return data if isinstance(data, bytes) else b""
        if self._encoding in AS_THEY_ARE:
            return written
        if self.is_base64:
            return _from_base64(written)
        if self._encoding == "quoted-printable":
            return quopri.decodestring(written)
        self.set_payload(written.decode("ascii", "surrogateescape"))
        data = self.get_payload(decode=True)
        return data if isinstance(data, bytes) else b""

    @property
    def written(self) -> bytes:
        """As it stands in the mail."""
        whole = self._skimmed.whole(self._held)
        return self._held.encode("ascii", "surrogateescape") if whole is None else whole

    @property
    def _encoding(self) -> str:
        return str(self.get("Content-Transfer-Encoding", "")).strip().lower()


def _from_base64(written: bytes) -> bytes:
    """As Python's own does of what it holds: padding may lack, and what is no base64 stays as it is, on one line."""
    for end in (b"", b"=="):
        with suppress(binascii.Error):
            return binascii.a2b_base64(written + end if end else written)
    return b"".join(written.splitlines())


def read(file: BinaryIO, limits: Limits) -> Found:
    check_start(file)
    mail = parsed(file)
    told = fields(mail)
    prose = Prose(limits)
    letter.add_fields(told, prose)
    inline, attached = _sorted(mail)
    for part in inline:
        prose.line(body(part))
    return Found(prose.text(), letter.properties(told), few_failed(_members(attached, limits)))


def check_start(file: BinaryIO) -> None:
    """It begins with a header field, or with the line that mailboxes have before one. Anything else is no text."""
    head = file.read(STARTS).removeprefix(b"\xef\xbb\xbf").lstrip()
    file.seek(0)
    if head and not HEADER.match(head) and not head.startswith((b"From ", b">From ")):
        raise Problem(Reason.CORRUPT, "it does not begin with a header field, as mail does")


def parsed(file: BinaryIO) -> Mail:
    """Not by the function for files: it makes all line ends alike, in binary parts too."""
    skimmed = Skimmed(file)
    parser = BytesFeedParser(lambda: Mail(skimmed))
    skimmed.feed(parser)
    return parser.close()


def fields(mail: "Message[Any, Any]") -> dict[str, str]:
    """A mail has one Message-ID: where there are more, the first counts."""
    return {"Message-ID": field(mail, "Message-ID", most=1), **{name: field(mail, name) for name in letter.SEEN}}


def field(mail: "Message[Any, Any]", name: str, *, most: int | None = None) -> str:
    """All fields of that name, decoded (RFC 2047), on one line."""
    told = []
    for value in mail.get_all(name, [])[:most]:
        try:
            told.append(str(make_header(decode_header(value))))
        except (ValueError, LookupError, UnicodeError, AttributeError):
            told.append(str(value))
    return FOLDED.sub(" ", ", ".join(told)).strip()


def body(part: Mail) -> str:
    text = decoded(part)
    html = part.get_content_type() == "text/html"
    return visible_text(text.encode("utf-8", "replace")).decode() if html else text


def decoded(part: Mail) -> str:
    data = part.data
    html = part.get_content_type() == "text/html"
    try:
        text = data.decode(part.get_content_charset() or "utf-8")
    except (LookupError, UnicodeDecodeError):
        text = decode(data, html=html).text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _sorted(part: Mail) -> tuple[list[Mail], list[Mail]]:
    """Parts that are shown as the text, and those that are attached."""
    kind = part.kind
    if kind in SEALED or kind in EMBEDDED:
        return [], [part]
    if not part.is_multipart():
        attached = part.get_content_disposition() == "attachment" or part.get_filename()
        shown = kind in ("text/plain", "text/html") or kind.startswith("message/")  # what became of a delivery
        return ([part], []) if shown and not attached else ([], [part])
    inline, attachments = [], []
    for inner in part.get_payload():
        if not isinstance(inner, Mail):
            continue
        seen, held = _sorted(inner)
        inline += seen
        attachments += held
    if kind == "multipart/alternative":
        plain = [part for part in inline if part.kind == "text/plain"]
        html = [part for part in inline if part.kind == "text/html"]
        said, meant = ("\n".join(map(body, parts)) for parts in (plain, html))
        keeps_plain, keeps_html = letter.shown(said, meant)
        inline = (plain * keeps_plain + html * keeps_html) or inline
    return inline, attachments


def _members(parts: list[Mail], limits: Limits) -> Iterator[Member]:
    counted = Counted(limits)
    for number, part in enumerate(parts, 1):
        counted.begin()
        name = _name(part, number)
        if part.kind in SEALED and "signed" not in str(part.get_param("smime-type", "")):
            yield Member(name, b"", problem=Problem(Reason.ENCRYPTED, "the mail's text is encrypted"))
            continue
        yield counted.attached(name, part.size, partial(_data, part))


def _data(part: Mail) -> bytes:
    """Embedded mail may say that it is base64 and be none: no colon is in base64."""
    is_none = part.kind in EMBEDDED and part.is_base64 and HEADER.match(part.written)
    return part.written if is_none else part.data


def _name(part: Mail, number: int) -> bytes:
    told = part.get_filename()
    if told:
        with suppress(ValueError, LookupError, UnicodeError):
            told = str(make_header(decode_header(told)))
        told = FOLDED.sub(" ", told).replace("\\", "/").rpartition("/")[2].strip()
    if not told:
        ending = ".eml" if part.kind in EMBEDDED else ENDINGS.get(part.kind, "")
        told = f"part-{number}{ending}"
    return told.encode("utf-8", "replace")
