"""RTF (specification 1.9.1): text, notes, headers, footers, text boxes, comments, what embedded objects show; not
what is marked deleted or moved away.

The libraries at hand drop headers, footers and footnotes. A reader of RTF is a stack of groups: each inherits the state
of the one around it; a destination that is no text hides its group. The tables below hold the words that mean something
for the text; all others format it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from nearkin.formats.adapter import Extraction, Limits, Problem, TextBuilder
from nearkin.formats.ole import codec_of_page
from nearkin.model import Reason

TEXTS = {
    b"par": "\n", b"line": "\n", b"sect": "\n", b"page": "\n", b"column": "\n", b"row": "\n", b"nestrow": "\n",
    b"softline": "\n", b"tab": "\t", b"cell": "\t", b"nestcell": "\t", b"emdash": "—", b"endash": "–",
    b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"emspace": " ",
    b"enspace": " ", b"qmspace": " ",
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
# Destinations that are no text. So are those marked by \* that are not in SHOWN_ANYWAY, and those that end in Pr, which
# format equations.
HIDDEN = frozenset((
    b"colortbl", b"stylesheet", b"info", b"pict", b"filetbl", b"listtable", b"listoverridetable", b"rsidtbl",
    b"revtbl", b"themedata", b"colorschememapping", b"datastore", b"latentstyles", b"xmlnstbl", b"fldinst",
    b"generator", b"nonesttables", b"pnseclvl", b"template", b"bkmkstart", b"bkmkend",
    b"atnid", b"atnauthor", b"atnref", b"atntime", b"atndate", b"atnparent", b"atrfstart", b"atrfend",
    b"objclass", b"objname", b"objtime", b"objdata", b"objalias", b"objsect",
    b"tc", b"xe", b"ftnsep", b"ftnsepc", b"aftnsep", b"aftnsepc",
))  # fmt: skip
# Destinations beside the text: each begins a line, and the text goes on in another.
APART = frozenset((
    b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf", b"footnote",
    b"annotation", b"shptxt", b"dptxbxtext",
))  # fmt: skip
# Destinations that are shown in spite of a star, which lets old programs pass over what newer ones show. LibreOffice
# and pandoc put it before each note, too.
SHOWN_ANYWAY = APART | {
    b"shppict", b"shpinst", b"do", b"nesttableprops", b"moMath", b"moMathPara", b"fldrslt", b"result", b"listtext",
    b"pntext",
}  # fmt: skip
INFO = {b"title": "title", b"author": "author"}
TIMES = {b"creatim": "created", b"revtim": "modified"}
TIME_WORDS = frozenset((b"yr", b"mo", b"dy", b"hr", b"min"))
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5hkscs", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
    254: "cp437",
}  # fmt: skip
PAGES = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
SHAPE_TEXTS = ("wzDescription", "gtextUNICODE")  # properties of shapes: alt text, WordArt


TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)
WORD, NUMBERED, CODE, SYMBOL, BRACE, TEXT = range(1, 7)  # its groups, the last that matched
SHAPE_NAME, CHOICE = "shape's name", "choice"  # properties of shapes are pairs of a name and a value
DROP_DOWN, NOT_CHOSEN = 2, 25
DEEPEST = 100_000
START = re.compile(rb"(?:\xef\xbb\xbf)?[\s\0]*\{\\u?rtf")


@dataclass(slots=True)
class State:
    """The state of a group."""

    hidden: bool = False
    deleted: bool = False
    skip: int = 1  # characters after \u that stand for it in old programs
    font: int | None = None  # None: the document's
    info: str = ""  # the property whose value this is
    font_table: bool = False
    twice: bool = False  # its first group stands again, in Unicode, in its second
    again: bool = False  # this text stands again elsewhere
    apart: int = 0  # how many destinations beside the text it lies in
    not_in_html: bool = False  # added where a mail that was HTML became RTF

    def inner(self) -> "State":
        """The state of a group in this one: a copy. dataclasses.replace takes three times as long."""
        return State(
            self.hidden, self.deleted, self.skip, self.font, self.info, self.font_table, False,
            self.again or self.twice, self.apart, self.not_in_html,
        )  # fmt: skip


def read(file: BinaryIO, limits: Limits) -> Extraction:
    data = file.read()
    if not START.match(data):
        raise Problem(Reason.CORRUPT, "not an RTF file")
    reader = parsed(data, limits)
    if reader.open_groups > 1 or (reader.open_groups and not reader.is_at_line_end):
        raise Problem(Reason.CORRUPT, "cut off: its end is missing")
    return Extraction(reader.prose.text(), reader.properties)


def parsed(data: bytes, limits: Limits) -> "_Reader":
    """Read RTF to its end, wherever that is."""
    reader = _Reader(limits)
    reader.run(data)
    return reader


class _Reader:
    """Reads RTF word by word."""

    def __init__(self, limits: Limits) -> None:
        self.prose = TextBuilder(limits)
        self.properties: dict[str, str] = {}
        self._state = State()
        self._stack: list[State] = []
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}  # their codecs, where these are not the document's
        self._font = 0  # the font that the font table describes
        self._default_font = 0
        self._bytes = bytearray()  # of \'hh, until something else comes: a character may have two
        self._high = 0  # the first half of a surrogate pair
        self._skip = 0
        self._starred = False
        self._time: list[int] = []
        self._shape_name = ""
        self._choices: list[str] = []  # of a drop-down field
        self._kind = self._chosen = self._usual = 0
        self._from_html = False
        self.is_at_line_end = False

    def run(self, data: bytes) -> None:
        place = 0
        while match := TOKEN.match(data, place):
            place = match.end()
            kind = match.lastindex
            if kind == TEXT:
                self._plain(match[TEXT])
            elif kind == CODE:
                if self._skip:
                    self._skip -= 1
                else:
                    self._bytes.append(int(match[CODE], 16))
            elif kind == SYMBOL:
                self._symbol(match[SYMBOL])
            elif kind is not None:
                if self._bytes:
                    self._flush()
                if kind == BRACE:
                    self._brace(match[BRACE])
                elif kind == WORD:
                    self._word(match[WORD], None)
                elif match[WORD] != b"bin":
                    self._word(match[WORD], int(match[NUMBERED]))
                else:
                    place += max(0, int(match[NUMBERED]))
        self._flush()

    @property
    def open_groups(self) -> int:
        """How many groups are open. A missing last brace, which some programs forget, is allowed after a whole
        paragraph; a file that was cut off is not."""
        return len(self._stack)

    def _brace(self, brace: bytes) -> None:
        self._skip = 0
        self._starred = False
        if brace == b"{":
            if len(self._stack) > DEEPEST:
                raise Problem(Reason.TOO_LARGE, f"groups nested over {DEEPEST} deep")
            around = self._state
            self._stack.append(around)
            self._state = around.inner()
            around.twice = False  # only its first group stands again
        elif self._stack:
            ended = self._state
            if ended.info in TIMES.values() and self._time:
                self._set_time()
            self._state = self._stack.pop()
            if ended.apart > self._state.apart:
                self.prose.end()

    def _symbol(self, symbol: bytes) -> None:
        if self._bytes and symbol in b"\\{}":  # the second byte of a character
            self._bytes += symbol
            return
        self._flush()
        if symbol == b"*":
            self._starred = True
        elif self._skip:
            self._skip -= 1
        else:
            self._add_text(SYMBOLS.get(symbol, ""))

    def _plain(self, text: bytes) -> None:
        if self._skip:
            skipped = min(self._skip, len(text))
            self._skip -= skipped
            text = text[skipped:]
        if self._bytes:  # the last byte may be half a character
            text = bytes(self._bytes) + text
            self._bytes.clear()
        self._add_text(text.decode(self._codec(), "replace"))

    def _codec(self) -> str:
        state = self._state
        font = self._default_font if state.font is None else state.font
        return self._page if state.info else self._fonts.get(font) or self._page

    def _flush(self) -> None:
        if self._bytes:
            text = self._bytes.decode(self._codec(), "replace")
            self._bytes.clear()
            self._add_text(text)

    def _add_text(self, text: str) -> None:
        state = self._state
        if state.again:
            return
        if state.info:
            self._add_value(state.info, text)
        elif not state.hidden and not state.deleted and not (state.not_in_html and text.strip()):
            self.prose.add(text)
            if seen := text.rstrip(" \0"):
                self.is_at_line_end = seen[-1] == "\n"

    def _add_value(self, what: str, text: str) -> None:
        if what == SHAPE_NAME:
            self._shape_name += text
        elif what == CHOICE:
            self._choices[-1] += text
        elif what not in TIMES.values():
            self.properties[what] = self.properties.get(what, "") + text

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if (text := TEXTS.get(word)) is not None:
            self._add_text(text)
        elif (meaning := MEANINGS.get(word)) is not None:
            meaning(self, self._state, number)
        elif (starred and word not in SHOWN_ANYWAY) or word in HIDDEN or word.endswith(b"Pr"):
            self._state.hidden = True

    def _stand_apart(self, state: State, number: int | None = None) -> None:
        if not state.hidden:
            state.apart += 1
            self.prose.end()

    def _unicode(self, state: State, number: int | None) -> None:
        if number is None:
            return
        point = number % 65536
        self._skip = state.skip
        if 0xD800 <= point < 0xDC00:
            self._high = point
        elif 0xDC00 <= point < 0xE000:
            if self._high:
                self._add_text(chr(0x10000 + ((self._high - 0xD800) << 10) + point - 0xDC00))
            self._high = 0
        else:
            self._add_text(chr(point))

    def _characters_to_skip(self, state: State, number: int | None) -> None:
        state.skip = number or 0

    def _code_page(self, state: State, number: int | None) -> None:
        """The code page of a font, in the font table; otherwise of the document."""
        if not number or not (codec := codec_of_page(number)):
            return
        if state.font_table:
            self._fonts[self._font] = codec
        else:
            self._page = codec

    def _use_font(self, state: State, number: int | None) -> None:
        if state.font_table:
            self._font = number or 0
        else:
            state.font = number or 0

    def _charset(self, state: State, number: int | None) -> None:
        if state.font_table:
            self._fonts[self._font] = CHARSETS.get(number or 0, "")

    def _set_default_font(self, state: State, number: int | None) -> None:
        self._default_font = number or 0

    def _set_page(self, state: State, number: int | None, page: str) -> None:
        self._page = page

    def _font_table(self, state: State, number: int | None) -> None:
        state.hidden = state.font_table = True

    def _deleted(self, state: State, number: int | None) -> None:
        state.deleted = number != 0

    def _plain_again(self, state: State, number: int | None) -> None:
        state.deleted, state.font = False, None

    def _said_twice(self, state: State, number: int | None) -> None:
        state.twice = True

    def _for_old_programs(self, state: State, number: int | None) -> None:
        """Hide what stands for old programs only: a picture once more, with its alt text, or a shape's replacement."""
        state.hidden = state.again = True

    def _in_unicode(self, state: State, number: int | None) -> None:
        state.again = False

    def _name_of_shape(self, state: State, number: int | None) -> None:
        state.info, self._shape_name = SHAPE_NAME, ""

    def _value_of_shape(self, state: State, number: int | None) -> None:
        state.hidden = self._shape_name.strip() not in SHAPE_TEXTS
        self._stand_apart(state)

    def _field(self, state: State, number: int | None) -> None:
        state.hidden = True
        self._choices, self._kind, self._chosen, self._usual = [], 0, 0, 0

    def _kind_of_field(self, state: State, number: int | None) -> None:
        self._kind = number or 0

    def _choose(self, state: State, number: int | None) -> None:
        self._chosen = number or 0

    def _choose_usually(self, state: State, number: int | None) -> None:
        self._usual = number or 0

    def _choice(self, state: State, number: int | None) -> None:
        self._choices.append("")
        state.info = CHOICE

    def _result(self, state: State, number: int | None) -> None:
        """Add the chosen entry of a drop-down field, whose result is mostly empty."""
        which = self._usual if self._chosen == NOT_CHOSEN else self._chosen
        if self._kind == DROP_DOWN and 0 <= which < len(self._choices):
            self._add_text(self._choices[which])
            state.hidden = True
        self._kind = 0

    def _property(self, state: State, number: int | None, name: str) -> None:
        if state.hidden:
            state.info = name

    def _begin_time(self, state: State, number: int | None, name: str) -> None:
        state.info, self._time = name, []

    def _piece_of_time(self, state: State, number: int | None) -> None:
        if state.info:
            self._time.append(number or 0)

    def _was_html(self, state: State, number: int | None) -> None:
        self._from_html = number != 0

    def _not_in_html(self, state: State, number: int | None) -> None:
        state.not_in_html = self._from_html and number != 0

    def _set_time(self) -> None:
        year, month, day, hour, minute = (*self._time, *(0, 1, 1, 0, 0)[len(self._time) :])[:5]
        self.properties[self._state.info] = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00"
        self._time = []


