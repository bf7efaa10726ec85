"""What two documents are to each other, in words, with what says so.

Cherkasova 2009 §5 found near-duplicates that differed "due to document number, or date, or some other small details",
and pairs "with different dates and document numbers, but very similar … information written about different
applications, say X and Y": a product renamed. These are told from the words that differ; the first that holds is said.

identical                                the same bytes
same words                               equal canonical text
same but for numbers and dates           every edit is of words with digits, months and days of the week
same but for a name replaced throughout  every other edit puts Y for X, twice or more, and no X is left
B is A plus more                         all of A in its order, and words put in between or around, fewer than A has
A is contained in B                      all of A in one stretch of B, which is at least twice as long
similar                                  resemblance (under fuzzy: cosine) 0.7 or more, as joins a family
A is mostly contained in B               0.9 or more of it
similar                                  resemblance (cosine) 0.5 or more, the weakest match a scan keeps
share only a form                        the same frame of passages in one order, otherwise filled in on both sides
unrelated                                anything else
no text                                  one of them has no words that nearkin can read, and their bytes differ
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.passages import LEAST, Edit, Spans, WordEdits, covered, places
from nearkin.query.alignment import frame
from nearkin.report.readable import Readable
from nearkin.text.canon import Canon

NAMES = 3  # different ones replaced; with more it is another text
TWICE = 2
LISTED = 20  # details
LONGEST = 60  # characters of what a detail quotes
FRAME = 3  # passages of a form, at least
FRAMED = 0.2  # of either text, at least, stands in the frame
WRITTEN_OUT = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec am pm
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag sonntag
janvier février mars avril juin juillet août septembre octobre novembre décembre
"""
CALENDAR = frozenset(WRITTEN_OUT.split())

SAME_BUT_NUMBERS = "same but for numbers and dates"
LABELS = {SAME_BUT_NUMBERS: "same but for dates and words with numbers in them"}  # where a product-2 is no number
SAME_BUT_NAME = "same but for a name replaced throughout"
FORM = "share only a form"


def label(relation: str) -> str:
    """As people read it; programs have the name."""
    return LABELS.get(relation, relation)


@dataclass(frozen=True)
class Relation:
    words: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """Two canonical texts, unlike and not empty, and the extracted ones they were made of."""

    first: bytes
    second: bytes
    a: bytes
    b: bytes
    canon: Canon

    def turned(self) -> "Pair":
        return Pair(self.second, self.first, self.b, self.a, self.canon)


def exact_relation(pair: Pair, edits: WordEdits | None) -> Relation | None:
    """What can be said without any measure of likeness."""
    if edits is not None and not pair.canon.raw:
        fewest = min(pair.first.count(b" "), pair.second.count(b" ")) + 1
        if 2 * edits.distance <= fewest and (found := _replaced(pair, edits.edits)):
            return found
    if found := _contained(pair, edits, "A", "B"):
        return found
    back = None
    if edits is not None:
        back = WordEdits(edits.distance, [Edit(e.b_start, e.b_end, e.a_start, e.a_end) for e in edits.edits])
    return _contained(pair.turned(), back, "B", "A")


def _replaced(pair: Pair, edits: list[Edit]) -> Relation | None:
    numbers: list[Edit] = []
    names: Counter[tuple[bytes, bytes]] = Counter()
    for edit in edits:
        was, became = pair.first[edit.a_start : edit.a_end], pair.second[edit.b_start : edit.b_end]
        if all(_is_number(word) for word in [*was.split(), *became.split()]):
            numbers.append(edit)
        elif was and became:
            names[was, became] += 1
        else:
            return None
    listed = _listed(pair, numbers)
    if not names:
        return Relation(SAME_BUT_NUMBERS, listed)
    if len(names) > NAMES or min(names.values()) < TWICE or len({was for was, _ in names}) < len(names):
        return None
    padded = b" " + pair.first.replace(b" ", b"  ") + b" "
    for (was, _), times in names.items():
        if padded.count(b" " + was.replace(b" ", b"  ") + b" ") != times:
            return None  # some are left as they were
    spelled = _spelled(pair, edits, set(names))
    told = [f"{was} → {became}, {names[key]:,} times" for key, (was, became) in spelled.items()]
    return Relation(SAME_BUT_NAME, (*told, *listed))


def _is_number(word: bytes) -> bool:
    text = word.decode("utf-8", "replace")
    return text in CALENDAR or any(char.isdigit() or char.isnumeric() for char in text)


