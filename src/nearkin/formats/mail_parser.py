"""Parsing mail: Python's parser, given little memory, and files that stand in the text of a mail.

The parser's old policy is used: the new one raises over header fields that are not quite right. Members are the bytes
that stand in the mail: line ends stay as they are, and embedded mail is not taken apart, as nobody could put it
together again just so.

Python's parser takes over four times a mail's size in memory, a line at a time; so an attachment of 200 MB cost the
mail its text. Therefore long runs of lines stay in the file, and the parser is given a mark in their place. A run ends
where a line begins with two dashes, as those between parts do: no boundary need be known, since a run is put back byte
for byte, wherever its mark has come to.
"""

import binascii
import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from email.message import Message
from email.parser import BytesFeedParser, FeedParser
from io import SEEK_CUR
from typing import Any, BinaryIO

from nearkin.formats.mail_text import decode_raw, is_encodable, parameter

HELD = 1 << 18  # bytes of a part that are held before a run begins
LONGEST_LINE = 1 << 16
ENDS = (b"\r\n", b"\n", b"\r")
MARK = re.compile("\ue000(\\d+)\ue000")  # bytes never become such a character: the parser has them as surrogates


class MailSource:
    """A mail's file: it feeds the parser, and puts back the runs of lines that it left out."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left_out: list[tuple[int, int]] = []  # start and end of each run in the file

    def feed(self, parser: "BytesFeedParser[Any]") -> None:
        self._file.seek(0)
        start = self._file.read(HELD)
        if len(start) < HELD:
            return parser.feed(start)
        self._file.seek(0)
        run: int | None = None  # where the run began
        at = since = 0  # bytes of the file; of them since the last line of two dashes
        at_start, body, ended = True, False, b""  # of a line; whether a header is over; how the line before ended
        for line in self._lines():
            if at_start and line.startswith(b"--"):
                self._leave_out(run, at, ended, parser)
                run, since, body = None, 0, False
            if run is None and body and since >= HELD:
                run = at
            if run is None:
                parser.feed(line)
            body = body or (at_start and line in ENDS)
            ended = b"\r\n" if line.endswith(b"\r\n") else line[-1:] if line.endswith(ENDS) else b""
            at_start = bool(ended)
            at += len(line)
            since += len(line)
        self._leave_out(run, at, ended, parser)
        return None

    def _lines(self) -> Iterator[bytes]:
        """Lines as the parser sees them: for it a carriage return ends a line too. Each begins in a piece of its own,
        with its two dashes, and no line end is divided."""
        while piece := self._file.readline(LONGEST_LINE):
            if piece.endswith(b"\n") and piece.find(b"\r", 0, -2) < 0:  # nearly all
                yield piece
                continue
            if piece.endswith(b"\r"):
                after = self._file.read(1)
                if after == b"\n":
                    piece += after
                else:
                    self._file.seek(-len(after), SEEK_CUR)
            lines = piece.splitlines(keepends=True)
            if len(lines) > 1 and not lines[-1].endswith(ENDS):
                self._file.seek(-len(lines.pop()), SEEK_CUR)
            yield from lines

    def _leave_out(self, run: int | None, to: int, ended: bytes, parser: "BytesFeedParser[Any]") -> None:
        """Feed the parser a mark for a run. The last line's end stays: it belongs to the line after it."""
        if run is not None:
            FeedParser.feed(parser, f"\ue000{len(self._left_out)}\ue000{ended.decode()}")
            self._left_out.append((run, to - len(ended)))

    def size(self, payload: str) -> int:
        """The size of a payload with all its runs."""
        return len(payload) + sum(to - run for run, to in self._runs(payload))

    def with_runs(self, payload: str) -> bytes | None:
        """A payload with all its runs; None where nothing was left out."""
        if not self._runs(payload):
            return None
        pieces = MARK.split(payload)  # every other one is a number
        return b"".join(
            self._there(int(piece)) if at % 2 else piece.encode("ascii", "surrogateescape")
            for at, piece in enumerate(pieces)
        )

    def _runs(self, payload: str) -> list[tuple[int, int]]:
        return [self._left_out[int(number)] for number in MARK.findall(payload)] if self._left_out else []

    def _there(self, number: int) -> bytes:
        run, to = self._left_out[number]
        self._file.seek(run)
        return self._file.read(to - run)


