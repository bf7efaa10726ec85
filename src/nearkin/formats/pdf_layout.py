"""Pages of a PDF as running text: divided words, running headers and page numbers, and leaders.

Words that a line's end divides are joined again, unless their hyphen belongs to them. Dividing leaves small letters
after the hyphen. So a word that goes on with a capital or a figure (Springer-Verlag, 32-bit) is two words, and so is
one that the document has with its hyphen elsewhere and nowhere without (full-screen).

Running headers, footers and page numbers are written once, not on every page. Only a page's first and last line come
into question, and only if three pages at least have the same one, but for a number at its start or end that is the
page's. Headings, invoices and years are numbered one by one too. So a number is a page's only if it is none beyond the
last page and proves itself on three pages at least: it stands alone, beside a word for page, or with a total (3 / 8);
or it goes on counting where the words beside it change twice. A page has one number: beside one that stands alone, a
line of words with it stays. The first of such lines stays, unless a heading says all its words (Chapter 2: Strings 9,
where a line is 2 Strings): so no words are lost but Chapter, only repetitions and the numbers of pages. A page's last
line left goes only if another page has the very same: a number may be all that a page says.

Dots that lead to a number at a line's end are no text; the number is, unless it proves to be that of a page. Income
statements, menus and lists of prices have such dots too. So numbers are looked up (`Pages`): what a line says must
stand on the page that it leads to. Five lines are enough where they are like those of contents: plain integers or small
Roman ones, never falling, three different ones at least, none above the number of pages, no other leader lines close
by, and between such runs at most one fall in ten lines (a list of figures follows the contents). Otherwise, as in an
index, it takes more.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from math import sqrt
from typing import NamedTuple

NUMBER = r"\d{1,5}|[ivxlc]{1,7}"
NUMBERED = re.compile(rf"^(?:({NUMBER})\s+)?(.*?)(?:(?<!\S)({NUMBER})(?: ?/ ?(\d{{1,5}}))?)?$")  # 7; 7 / 233; xii
FOR_PAGE = frozenset(("page", "p.", "seite", "pagina", "página", "strona", "str.", "sida", "side", "стр.", "страница"))
PAGES = 3
CHANGING = (3, 2, 2)  # pages with the same words: of three chapters, or of two and a title on the other side
PART = re.compile(
    r"^(?:(?:chapter|section|appendix|part) )?(\d{1,3}(?:\.\d+)*|[a-z]|[ivxlc]{1,7})[:.]?\s+"
)  # Chapter 2: …, 2.1 …
OF_A_PART = re.compile(r"^\d{1,3}(?:\.\d+)*\s+")
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class RunningLine(NamedTuple):
    """A first or last line of a page, read as one that may run through the pages."""

    gap: int | None  # how far its number is from the page's place; None: the line as it is
    text: str  # without the number
    sure: bool = False  # the number can hardly be anything but a page's
    first: bool = False  # the number stands before the text


def said_once(pages: dict[int, str], many: int) -> Iterator[str]:
    """The pages without repeated headers and footers. `pages`: those with text, by their place among `many`."""
    lines = {place: page.strip("\n").split("\n") for place, page in pages.items()}
    ends = {
        place: {line for at in (0, -1) for line in _readings(page[at], place, many)} for place, page in lines.items()
    }
    times = Counter(line for readings in ends.values() for line in readings)
    counted = _counted(ends.values())
    titles = {_title(line) for page in lines.values() for line in page[1:-1]}
    headings = titles | {OF_A_PART.sub("", title) for title in titles}
    written: set[str] = set()
    for place, page in lines.items():
        has_number = any(line.sure and line.gap in counted for line in ends[place])
        for at in (-1, 0) if len(page) > 1 else (0,):
            for line in _readings(page[at], place, many):
                runs = line.gap in counted and (line.sure or not has_number)
                if runs or (line.gap is None and times[line] >= PAGES):
                    repeated = line.text in written or not line.text or _title(line.text) in headings
                    if repeated and (len(page) > 1 or line.gap is None):
                        del page[at]
                    written.add(line.text)
                    break
        yield "\n".join(page)


def _counted(ends: Iterable[set[RunningLine]]) -> set[int | None]:
    """The gaps of numbers that are those of pages."""
    sure: Counter[int | None] = Counter()
    texts: defaultdict[int | None, Counter[RunningLine]] = defaultdict(Counter)
    for readings in ends:
        numbered = sorted(line for line in readings if line.gap is not None)
        for gap, group in groupby(numbered, key=lambda line: line.gap):
            same = list(group)
            sure[gap] += any(line.sure for line in same)
            if len(same) == 1:  # one of two lines with the same number is no proof
                texts[gap][same[0]] += 1
    changing = {
        gap for gap, times in texts.items() if _changes([count for _, count in times.most_common(len(CHANGING))])
    }
    return changing | {gap for gap, count in sure.items() if count >= PAGES}


def _changes(times: list[int]) -> bool:
    return len(times) == len(CHANGING) and all(count >= least for count, least in zip(times, CHANGING, strict=True))


def _title(line: str) -> str:
    return PART.sub(r"\1 ", line.strip().casefold())


def _readings(line: str, place: int, many: int) -> list[RunningLine]:
    """The readings of a line: as it is, and without a number that may be the page's."""
    line = line.strip()
    match = NUMBERED.match(line)
    readings = [RunningLine(None, line)] if line and not line.isdecimal() else []
    if match and line:
        start, text, end, total = match.groups()
        if end:
            words = f"{start or ''} {text}".strip()
            sure = not words or words.casefold() in FOR_PAGE or bool(total and value(end) <= int(total) <= many)
            if value(end) <= many:
                readings.append(RunningLine(value(end) - place, words, sure))
        if start and value(start) <= many:
            words = f"{text}{end or ''}".strip()
            readings.append(RunningLine(value(start) - place, words, first=True))
    return readings