def _spelled(
    pair: Pair, edits: list[Edit], names: set[tuple[bytes, bytes]]
) -> dict[tuple[bytes, bytes], tuple[str, str]]:
    """Names as the texts first spell them."""
    firsts: dict[tuple[bytes, bytes], Edit] = {}
    for edit in edits:
        key = pair.first[edit.a_start : edit.a_end], pair.second[edit.b_start : edit.b_end]
        if key in names:
            firsts.setdefault(key, edit)
    shown = _texts(pair, list(firsts.values()), whole=False)
    return dict(zip(firsts, shown, strict=True))


def _listed(pair: Pair, edits: list[Edit]) -> tuple[str, ...]:
    """Each change once, with how often it was made."""
    shown = _texts(pair, edits, whole=True)
    counted = Counter(f"{was or 'nothing'} → {became or 'nothing'}" for was, became in shown)
    told = [what if times == 1 else f"{what}, {times:,} times" for what, times in counted.items()]
    more = len(told) - LISTED
    return (*told[:LISTED], *([f"and {more:,} more"] if more > 0 else []))


def _texts(pair: Pair, edits: list[Edit], *, whole: bool) -> list[tuple[str, str]]:
    """What stood and what stands there, as the extracted texts have it; `whole` with all of 12.5 where 5 became 7."""
    sides = []
    for extracted, columns in (
        (pair.a, [(e.a_start, e.a_end) for e in edits]),
        (pair.b, [(e.b_start, e.b_end) for e in edits]),
    ):
        bounds: NDArray[np.int64] = np.array(columns, np.int64).reshape(-1, 2)
        shown = Readable.of(extracted, pair.canon)
        stretches = places(extracted, pair.canon, bounds[:, 0], bounds[:, 1])
        sides.append([_stretch(shown.text, shown.at(a), shown.after(b), whole=whole) for a, b in stretches])
    return list(zip(*sides, strict=True))


def _stretch(text: str, start: int, end: int, *, whole: bool) -> str:
    if start == end:
        return ""
    if whole:
        while start > 0 and not text[start - 1].isspace():
            start -= 1
        while end < len(text) and not text[end].isspace():
            end += 1
    said = text[start:end].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    shown = " ".join(said.split()).strip(".,;:!?()[]{}\"'“”‘’")
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _contained(pair: Pair, edits: WordEdits | None, small: str, large: str) -> Relation | None:
    first, second = pair.first, pair.second
    if len(first) > len(second) or len(first) < LEAST:
        return None
    mark = b"" if pair.canon.raw else b" "
    at = (mark + second + mark).find(mark + first + mark)
    few = edits is not None and edits.distance <= first.count(b" ") + 1
    if at >= 0 and not (few and len(second) < 2 * len(first)):
        ((start, end),) = places(pair.b, pair.canon, np.array([at]), np.array([at + len(first)]))
        what = "bytes" if pair.canon.raw else "characters"
        return Relation(f"{small} is contained in {large}", (f"at {what} {start:,} to {end:,} of {large}",))
    if edits is None or not few or any(edit.a_end > edit.a_start for edit in edits.edits):
        return None
    added = [Edit(e.a_start, e.a_end, e.b_start, e.b_end) for e in edits.edits]
    shown = [f"“{became}”" for _, became in _texts(pair, added[:LISTED], whole=False)]
    more = len(added) - LISTED
    words = "1 word" if edits.distance == 1 else f"{edits.distance:,} words"
    return Relation(
        f"{large} is {small} plus more",
        (f"{words} in {large} only", *shown, *([f"and {more:,} more places"] if more > 0 else [])),
    )


def is_form(spans: Spans, first: bytes, second: bytes) -> bool:
    """A frame in one order, with something else between its pieces on both sides."""
    kept = frame(spans)
    if len(kept) < FRAME:
        return False
    a = [(int(spans.a_start[at]), int(spans.a_end[at])) for at in kept]
    b = [(int(spans.b_start[at]), int(spans.b_end[at])) for at in kept]
    filled = sum(a[i + 1][0] > a[i][1] + 1 and b[i + 1][0] > b[i][1] + 1 for i in range(len(kept) - 1))
    return (
        3 * filled >= 2 * (len(kept) - 1) and covered(a) >= FRAMED * len(first) and covered(b) >= FRAMED * len(second)
    )
