"""A mail and each part of it, as Python's parser gives them.

The parser's old policy is used: the new one raises over header fields that are not quite right. Members are the bytes
that stand in the mail: line ends stay as they are, and embedded mail is not taken apart, as nobody could put it
together again just so.

A mail as its parser is given it: long runs of lines stay in the file, and a mark stands where they were.

Python's parser takes over four times a mail's size in memory, a line at a time; so an attachment of 200 MB cost the
mail its text. A run ends where a line begins with two dashes, as those between parts do: no boundary need be known,
since what was left out is put back byte for byte, wherever its mark has come to.

Files that stand in the text of a mail, as before MIME (uuencode, IEEE 1003.1): taken out, as mail programs do.
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

from nearkin.formats.mail_text import parameter, raw_told

HELD = 1 << 18  # bytes of a part that are held before a run begins
LONGEST_LINE = 1 << 16
ENDS = (b"\r\n", b"\n", b"\r")
MARK = re.compile("\ue000(\\d+)\ue000")  # no bytes become such a character: the parser is given them as surrogates


class Skimmed:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left_out: list[tuple[int, int]] = []  # from, to

    def feed(self, parser: "BytesFeedParser[Any]") -> None:
        self._file.seek(0)
        start = self._file.read(HELD)
        if len(start) < HELD:
            return parser.feed(start)
        self._file.seek(0)
        run: int | None = None  # where it began
        at = since = 0  # bytes of the file; of them since the last line of two dashes
        fresh, body, ended = True, False, b""  # the line begins; a header is over; how the line before ended
        for line in self._lines():
            if fresh and line.startswith(b"--"):
                self._leave_out(run, at, ended, parser)
                run, since, body = None, 0, False
            if run is None and body and since >= HELD:
                run = at
            if run is None:
                parser.feed(line)
            body = body or (fresh and line in ENDS)
            ended = b"\r\n" if line.endswith(b"\r\n") else line[-1:] if line.endswith(ENDS) else b""
            fresh = bool(ended)
            at += len(line)
            since += len(line)
        self._leave_out(run, at, ended, parser)
        return None

    def _lines(self) -> Iterator[bytes]:
        """As the parser will tell them, for which a carriage return ends a line too. Each begins in a piece of its own,
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
        """The last line's end stays: it belongs to what comes after."""
        if run is not None:
            FeedParser.feed(parser, f"\ue000{len(self._left_out)}\ue000{ended.decode()}")
            self._left_out.append((run, to - len(ended)))

    def size(self, payload: str) -> int:
        return len(payload) + sum(to - run for run, to in self._runs(payload))

    def whole(self, payload: str) -> bytes | None:
        """With all that was left out; None where nothing was."""
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
