"""One pair in full: every measure, the common passages, and the relation of the two in words.

Cherkasova 2009 §5 found near-duplicates that differed "due to document number, or date, or some other small details",
and pairs "with different dates and document numbers, but very similar … information written about different
applications, say X and Y": a product renamed. The words that differ show which relation it is; of these the first that
holds is given.

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
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nearkin.matching.match_columns import MatchColumns
from nearkin.matching.passages import (
    LEAST,
    MOST_EDITS,
    Edit,
    Passage,
    Spans,
    WordEdits,
    covered,
    placed,
    places,
    spans_in,
    word_edits,
)
from nearkin.matching.score import cosine_of
from nearkin.matching.template import passages_in, shingles_of
from nearkin.matching.verify import Corpus, verify
from nearkin.query.alignment import Alignment, align, frame
from nearkin.query.lookup import NamedDocument, Readable
from nearkin.query.store_view import opened
from nearkin.scheme import Estimate, Estimator, Scheme, parse_scheme, sign
from nearkin.scheme.mod import Exact
from nearkin.scheme.plan import Collision, collision_of
from nearkin.scheme.shingler import ALL_BITS, Shingler
from nearkin.settings import MatchSettings
from nearkin.store.templates import all_templates
from nearkin.text.canon import Canon
from nearkin.wording import count

NAMES = 3  # different ones replaced; with more it is another text
TWICE = 2
MOST_DETAILS = 20  # details
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
    """The name of a relation as people read it; programs get the name itself."""
    return LABELS.get(relation, relation)


@dataclass(frozen=True)
class TextRelation:
    """What two texts are to each other, and what shows it."""

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


def exact_relation(pair: Pair, edits: WordEdits | None) -> TextRelation | None:
    """The relation that holds without any measure of likeness; None: it depends on one."""
    if edits is not None and not pair.canon.raw:
        fewest = min(pair.first.count(b" "), pair.second.count(b" ")) + 1
        if 2 * edits.distance <= fewest and (relation := _replaced(pair, edits.edits)):
            return relation
    if relation := _contained(pair, edits, "A", "B"):
        return relation
    back = None
    if edits is not None:
        back = WordEdits(edits.distance, [Edit(e.b_start, e.b_end, e.a_start, e.a_end) for e in edits.edits])
    return _contained(pair.turned(), back, "B", "A")


def _replaced(pair: Pair, edits: list[Edit]) -> TextRelation | None:
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
        return TextRelation(SAME_BUT_NUMBERS, listed)
    if len(names) > NAMES or min(names.values()) < TWICE or len({was for was, _ in names}) < len(names):
        return None
    padded = b" " + pair.first.replace(b" ", b"  ") + b" "
    for (was, _), times in names.items():
        if padded.count(b" " + was.replace(b" ", b"  ") + b" ") != times:
            return None  # some are left as they were
    spelled = _spelled(pair, edits, set(names))
    renamed = [f"{was} → {became}, {names[key]:,} times" for key, (was, became) in spelled.items()]
    return TextRelation(SAME_BUT_NAME, (*renamed, *listed))


def _is_number(word: bytes) -> bool:
    text = word.decode("utf-8", "replace")
    return text in CALENDAR or any(char.isdigit() or char.isnumeric() for char in text)


def _spelled(
    pair: Pair, edits: list[Edit], names: set[tuple[bytes, bytes]]
) -> dict[tuple[bytes, bytes], tuple[str, str]]:
    """The names as the texts first spell them."""
    firsts: dict[tuple[bytes, bytes], Edit] = {}
    for edit in edits:
        key = pair.first[edit.a_start : edit.a_end], pair.second[edit.b_start : edit.b_end]
        if key in names:
            firsts.setdefault(key, edit)
    shown = _texts(pair, list(firsts.values()), whole=False)
    return dict(zip(firsts, shown, strict=True))


def _listed(pair: Pair, edits: list[Edit]) -> tuple[str, ...]:
    """List each change once, with how often it was made."""
    shown = _texts(pair, edits, whole=True)
    counted = Counter(f"{was or 'nothing'} → {became or 'nothing'}" for was, became in shown)
    changes = [what if times == 1 else f"{what}, {times:,} times" for what, times in counted.items()]
    more = len(changes) - MOST_DETAILS
    return (*changes[:MOST_DETAILS], *([f"and {more:,} more"] if more > 0 else []))


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
    stretch = text[start:end].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    shown = " ".join(stretch.split()).strip(".,;:!?()[]{}\"'“”‘’")
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def _contained(pair: Pair, edits: WordEdits | None, small: str, large: str) -> TextRelation | None:
    first, second = pair.first, pair.second
    if len(first) > len(second) or len(first) < LEAST:
        return None
    mark = b"" if pair.canon.raw else b" "
    at = (mark + second + mark).find(mark + first + mark)
    few = edits is not None and edits.distance <= first.count(b" ") + 1
    if at >= 0 and not (few and len(second) < 2 * len(first)):
        ((start, end),) = places(pair.b, pair.canon, np.array([at]), np.array([at + len(first)]))
        what = "bytes" if pair.canon.raw else "characters"
        return TextRelation(f"{small} is contained in {large}", (f"at {what} {start:,} to {end:,} of {large}",))
    if edits is None or not few or any(edit.a_end > edit.a_start for edit in edits.edits):
        return None
    added = [Edit(e.a_start, e.a_end, e.b_start, e.b_end) for e in edits.edits]
    shown = [f"“{became}”" for _, became in _texts(pair, added[:MOST_DETAILS], whole=False)]
    more = len(added) - MOST_DETAILS
    words = "1 word" if edits.distance == 1 else f"{edits.distance:,} words"
    return TextRelation(
        f"{large} is {small} plus more",
        (f"{words} in {large} only", *shown, *([f"and {more:,} more places"] if more > 0 else [])),
    )


def is_form(spans: Spans, first: bytes, second: bytes) -> bool:
    """Whether two texts share a frame in one order, with something else between its pieces on both sides."""
    kept = frame(spans)
    if len(kept) < FRAME:
        return False
    a = [(int(spans.a_start[at]), int(spans.a_end[at])) for at in kept]
    b = [(int(spans.b_start[at]), int(spans.b_end[at])) for at in kept]
    filled = sum(a[i + 1][0] > a[i][1] + 1 and b[i + 1][0] > b[i][1] + 1 for i in range(len(kept) - 1))
    return (
        3 * filled >= 2 * (len(kept) - 1) and covered(a) >= FRAMED * len(first) and covered(b) >= FRAMED * len(second)
    )


SHINGLES = "exact:window=20"
ONE = Estimate(1.0, exact=True)
LISTED = 5  # words of other characters
LITTLE = 0.05  # of a payload: what is left without templates is unlike
NO_SPANS = spans_in(b"", b"", raw=False)


@dataclass(frozen=True)
class Comparison:
    """All that is measured of a pair.

    Under a scheme whose measure is the cosine, the cosine decides the relation, and the shares are of exact shingles.
    """

    tier: str | None  # bytes, words; None where they are not identical
    relation: str
    resemblance: Estimate | None
    a_in_b: Estimate | None
    b_in_a: Estimate | None
    similar: Estimate | None  # what is shared, of the smaller
    shared_bytes: int  # at the least
    cosine: Estimate | None  # of the term vectors (Stein 2005 §3), whatever the scheme
    collision: Collision | None = None  # what fingerprints may have got wrong; None where none were compared
    shingles: "Comparison | None" = None  # beside chunks, what exact 20-byte shingles say
    details: tuple[str, ...] = ()  # what the relation rests on
    word_distance: int | None = None  # words put in, taken out or replaced
    words_over: int | None = None  # more than so many, where they were not counted further
    passages: tuple[Passage, ...] = ()
    a_covered: float | None = None  # share of A's canonical text that lies in passages
    b_covered: float | None = None
    wordless: str = ""  # A, B or AB: which of them have no words to compare
    spans: Spans = field(default=NO_SPANS, repr=False, compare=False)  # the passages in the canonical texts


def compare(a: NamedDocument, b: NamedDocument, scheme: Scheme, canon: Canon, *, least: int = LEAST) -> Comparison:
    """Measure two documents; `least`: characters of a common passage."""
    first, second = (None if side.text is None else canon.apply(side.text) for side in (a, b))
    comparison = _measures(a, b, first, second, scheme)
    if not first or not second or a.text is None or b.text is None:
        return replace(comparison, wordless=("" if first else "A") + ("" if second else "B"))
    if canon.lines:  # only schemes that count lines want them apart
        canon = replace(canon, lines=False)
        first, second = canon.apply(a.text), canon.apply(b.text)
    spans = spans_in(first, second, raw=canon.raw, least=least)
    edits = word_edits(first, second)
    comparison = replace(
        comparison,
        spans=spans,
        passages=tuple(placed(spans, a.text, b.text, canon)),
        a_covered=_covered(spans.a_start, spans.a_end, first),
        b_covered=_covered(spans.b_start, spans.b_end, second),
        word_distance=None if edits is None else edits.distance,
        words_over=MOST_EDITS if edits is None else None,
    )
    if comparison.tier:
        return comparison
    relation = exact_relation(Pair(first, second, a.text, b.text, canon), edits)
    if relation is None and comparison.relation == "unrelated" and is_form(spans, first, second):
        relation = TextRelation(FORM, (f"{count(len(spans), 'passages')} in the form",))
    return comparison if relation is None else replace(comparison, relation=relation.words, details=relation.details)


def aligned(comparison: Comparison, a: NamedDocument, b: NamedDocument, canon: Canon) -> Alignment | None:
    """Both texts side by side; None where one has none."""
    if a.text is None or b.text is None:
        return None
    return align(comparison.spans, list(comparison.passages), a.text, b.text, replace(canon, lines=False))


def _covered(starts: NDArray[np.int64], ends: NDArray[np.int64], text: bytes) -> float:
    return covered(zip(starts.tolist(), ends.tolist(), strict=True)) / len(text)


def _measures(
    a: NamedDocument, b: NamedDocument, first: bytes | None, second: bytes | None, scheme: Scheme
) -> Comparison:
    if a.digest == b.digest:
        return Comparison("bytes", "identical", ONE, ONE, ONE, ONE, len(first or b"") or a.size, ONE)
    if not first or not second:  # a share of nothing is 0 / 0, and two texts without words have none in common
        return Comparison(None, "no text", None, None, None, None, 0, None)
    if first == second:
        details = _characters(a.text, b.text)
        return Comparison("words", "same words", ONE, ONE, ONE, ONE, len(first), ONE, details=details)
    angle = cosine_of(first, second)
    cosine = None if angle is None else Estimate(angle, exact=True)
    if scheme.measure == "cosine":
        return replace(_compared(first, second, parse_scheme(SHINGLES), cosine), relation=_relation(cosine, None, None))
    if scheme.estimator is Estimator.RANGE:  # the numbers say only where to look
        return _compared(first, second, parse_scheme(SHINGLES), cosine)
    compared = _compared(first, second, scheme, cosine)
    if scheme.measure == "bytes":
        return replace(compared, shingles=_compared(first, second, parse_scheme(SHINGLES), None))
    return compared


def _characters(a: bytes | None, b: bytes | None) -> tuple[str, ...]:
    """List what texts of the same words differ in: "-5" is the same word as "5", and another number."""
    if a == b or a is None or b is None:
        return ()
    words_a, words_b = (text.decode("utf-8", "replace").split() for text in (a, b))
    if len(words_a) != len(words_b):
        return ("only punctuation or spacing differs",)
    unlike = [f"{was} → {became}" for was, became in zip(words_a, words_b, strict=True) if was != became]
    more = [f"and {len(unlike) - LISTED:,} more"] if len(unlike) > LISTED else []
    return (*unlike[:LISTED], *more) or ("other spacing",)


def _compared(first: bytes, second: bytes, scheme: Scheme, cosine: Estimate | None) -> Comparison:
    if scheme.shingler is None:
        signature_a, signature_b = sign(first, scheme), sign(second, scheme)
        resemblance, a_in_b, b_in_a = (
            signature_a.resemblance(signature_b),
            signature_a.containment(signature_b),
            signature_b.containment(signature_a),
        )
        shared = round(a_in_b.value * int(signature_a.weights.sum())) if a_in_b else 0
        relation = _relation(resemblance, a_in_b, b_in_a)
        return Comparison(None, relation, resemblance, a_in_b, b_in_a, _larger(a_in_b, b_in_a), shared, cosine)
    exact = _measured(first, second, scheme.shingler)
    shares = (exact.resemblance, exact.a_in_b, exact.b_in_a)
    resemblance, a_in_b, b_in_a = (Estimate(float(share[0]), exact=True) for share in shares)
    if not isinstance(scheme, Exact) or scheme.shingler.bits < ALL_BITS:
        # Of all shingles the measure on the texts is the scheme's own, and 0.9 s faster for two texts of 1 MB.
        signature_a, signature_b = sign(first, scheme), sign(second, scheme)
        resemblance = signature_a.resemblance(signature_b)
        if scheme.contains:  # otherwise the texts are at hand, so what the signatures cannot tell is measured
            a_in_b, b_in_a = signature_a.containment(signature_b), signature_b.containment(signature_a)
    similar, relation = _larger(a_in_b, b_in_a), _relation(resemblance, a_in_b, b_in_a)
    shared = int(exact.shared_bytes[0])
    united = round(float(exact.size_a[0] + exact.size_b[0]) / (1.0 + float(exact.resemblance[0])))
    collision = collision_of(scheme.shingler, united)
    return Comparison(None, relation, resemblance, a_in_b, b_in_a, similar, shared, cosine, collision)


def without_templates(comparison: Comparison, payload: "TemplatePayload | None") -> Comparison:
    """Say of two that have nothing in common but templates that they share only a form, whatever their scores are."""
    alike = comparison.resemblance is not None and comparison.resemblance.value > 0.0
    if (
        payload is None
        or payload.resemblance > LITTLE
        or not alike
        or comparison.relation not in ("similar", "unrelated")
    ):
        return comparison
    return replace(comparison, relation=FORM, details=(f"payload {payload.resemblance:.3f}: little besides templates",))


@dataclass(frozen=True)
class TemplatePayload:
    """What two documents have in common besides the templates of a store."""

    templates: int
    resemblance: float


def payload_of(a: NamedDocument, b: NamedDocument, scheme: Scheme, canon: Canon, store: Path) -> TemplatePayload | None:
    """Measure what is left without templates; None where the store has none, or either document has no words."""
    first, second = (canon.apply(side.text or b"") for side in (a, b))
    if not first or not second or not store.exists():
        return None
    shingler = replace(scheme.shingler or Shingler(20), bits=ALL_BITS, seed=0)
    with opened(store) as connection:
        templates = all_templates(connection)
        if not templates:
            return None
        ignored = shingles_of([text for template in templates for text in passages_in(template, canon)], shingler)
    measured = _measured(first, second, shingler, ignored)
    return TemplatePayload(len(templates), float(measured.resemblance[0]))


def _larger(*shares: Estimate | None) -> Estimate | None:
    """The larger of two shares, which is that of the smaller text: Forman 2005 Figure 5's "% similar"."""
    return max((share for share in shares if share), key=lambda share: share.value, default=None)


def _measured(a: bytes, b: bytes, shingler: Shingler, ignored: NDArray[np.uint64] | None = None) -> MatchColumns:
    texts = [a, b]
    lengths = np.array([len(a), len(b)], np.int64)
    corpus = Corpus(lengths, lambda rows: [texts[row] for row in rows], len(a) + len(b), threads=1, ignored=ignored)
    first, second = np.array([0], np.uint32), np.array([1], np.uint32)
    measured, _ = verify(first, second, corpus, shingler=shingler, resemblance=0.0, containment=0.0)
    return measured


def _relation(resemblance: Estimate | None, a_in_b: Estimate | None, b_in_a: Estimate | None) -> str:
    limits = MatchSettings()
    alike, in_b, in_a = (0.0 if share is None else share.value for share in (resemblance, a_in_b, b_in_a))
    if alike >= limits.threshold:
        return "similar"
    if max(in_a, in_b) >= limits.containment:
        return "B is mostly contained in A" if in_a > in_b else "A is mostly contained in B"
    return "similar" if alike >= limits.floor else "unrelated"
