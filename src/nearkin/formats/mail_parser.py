"""A mail and each part of it, as Python's parser gives them.

The parser's old policy is used: the new one raises over header fields that are not quite right. Members are the bytes
that stand in the mail: line ends stay as they are, and embedded mail is not taken apart, as nobody could put it
together again just so.
"""

import binascii
import quopri
from contextlib import suppress
from email.message import Message
from email.parser import BytesFeedParser
from typing import BinaryIO

from nearkin.formats.mail_text import parameter, raw_told
from nearkin.formats.skimmed import Skimmed

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
    def inner(self) -> list["Mail"]:
        """The parts of one that is made of parts."""
        parts = self.get_payload() if self.is_multipart() else []
        return [part for part in parts if isinstance(part, Mail)]

    @property
    def label(self) -> str:
        """Of its charset."""
        return parameter(self.get_param("charset")) if self.get_param("charset") else ""

    @property
    def file_name(self) -> str:
        told = self.get_param("filename", header="content-disposition") or self.get_param("name")
        return parameter(told).replace("\\", "/").rpartition("/")[2].strip()

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

    def spell_out(self) -> None:
        """Raw bytes in header fields, here and in all parts."""
        parts = [part for part in self.walk() if isinstance(part, Mail)]
        raw = {value for part in parts for _, value in part.raw_items() if not _is_text(value)}
        if not raw:
            return
        label = next((label for part in parts if part.kind.startswith("text/") and (label := part.label)), "")
        told = raw_told(sorted(raw), label)
        for part in parts:
            part._headers = [(name, told.get(value, value)) for name, value in part.raw_items()]  # type: ignore[attr-defined]


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_base64(written: bytes) -> bytes:
    """As Python's own does of what it holds: padding may lack, and what is no base64 stays as it is, on one line."""
    for end in (b"", b"=="):
        with suppress(binascii.Error):
            return binascii.a2b_base64(written + end if end else written)
    return b"".join(written.splitlines())


class _Parser(BytesFeedParser):
    """Python's forgets lines that are no fields and stand among such: here they begin the body."""

    def _parse_headers(self, lines: list[str]) -> None:
        fields: list[str] = []
        others: list[str] = []
        for number, line in enumerate(lines):
            is_field = bool(fields) if line[0] in " \t" else number == 0 or not line.startswith("From ")
            (fields if is_field and line[0] != ":" else others).append(line)
        for line in reversed(others):
            self._input.unreadline(line)  # type: ignore[attr-defined]
        super()._parse_headers(fields)  # type: ignore[misc]


def parsed(file: BinaryIO) -> Mail:
    """Not by the function for files: it makes all line ends alike, in binary parts too."""
    skimmed = Skimmed(file)
    parser = _Parser(lambda: Mail(skimmed))
    skimmed.feed(parser)
    mail = parser.close()
    assert isinstance(mail, Mail)
    mail.spell_out()
    return mail