def value(number: str) -> int:
    """The value of an Arabic or Roman number."""
    if number.isdecimal():
        return int(number)
    values = [ROMAN[letter] for letter in number]
    return sum(-digit if digit < after else digit for digit, after in zip(values, [*values[1:], 0], strict=True))


PAGE_NUMBER = r"(\n?(?:[1-9]\d{0,4}(?:,\s[1-9]\d{0,4}){0,99}|[ivxlc]{1,7})(?=\n|$))"
LEADERS = re.compile(rf" ?(?:\. ?){{5,}}{PAGE_NUMBER}?| ?(?:\. ){{3,4}}{PAGE_NUMBER}")
RUN = 5
DIFFERENT = 3
FALLS = 10
LONGEST_LINE = 1000
APART = 4  # lines between those of one table: headings, a page's first and last line

Line = tuple[str, tuple[int, ...]]  # its text, and the numbers it leads to
PageNumber = tuple[bool, int]  # whether it is Arabic, and its value: Roman numbers come first


def without_leaders(text: str, pages: int, shown: dict[int, str]) -> str:
    """The text without dots of leaders, and without the numbers that prove to be those of pages. `shown`: the pages
    with text, by their place among `pages`."""
    matches = list(LEADERS.finditer(text))
    proven = _proven(text, matches, pages, shown)
    pieces, done = [], 0
    for at, match in enumerate(matches):
        number = match[1] or match[2] or ""
        if at in proven or not match[2]:  # three or four dots alone may be a sentence's
            pieces += [text[done : match.start()], " ", "" if at in proven else number]
            done = match.end()
    return "".join([*pieces, text[done:]])


def _proven(text: str, matches: list[re.Match[str]], pages: int, shown: dict[int, str]) -> set[int]:
    between = [text.count("\n", match.end(), after.start()) for match, after in pairwise(matches)]
    starts = [0, *(at for at, lines in enumerate(between, 1) if lines > APART), len(matches)]
    lines = [_line(text, match) for match in matches]
    places = [_place(match, pages) for match in matches]
    known = Pages(shown, lines)
    proven: set[int] = set()
    for first, end in pairwise(starts):
        for run in _rising(places, first, end):
            if known.prove_rising([lines[at] for at in run]):
                proven.update(run)
        if not proven.issuperset(range(first, end)) and known.prove(lines[first:end]):
            proven.update(at for at in range(first, end) if lines[at][1] and max(lines[at][1]) <= pages)
    return proven


def _line(text: str, match: re.Match[str]) -> Line:
    before = text[max(text.rfind("\n", 0, match.start()) + 1, match.start() - LONGEST_LINE) : match.start()]
    number = (match[1] or match[2] or "").strip()
    if number and not number[0].isdecimal():
        return before, (value(number),)
    return before, tuple(map(int, re.findall(r"\d+", number)))


def _rising(places: list[PageNumber | None], first: int, end: int) -> list[list[int]]:
    """The runs of a table that may be one of contents."""
    runs: list[list[int]] = [[]]
    last: PageNumber = (False, 0)
    for at in range(first, end):
        if (place := places[at]) is None:
            return []
        if place < last:
            runs.append([])
        runs[-1].append(at)
        last = place
    if (len(runs) - 1) * FALLS > end - first:
        return []
    return [run for run in runs if len(run) >= RUN and len({places[at] for at in run}) >= DIFFERENT]


def _place(match: re.Match[str], pages: int) -> PageNumber | None:
    number = (match[1] or match[2] or "").strip()
    if not number or "," in number:
        return None
    worth = value(number)
    return (number.isdecimal(), worth) if worth <= pages else None


WORD = re.compile(r"[^\W_]+")
DOTS = (". . . . .", ".....")
LONGEST = 8_000_000  # characters of all pages: the words of each are held
ASKED = 200  # lines that show from where pages are counted, and pages that show what happens by chance
LEAST = 8  # lines of a table that are found on their pages …
SHARE = 0.6  # … of all its lines …
BEYOND = 4.0  # … and standard deviations more than by chance
RISING, RISING_BEYOND = 4, 3.0  # the same of numbers that never fall
OFF = (*range(-12, -2), *range(3, 13))  # pages that show chance: headers repeat words on nearer ones


