"""Numbers of pages, proven by looking them up: what a line says stands on the page that it leads to.

So the numbers of an index are told from amounts, though they fall as often as they rise. Pages may be counted from
anywhere: the count that most lines agree with is the document's. By chance some words stand on any page; how many do is
seen on pages some way off, and only what goes far beyond it is a proof. Lines of leaders themselves count for nothing,
or every line would prove itself. Of numbers that never fall, as in contents, fewer lines are proof enough, and chance
is seen on all pages: the header of a long chapter says its title on the pages around, too.
"""

import re
from collections import Counter
from collections.abc import Sequence
from math import sqrt

WORD = re.compile(r"[^\W_]+")
DOTS = (". . . . .", ".....")
LONGEST = 8_000_000  # characters of all pages: the words of each are held
ASKED = 200  # lines that tell from where pages are counted, pages that tell of chance
LEAST = 8  # lines of a table that are found on their pages …
SHARE = 0.6  # … of all its lines …
BEYOND = 4.0  # … and standard deviations more than by chance
RISING, RISING_BEYOND = 4, 3.0  # the same of numbers that never fall
OFF = (*range(-12, -2), *range(3, 13))  # pages that tell of chance: headers repeat words on the next ones

Line = tuple[str, tuple[int, ...]]  # what it says, and the numbers it leads to


class Pages:
    """By their place in the file, from 0 on."""

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
        some = [line for line in lines if len(line[1]) == 1]
        for said, (number,) in some[:: len(some) // ASKED + 1]:
            words = _words(said)
            votes.update(place - number for place, page in self._words.items() if words and words <= page)
        return max(votes, key=lambda start: (votes[start], -abs(start), start), default=0)

    def prove(self, lines: Sequence[Line]) -> bool:
        """All lines of one table; those that lead to no number are among them."""
        if not self._words or len(lines) < LEAST:
            return False
        found = by_chance = spread = 0.0
        for said, numbers in lines:
            words = _words(said)
            found += self._is_there(words, numbers, 0)
            tried = [self._is_there(words, numbers, off) for off in OFF if self._reaches(numbers, off)]
            share = sum(tried) / len(tried) if tried else 1.0
            by_chance += share
            spread += share * (1 - share)
        return found >= max(LEAST, SHARE * len(lines)) and found > by_chance + BEYOND * sqrt(spread)

    def prove_rising(self, lines: Sequence[Line]) -> bool:
        """Lines of a table whose numbers never fall."""
        some = list(self._words.values())[:: len(self._words) // ASKED + 1]
        found = by_chance = spread = 0.0
        for said, numbers in lines if some else ():
            words = _words(said)
            found += self._is_there(words, numbers, 0)
            share = sum(words <= page for page in some) / len(some)
            by_chance += share
            spread += share * (1 - share)
        return found >= max(RISING, SHARE * len(lines)) and found > by_chance + RISING_BEYOND * sqrt(spread)

    def _is_there(self, words: set[str], numbers: tuple[int, ...], off: int) -> bool:
        nothing: set[str] = set()
        return bool(words) and any(words <= self._words.get(self._start + one + off, nothing) for one in numbers)

    def _reaches(self, numbers: tuple[int, ...], off: int) -> bool:
        return any(self._start + one + off in self._words for one in numbers)


def _words(said: str) -> set[str]:
    return set(WORD.findall(said.casefold()))
