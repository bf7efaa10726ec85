"""A mail as its parser is given it: long runs of lines stay in the file, and a mark stands where they were.

Python's parser takes over four times a mail's size in memory, a line at a time; so an attachment of 200 MB cost the
mail its text. A run ends where a line begins with two dashes, as those between parts do: no boundary need be known,
since what was left out is put back byte for byte, wherever its mark has come to.
"""

import re
from collections.abc import Iterator
from email.parser import BytesFeedParser, FeedParser
from io import SEEK_CUR
from typing import Any, BinaryIO

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
