"""RTF (specification 1.9.1): text, notes, headers, footers, text boxes, comments, what embedded objects show; not
what is marked deleted.

The libraries at hand drop headers, footers and footnotes. A reader of RTF is a stack of groups: each inherits the state
of the one around it; a destination that is no text hides its group.
"""

import re
from dataclasses import dataclass, replace
from typing import BinaryIO

from nearkin.formats.found import Found, Limits, Problem
from nearkin.formats.prose import Prose
from nearkin.model import Reason

TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)
TEXT_WORDS = {
    "par": "\n", "line": "\n", "sect": "\n", "page": "\n", "column": "\n", "row": "\n", "nestrow": "\n",
    "softline": "\n", "tab": "\t", "cell": "\t", "nestcell": "\t", "emdash": "—", "endash": "–", "bullet": "•",
    "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
SYMBOLS = {
    b"~": "\u00a0",
    b"_": "\u2011",
    b"-": "",
    b"{": "{",
    b"}": "}",
    b"\\": "\\",
    b"\n": "\n",
    b"\r": "\n",
    b"\t": "\t",
}
# Destinations that are no text, beside all those that are marked by \* and not among the few that are.
HIDDEN = {
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "filetbl", "listtable", "listoverridetable",
    "rsidtbl", "revtbl", "themedata", "colorschememapping", "datastore", "latentstyles", "xmlnstbl", "fldinst",
    "generator", "nonshppict", "pnseclvl", "template", "mmathPr", "bkmkstart", "bkmkend", "atnid", "atnauthor",
    "atnref", "atntime",
    "objclass", "objname", "objtime", "objdata", "objalias", "objsect",
    "atndate", "atnparent", "atrfstart", "atrfend", "tc", "xe", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc",
}  # fmt: skip
SHOWN_ANYWAY = {"annotation", "shppict", "shpinst", "shptxt", "ud", "nesttableprops"}
INFO = {"title": "title", "author": "author"}
TIMES = {"creatim": "created", "revtim": "modified"}
CHARSETS = {
    0: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5hkscs", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250",
}  # fmt: skip
SHAPE_NAME, ALT_TEXT = "sn", "wzDescription"  # properties of shapes are pairs of a name and a value
DEEPEST = 100_000
START = re.compile(rb"(?:\xef\xbb\xbf)?[\s\0]*\{\\u?rtf")


@dataclass(slots=True)
class State:
    hidden: bool = False
    deleted: bool = False
    skip: int = 1  # characters after \u that stand for it in old programs
    codec: str = ""
    info: str = ""  # which property is being told
    font_table: bool = False
    twice: bool = False  # what its first group says is said again in Unicode by its second
    again: bool = False  # this is said again


def read(file: BinaryIO, limits: Limits) -> Found:
    data = file.read()
    if not START.match(data):
        raise Problem(Reason.CORRUPT, "it does not begin as RTF does")
    reader = taken(data, limits)
    if reader.open_groups > 1 or (reader.open_groups and not reader.is_at_line_end):
        raise Problem(Reason.CORRUPT, f"it ends early: {reader.open_groups} of its groups are open")
    return Found(reader.prose.text(), reader.properties)


def taken(data: bytes, limits: Limits) -> "_Reader":
    reader = _Reader(limits)
    reader.run(data)
    return reader


class _Reader:
    def __init__(self, limits: Limits) -> None:
        self.prose = Prose(limits)
        self.properties: dict[str, str] = {}
        self._state = State()
        self._stack: list[State] = []
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._bytes = bytearray()  # of \'hh, until something else comes: characters may have two
        self._high = 0  # the first half of a surrogate pair
        self._skip = 0
        self._starred = False
        self._time: list[int] = []
        self._shape_name = ""
        self.is_at_line_end = False

    def run(self, data: bytes) -> None:
        place = 0
        while match := TOKEN.match(data, place):
            place = match.end()
            word, number, code, symbol, brace, text = match.groups()
            if code is not None:
                if self._skip:
                    self._skip -= 1
                else:
                    self._bytes.append(int(code, 16))
                continue
            if self._bytes and (word or symbol or brace or text):
                self._flush()
            if word is not None:
                if word == b"bin" and number:
                    place += max(0, int(number))
                else:
                    self._word(word.decode(), int(number) if number else None)
            elif brace:
                self._brace(brace)
            elif symbol is not None:
                self._symbol(symbol)
            elif text is not None:
                self._plain(text)
        self._flush()

    @property
    def open_groups(self) -> int:
        """Programs that forget the last brace are forgiven, after a whole paragraph; a file that was cut off is not."""
        return len(self._stack)

    def _brace(self, brace: bytes) -> None:
        self._skip = 0
        self._starred = False
        if brace == b"{":
            if len(self._stack) > DEEPEST:
                raise Problem(Reason.TOO_LARGE, f"groups nested over {DEEPEST} deep")
            self._stack.append(self._state)
            around = self._state
            self._state = replace(around, again=around.again or around.twice, twice=False)
            around.twice = False  # only its first group is said again
        elif self._stack:
            if self._state.info in TIMES.values() and self._time:
                self._tell_time()
            self._state = self._stack.pop()

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif self._skip:
            self._skip -= 1
        else:
            self._say(SYMBOLS.get(symbol, ""))

    def _plain(self, text: bytes) -> None:
        if self._skip:
            skipped = min(self._skip, len(text))
            self._skip -= skipped
            text = text[skipped:]
        self._say(text.decode(self._codec(), "replace"))

    def _codec(self) -> str:
        return self._state.codec or self._page

    def _flush(self) -> None:
        if self._bytes:
            text = self._bytes.decode(self._codec(), "replace")
            self._bytes.clear()
            self._say(text)

    def _say(self, text: str) -> None:
        state = self._state
        if state.again:
            return
        if state.info == SHAPE_NAME:
            self._shape_name += text
        elif state.info:
            if state.info not in TIMES.values():
                self.properties[state.info] = self.properties.get(state.info, "") + text
        elif not state.hidden and not state.deleted:
            self.prose.add(text)
            if seen := text.rstrip(" \0"):
                self.is_at_line_end = seen[-1] == "\n"

    def _word(self, word: str, number: int | None) -> None:
        state = self._state
        starred, self._starred = self._starred, False
        if word == "u" and number is not None:
            self._unicode(number)
        elif word in TEXT_WORDS:
            self._say(TEXT_WORDS[word])
        elif word == "uc":
            state.skip = number or 0
        elif word == "ansicpg" and number:
            self._page = _known(f"cp{number}") or self._page
        elif word == "mac":
            self._page = "mac-roman"
        elif word == "deleted":
            state.deleted = number != 0
        elif word == "plain":
            state.deleted = False
        elif word == "f":
            self._font = number or 0
            if not state.font_table:
                state.codec = self._fonts.get(self._font, "")
        elif word == "fcharset" and state.font_table:
            self._fonts[self._font] = CHARSETS.get(number or 0, "") if number else ""
        elif word in INFO and state.hidden:
            state.info = INFO[word]
        elif word in TIMES:
            state.info, self._time = TIMES[word], []
        elif word in ("yr", "mo", "dy", "hr", "min") and state.info:
            self._time.append(number or 0)
        elif word == "upr":
            state.twice = True
        elif word == "ud":
            state.again = False
        elif word == SHAPE_NAME:
            state.info, self._shape_name = SHAPE_NAME, ""
        elif word == "sv":
            state.hidden = self._shape_name.strip() != ALT_TEXT
        elif word == "fonttbl":
            state.hidden = state.font_table = True
        elif word in HIDDEN or (starred and word not in SHOWN_ANYWAY):
            state.hidden = True
        elif word in ("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "footnote"):
            self.prose.end()

    def _unicode(self, number: int) -> None:
        point = number % 65536
        self._skip = self._state.skip
        if 0xD800 <= point < 0xDC00:
            self._high = point
        elif 0xDC00 <= point < 0xE000:
            if self._high:
                self._say(chr(0x10000 + ((self._high - 0xD800) << 10) + point - 0xDC00))
            self._high = 0
        else:
            self._say(chr(point))

    def _tell_time(self) -> None:
        year, month, day, hour, minute = (*self._time, *(0, 1, 1, 0, 0)[len(self._time) :])
        self.properties[self._state.info] = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00"
        self._time = []


def _known(codec: str) -> str:
    try:
        b"".decode(codec)
    except LookupError:
        return ""
    return codec