AS_THEY_ARE = ("", "7bit", "8bit", "binary")


class Mail(Message):
    """A mail or a part of one. Types message/* are hidden from the parser: it would take them apart."""

    def __init__(self, source: MailSource) -> None:
        super().__init__()
        self._source = source

    @property
    def _held(self) -> str:
        """The payload as the parser left it; `get_payload` would decode it."""
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
        """The parts of a multipart."""
        parts = self.get_payload() if self.is_multipart() else []
        return [part for part in parts if isinstance(part, Mail)]

    @property
    def label(self) -> str:
        """The label of its charset."""
        return parameter(self.get_param("charset")) if self.get_param("charset") else ""

    @property
    def file_name(self) -> str:
        name = self.get_param("filename", header="content-disposition") or self.get_param("name")
        return parameter(name).replace("\\", "/").rpartition("/")[2].strip()

    @property
    def size(self) -> int:
        """The size of its bytes before they are read; the true size may be a little smaller."""
        size = self._source.size(self._held)
        return size * 3 // 4 if self.is_base64 else size

    @property
    def is_base64(self) -> bool:
        return self._encoding == "base64"

    @property
    def data(self) -> bytes:
        """Its bytes without the transfer encoding."""
        written = self._source.with_runs(self._held)
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
        """Its bytes as they stand in the mail."""
        whole = self._source.with_runs(self._held)
        return self._held.encode("ascii", "surrogateescape") if whole is None else whole

    @property
    def _encoding(self) -> str:
        return str(self.get("Content-Transfer-Encoding", "")).strip().lower()

    def spell_out(self) -> None:
        """Decode raw bytes in header fields, here and in all parts."""
        parts = [part for part in self.walk() if isinstance(part, Mail)]
        raw = {value for part in parts for _, value in part.raw_items() if not is_encodable(value)}
        if not raw:
            return
        label = next((label for part in parts if part.kind.startswith("text/") and (label := part.label)), "")
        decoded = decode_raw(sorted(raw), label)
        for part in parts:
            part._headers = [(name, decoded.get(value, value)) for name, value in part.raw_items()]  # type: ignore[attr-defined]


def _from_base64(written: bytes) -> bytes:
    """Decode base64 as Python's parser does: padding may lack, and bytes that are no base64 stay, on one line."""
    for end in (b"", b"=="):
        with suppress(binascii.Error):
            return binascii.a2b_base64(written + end if end else written)
    return b"".join(written.splitlines())


class _Parser(BytesFeedParser):
    """A parser for which lines among the fields that are no fields begin the body. Python's own forgets them."""

    def _parse_headers(self, lines: list[str]) -> None:
        fields: list[str] = []
        no_fields: list[str] = []
        for number, line in enumerate(lines):
            is_field = bool(fields) if line[0] in " \t" else number == 0 or not line.startswith("From ")
            (fields if is_field and line[0] != ":" else no_fields).append(line)
        for line in reversed(no_fields):
            self._input.unreadline(line)  # type: ignore[attr-defined]
        super()._parse_headers(fields)  # type: ignore[misc]


def parsed(file: BinaryIO) -> Mail:
    """Parse a mail. Python's own function for files would make all line ends alike, in binary parts too."""
    source = MailSource(file)
    parser = _Parser(lambda: Mail(source))
    source.feed(parser)
    mail = parser.close()
    assert isinstance(mail, Mail)
    mail.spell_out()
    return mail


BEGIN = re.compile(r"^begin [0-7]{3,4} +(\S[^\n]*)\n", re.MULTILINE)
LINE = re.compile(r"[^\n]*\n?")


def taken_out(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """A text without the files that stand in it, as before MIME (uuencode, IEEE 1003.1), and of each file its name and
    bytes. A file that is not quite right stays in the text."""
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
            if (piece := _uudecoded(line.rstrip("\n"))) is None:
                end = begin.end()
                kept.append(text[at:end])
                break
            data.append(piece)
        else:
            break
        at = end
    return "".join((*kept, text[at:])), files


def _lines(text: str, at: int) -> Iterator[str]:
    while at < len(text) and (line := LINE.match(text, at)):
        yield line[0]
        at = line.end()


def _uudecoded(line: str) -> bytes | None:
    """The bytes of a line; None where it is no such line. Its first character says how many bytes are in it; spaces at
    its end may be lost."""
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