class Pages:
    """The words of pages, in which the numbers of a table of contents or an index are looked up.

    A number is a page's where the words of its line stand on the page that it leads to. So the numbers of an index are
    told from amounts, though they fall as often as they rise. Pages may be counted from anywhere: the count that most
    lines agree with is the document's. By chance some words stand on any page; how many do is seen on pages some way
    off, and only what goes far beyond it is a proof. Lines of leaders themselves count for nothing, or every line would
    prove itself. Of numbers that never fall, as in contents, fewer lines are proof enough, and chance is seen on all
    pages: the header of a long chapter says its title on the pages around, too. Pages are known by their place in the
    file, from 0 on.
    """

    def __init__(self, pages: dict[int, str], lines: Sequence[Line]) -> None:
        self._words: dict[int, set[str]] = {}
        if len(lines) < RISING or sum(map(len, pages.values())) > LONGEST:
            return
        known: dict[str, str] = {}  # each word is held once
        for place, page in pages.items():
            rows = (row for row in page.casefold().split("\n") if not any(dots in row for dots in DOTS))
            self._words[place] = {known.setdefault(word, word) for row in rows for word in WORD.findall(row)}
        self._start = self._counted_from(lines)

    def _counted_from(self, lines: Sequence[Line]) -> int:
        """The place of page 0."""
        votes: Counter[int] = Counter()
        single = [line for line in lines if len(line[1]) == 1]
        for text, (number,) in single[:: len(single) // ASKED + 1]:
            words = _words(text)
            votes.update(place - number for place, page in self._words.items() if words and words <= page)
        return max(votes, key=lambda start: (votes[start], -abs(start), start), default=0)

    def prove(self, lines: Sequence[Line]) -> bool:
        """Whether the numbers of a table are proven to be those of pages. All its lines are given, also those that lead
        to no number."""
        if not self._words or len(lines) < LEAST:
            return False
        hits = by_chance = spread = 0.0
        for text, numbers in lines:
            words = _words(text)
            hits += self._is_there(words, numbers, 0)
            tried = [self._is_there(words, numbers, off) for off in OFF if self._reaches(numbers, off)]
            share = sum(tried) / len(tried) if tried else 1.0
            by_chance += share
            spread += share * (1 - share)
        return hits >= max(LEAST, SHARE * len(lines)) and hits > by_chance + BEYOND * sqrt(spread)

    def prove_rising(self, lines: Sequence[Line]) -> bool:
        """The same of lines whose numbers never fall."""
        sample = list(self._words.values())[:: len(self._words) // ASKED + 1]
        hits = by_chance = spread = 0.0
        for text, numbers in lines if sample else ():
            words = _words(text)
            hits += self._is_there(words, numbers, 0)
            share = sum(words <= page for page in sample) / len(sample)
            by_chance += share
            spread += share * (1 - share)
        return hits >= max(RISING, SHARE * len(lines)) and hits > by_chance + RISING_BEYOND * sqrt(spread)

    def _is_there(self, words: set[str], numbers: tuple[int, ...], off: int) -> bool:
        nothing: set[str] = set()
        return bool(words) and any(words <= self._words.get(self._start + number + off, nothing) for number in numbers)

    def _reaches(self, numbers: tuple[int, ...], off: int) -> bool:
        return any(self._start + number + off in self._words for number in numbers)


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.casefold()))


# Both patterns begin where a word does: from each of its letters on, a long word takes quadratic time.
# A hyphen that PDFium takes to divide a word is U+FFFE, in older versions U+0002.
DIVIDED = re.compile("((?<![^\\W_])[^\\W_]+|)[\ufffe\x02][ \r\n]*([^\\W_]*)")
HYPHENED = re.compile(r"(?<![^\W\d_])([^\W\d_]+-)(?=([^\W\d_]+))")  # both pairs of three words


def joined(pages: list[str]) -> list[str]:
    """The pages with divided words joined."""
    if not any("\ufffe" in page or "\x02" in page for page in pages):
        return pages
    hyphened = {f"{first}{second}".casefold() for page in pages for first, second in HYPHENED.findall(page)}
    parts = {pair for page in pages for pair in DIVIDED.findall(page)}
    in_doubt = {
        (first + second).casefold() for first, second in parts if f"{first}-{second}".casefold() in hyphened
    }  # fmt: skip
    if in_doubt:
        in_doubt -= {word.casefold() for page in pages for word in WORD.findall(page)}

    def whole(match: re.Match[str]) -> str:
        first, second = match.groups()
        starts = second[:1]
        if starts.isupper() or starts.isdecimal() or (first + second).casefold() in in_doubt:
            return f"{first}-{second}"
        return first + second

    return [DIVIDED.sub(whole, page) for page in pages]
