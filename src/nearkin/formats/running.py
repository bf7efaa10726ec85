"""Running headers, footers and page numbers: said once, not on every page.

Only a page's first and last line come into question, and only if three pages at least have the same one, but for a
number at its start or end that goes along with the pages. The first of them stays: no words are lost, only repetitions.
"""

import re
from collections import Counter
from collections.abc import Iterator

NUMBERED = re.compile(r"^(?:(\d{1,5})\s+)?(.*?)(?:(?<!\S)(\d{1,5})(?: ?/ ?\d{1,5})?)?$")  # 7; 7 / 233
PAGES = 3


def said_once(pages: list[str]) -> Iterator[str]:
    lines = [page.strip("\n").split("\n") for page in pages]
    counted = Counter(
        key for number, page in enumerate(lines) for key in {*_keys(page[0], number), *_keys(page[-1], number)}
    )
    running = {key for key, count in counted.items() if count >= PAGES}
    said: set[str] = set()
    for number, page in enumerate(lines):
        for place in (-1, 0):
            key = next((key for key in _keys(page[place], number) if key in running), None) if page else None
            if key is not None:
                if key[0] in said:
                    del page[place]
                said.add(key[0])
        yield "\n".join(page)


def _keys(line: str, page: int) -> list[tuple[str, int | None]]:
    """The line as it is, and without the number of the page, with how far that is from the count of pages."""
    line = line.strip()
    match = NUMBERED.match(line)
    keys: list[tuple[str, int | None]] = [(line, None)] if line and not line.isdecimal() else []
    if match and line:
        start, text, end = match.groups()
        if end:
            keys.append((f"{start or ''} {text}".strip(), int(end) - page))
        if start:
            keys.append((f"{text}{end or ''}".strip(), int(start) - page))
    return keys
