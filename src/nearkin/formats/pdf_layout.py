"""Running headers, footers and page numbers: said once, not on every page.

Only a page's first and last line come into question, and only if three pages at least have the same one, but for a
number at its start or end that is the page's. Headings, invoices and years are numbered one by one too. So a number is
a page's only if it is none beyond the last page and proves itself on three pages at least: it stands alone, beside a
word for page, or with a total (3 / 8); or it goes on counting where the words beside it change twice. A page has one
number: beside one that stands alone, a line of words with it stays.

The first of such lines stays, unless a heading says all its words (Chapter 2: Strings 9, where a line is 2 Strings): so
no words are lost but Chapter, only repetitions and the numbers of pages. A page's last line left goes only if another
page has the very same: a number may be all that a page says.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

NUMBER = r"\d{1,5}|[ivxlc]{1,7}"
NUMBERED = re.compile(rf"^(?:({NUMBER})\s+)?(.*?)(?:(?<!\S)({NUMBER})(?: ?/ ?(\d{{1,5}}))?)?$")  # 7; 7 / 233; xii
FOR_PAGE = frozenset(("page", "p.", "seite", "pagina", "página", "strona", "str.", "sida", "side", "стр.", "страница"))
PAGES = 3
CHANGING = (3, 2, 2)  # pages with the same words: three chapters, or two and a title on the other side
PART = re.compile(
    r"^(?:(?:chapter|section|appendix|part) )?(\d{1,3}(?:\.\d+)*|[a-z]|[ivxlc]{1,7})[:.]?\s+"
)  # Chapter 2: …, 2.1 …
OF_A_PART = re.compile(r"^\d{1,3}(?:\.\d+)*\s+")
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Reading(NamedTuple):
    """A line, read as one that runs."""

    gap: int | None  # how far its number is from the page's place; None: the line as it is
    text: str  # without the number
    sure: bool = False  # the number can hardly be anything else's
    first: bool = False  # the number stands before the text


def said_once(pages: dict[int, str], many: int) -> Iterator[str]:
    """Those with text, by their place among so many."""
    lines = {place: page.strip("\n").split("\n") for place, page in pages.items()}
    ends = {place: {one for at in (0, -1) for one in _readings(page[at], place, many)} for place, page in lines.items()}
    times = Counter(one for found in ends.values() for one in found)
    counted = _counted(ends.values())
    titles = {_title(line) for page in lines.values() for line in page[1:-1]}
    headings = titles | {OF_A_PART.sub("", title) for title in titles}
    said: set[str] = set()
    for place, page in lines.items():
        has_one = any(one.sure and one.gap in counted for one in ends[place])
        for at in (-1, 0) if len(page) > 1 else (0,):
            for one in _readings(page[at], place, many):
                runs = one.gap in counted and (one.sure or not has_one)
                if runs or (one.gap is None and times[one] >= PAGES):
                    repeated = one.text in said or not one.text or _title(one.text) in headings
                    if repeated and (len(page) > 1 or one.gap is None):
                        del page[at]
                    said.add(one.text)
                    break
        yield "\n".join(page)


def _counted(ends: Iterable[set[Reading]]) -> set[int | None]:
    """The gaps of numbers that are those of pages."""
    sure: Counter[int | None] = Counter()
    texts: defaultdict[int | None, Counter[Reading]] = defaultdict(Counter)
    for found in ends:
        numbered = sorted(one for one in found if one.gap is not None)
        for gap, group in groupby(numbered, key=lambda one: one.gap):
            same = list(group)
            sure[gap] += any(one.sure for one in same)
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


def _readings(line: str, place: int, many: int) -> list[Reading]:
    """The line as it is, and without what may be the number of the page."""
    line = line.strip()
    match = NUMBERED.match(line)
    found = [Reading(None, line)] if line and not line.isdecimal() else []
    if match and line:
        start, text, end, total = match.groups()
        if end:
            words = f"{start or ''} {text}".strip()
            sure = not words or words.casefold() in FOR_PAGE or bool(total and value(end) <= int(total) <= many)
            if value(end) <= many:
                found.append(Reading(value(end) - place, words, sure))
        if start and value(start) <= many:
            words = f"{text}{end or ''}".strip()
            found.append(Reading(value(start) - place, words, first=True))
    return found


def value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [ROMAN[letter] for letter in number]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