MEANINGS: dict[bytes, Callable[[_Reader, State, int | None], None]] = {
    b"u": _Reader._unicode,
    b"uc": _Reader._characters_to_skip,
    b"ansicpg": _Reader._code_page,
    b"cpg": _Reader._code_page,
    b"deff": _Reader._set_default_font,
    b"fonttbl": _Reader._font_table,
    b"f": _Reader._use_font,
    b"fcharset": _Reader._charset,
    b"plain": _Reader._plain_again,
    b"deleted": _Reader._deleted,
    b"mvf": _Reader._deleted,
    b"upr": _Reader._said_twice,
    b"ud": _Reader._in_unicode,
    b"nonshppict": _Reader._for_old_programs,
    b"shprslt": _Reader._for_old_programs,
    b"sn": _Reader._name_of_shape,
    b"sv": _Reader._value_of_shape,
    b"formfield": _Reader._field,
    b"fftype": _Reader._kind_of_field,
    b"ffres": _Reader._choose,
    b"ffdefres": _Reader._choose_usually,
    b"ffl": _Reader._choice,
    b"fldrslt": _Reader._result,
    b"fromhtml": _Reader._was_html,
    b"htmlrtf": _Reader._not_in_html,
    **dict.fromkeys(APART, _Reader._stand_apart),
    **dict.fromkeys(TIME_WORDS, _Reader._piece_of_time),
    **{word: partial(_Reader._property, name=name) for word, name in INFO.items()},
    **{word: partial(_Reader._begin_time, name=name) for word, name in TIMES.items()},
    **{word: partial(_Reader._set_page, page=page) for word, page in PAGES.items()},
}
