"""Running headers, footers and page numbers: said once, not on every page.

Only a page's first and last line come into question, and only if three pages at least have the same one, but for a
number at its start or end that goes along with the pages, or if that number goes along as on a quarter of all pages.
The first of them stays, unless a heading says all its words (Chapter 2: Strings 9, where a line is 2 Strings): so no
words are lost but Chapter, only repetitions and the numbers of pages. A page's last line left goes only if another page
has the very same: a number may be all that a page says.
"""

import re
from collections import Counter
from collections.abc import Iterator

NUMBER = r"\d{1,5}|[ivxlc]{1,7}"
NUMBERED = re.compile(rf"^(?:({NUMBER})\s+)?(.*?)(?:(?<!\S)({NUMBER})(?: ?/ ?\d{{1,5}})?)?$")  # 7; 7 / 233; xii
PAGES = 3
SHARE = 4  # a quarter of the pages
PART = re.compile(
    r"^(?:(?:chapter|section|appendix|part) )?(\d{1,3}(?:\.\d+)*|[a-z]|[ivxlc]{1,7})[:.]?\s+"
)  # Chapter 2: …, 2.1 …
OF_A_PART = re.compile(r"^\d{1,3}(?:\.\d+)*\s+")
ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}

Key = tuple[str, int | None]


def said_once(pages: list[str]) -> Iterator[str]:
    lines = [page.strip("\n").split("\n") for page in pages]
    ends = [{*_keys(page[0], number), *_keys(page[-1], number)} for number, page in enumerate(lines)]
    running = {key for key, count in Counter(key for keys in ends for key in keys).items() if count >= PAGES}
    gaps = Counter(gap for keys in ends for gap in {gap for _, gap in keys if gap is not None})
    usual = {gap for gap, count in gaps.items() if count >= max(PAGES, len(pages) // SHARE)}
    titles = {_title(line) for page in lines for line in page[1:-1]}
    headings = titles | {OF_A_PART.sub("", title) for title in titles}
    said: set[str] = set()
    for number, page in enumerate(lines):
        for place in (-1, 0) if len(page) > 1 else (0,):
            found = (key for key in _keys(page[place], number) if key in running or key[1] in usual)
            if (key := next(found, None)) is not None:
                text = key[0]
                repeated = text in said or not text or _title(text) in headings
                if repeated and (len(page) > 1 or key[1] is None):
                    del page[place]
                said.add(text)
        yield "\n".join(page)


def _title(line: str) -> str:
    return PART.sub(r"\1 ", line.strip().casefold())


def _keys(line: str, page: int) -> list[Key]:
    """The line as it is, and without the number of the page, with how far that is from the count of pages."""
    line = line.strip()
    match = NUMBERED.match(line)
    keys: list[Key] = [(line, None)] if line and not line.isdecimal() else []
    if match and line:
        start, text, end = match.groups()
        if end:
            keys.append((f"{start or ''} {text}".strip(), value(end) - page))
        if start:
            keys.append((f"{text}{end or ''}".strip(), value(start) - page))
    return keys


def value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [ROMAN[letter] for letter in number]
    return sum(-one if one < after else one for one, after in zip(values, [*values[1:], 0], strict=True))
